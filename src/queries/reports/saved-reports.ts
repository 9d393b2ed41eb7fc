import type pg from 'pg';
import type { ReadTables } from '../../database/tables.ts';

/** A pool, and the schema of the read model of saved reports. */
export interface SavedReportsSource {
  readonly pool: pg.Pool;
  readonly reports: string;
}

export interface SavedReportRow {
  readonly uuid: string;
  /** The key of the report's bot. */
  readonly public_key: string;
  readonly name: string;
  /** JSON text. */
  readonly report_config: string;
  /** Milliseconds since 1970 UTC. */
  readonly created_at: number;
  /** Whether it is on the dashboard of its bot. */
  readonly pinned: boolean;
}

/** The saved reports of bots, newest first; within one millisecond by uuid, since later uuids are greater. */
export async function listSavedReports(
  { pool, reports }: SavedReportsSource,
  publicKeys: readonly string[],
): Promise<SavedReportRow[]> {
  const { rows } = await pool.query<SavedReportRow>(
    `SELECT uuid, public_key, name, report_config, created_at::float8, pinned FROM ${reports}.reports
     WHERE public_key = ANY ($1) AND NOT deleted ORDER BY reports.created_at DESC, uuid DESC`,
    [publicKeys],
  );
  return rows;
}

/** The saved reports of all bots, by bot and uuid. */
export async function allSavedReports({ pool, reports }: ReadTables<'reports'>): Promise<SavedReportRow[]> {
  const { rows } = await pool.query<SavedReportRow>(
    `SELECT uuid, public_key, name, report_config, created_at::float8, pinned FROM ${reports}.reports
     WHERE NOT deleted ORDER BY public_key, uuid`,
  );
  return rows;
}

interface FoundReport {
  readonly public_key: string;
  /** The revision of the report's stream that the read model has applied. */
  readonly revision: number;
  /** Null: the report was deleted. */
  readonly report: SavedReportRow | null;
}

/** The report with a uuid, of any bot. Null: the read model has none, or none yet. */
export async function findSavedReport(
  { pool, reports }: SavedReportsSource,
  uuid: string,
): Promise<FoundReport | null> {
  const { rows } = await pool.query<SavedReportRow & { readonly deleted: boolean; readonly revision: number }>(
    `SELECT uuid, public_key, name, report_config, created_at::float8, pinned, deleted, revision FROM ${reports}.reports WHERE uuid = $1`,
    [uuid],
  );
  const found = rows[0];
  if (found === undefined) return null;
  const { deleted, revision, ...report } = found;
  return { public_key: report.public_key, revision, report: deleted ? null : report };
}
