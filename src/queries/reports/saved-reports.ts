import type pg from 'pg';

/** Where saved reports are: a pool, and the schema of their read model. */
export interface SavedReportsSource {
  readonly pool: pg.Pool;
  readonly reports: string;
}

export interface SavedReportRow {
  readonly uuid: string;
  /** Of the bot. */
  readonly public_key: string;
  readonly name: string;
  /** JSON text. */
  readonly report_config: string;
  /** Milliseconds since 1970 UTC. */
  readonly created_at: number;
}

/** The saved reports of bots, named by their public keys: newest first. Those of one millisecond by their uuids, which are made in order. */
export async function listSavedReports(
  { pool, reports }: SavedReportsSource,
  publicKeys: readonly string[],
): Promise<SavedReportRow[]> {
  const { rows } = await pool.query<SavedReportRow>(
    `SELECT uuid, public_key, name, report_config, created_at::float8 FROM ${reports}.reports
     WHERE public_key = ANY ($1) AND NOT deleted ORDER BY reports.created_at DESC, uuid DESC`,
    [publicKeys],
  );
  return rows;
}

export interface FoundReport {
  readonly public_key: string;
  /** Of its stream: how far the read model has followed it. */
  readonly revision: number;
  /** Null: it was deleted. */
  readonly report: SavedReportRow | null;
}

/** The report of a uuid, whichever bot's; null where the read model has none, or none yet. */
export async function findSavedReport(
  { pool, reports }: SavedReportsSource,
  uuid: string,
): Promise<FoundReport | null> {
  const { rows } = await pool.query<SavedReportRow & { readonly deleted: boolean; readonly revision: number }>(
    `SELECT uuid, public_key, name, report_config, created_at::float8, deleted, revision FROM ${reports}.reports WHERE uuid = $1`,
    [uuid],
  );
  const found = rows[0];
  if (found === undefined) return null;
  const { deleted, revision, ...report } = found;
  return { public_key: report.public_key, revision, report: deleted ? null : report };
}
