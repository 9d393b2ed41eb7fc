import { sql } from 'kysely';
import type pg from 'pg';
import { type Snapshot, snapshotPages } from '../../database/snapshot.ts';
import type { Sources } from '../../domain/sources.ts';
import type { EventLog } from '../../log/port.ts';
import type { Reader } from '../../projections/reader.ts';
import { readModelLagMs } from '../../projections/runtime/read-model-lag.ts';
import type { ExportKind } from '../../queries/export/columns.ts';
import { exportRows, TABLES_READ } from '../../queries/export/export-rows.ts';
import type { ExportRequest, ExportTables } from '../../queries/export/export-source.ts';
import { type ExportFormat, formatted } from '../../queries/export/formats.ts';
import type { CsvForm } from '../../util/csv.ts';
import { withFirst } from './with-first.ts';

export interface OpenExportOptions extends Omit<ExportRequest, 'tables'> {
  readonly kind: ExportKind;
  readonly format: ExportFormat;
  /** Of CSV. */
  readonly form: CsvForm;
  readonly db: Reader;
  /** The connections of the export. */
  readonly pool: pg.Pool;
  readonly log: EventLog;
  readonly sources: Pick<Sources, 'now'>;
  /** Rows that are read and formatted in one go. */
  readonly pageRows: number;
  /** Ends the export: later reads reject. */
  readonly signal: AbortSignal;
}

export interface OpenedExport {
  /** The export has all that was received up to then; milliseconds since 1970 UTC. */
  readonly dataAsOf: number;
  /** The caller must read them to the end, or `return()`: until then a connection and a snapshot are held. */
  readonly parts: AsyncIterableIterator<Uint8Array>;
  /** Rows in the parts so far. */
  readonly rows: () => number;
}

/**
 * Begins an export: one snapshot for all its rows. The first part is read before this resolves, so a database that is down is an
 * error here.
 */
export async function openExport(options: OpenExportOptions): Promise<OpenedExport> {
  const { kind, format, form, db, pool, log, sources, bot, period, pageRows, signal } = options;
  const now = sources.now();
  const { pool: lookups, ...schemas } = await db.at(...TABLES_READ[kind]);
  const tables: ExportTables = schemas; // the export reads no others
  const lagMs = await readModelLagMs(log, lookups, Object.values(tables), [bot.public_key]);
  let deferredSince: number | null = null;
  let rows = 0;

  async function* read(snapshot: Snapshot): AsyncGenerator<Uint8Array> {
    if (kind === 'events') deferredSince = await oldestDeferred(snapshot, { tables, bot, period });
    const exported = exportRows(kind, await snapshot.transaction(), { tables, bot, period }, pageRows);
    async function* counted() {
      for await (const page of exported.pages) {
        rows += page.length;
        yield page;
      }
    }
    yield* formatted(format, { columns: exported.columns, pages: counted() }, form);
  }

  const parts = snapshotPages(pool, { cancel: { signal, others: lookups }, settings: SETTINGS }, read);
  const first = await parts.next();
  return {
    dataAsOf: Math.min(now - lagMs, deferredSince ?? now),
    parts: withFirst(first, parts),
    rows: () => rows,
  };
}

/** The last: how often the server looks whether the client is still there while a statement runs. */
export const SETTINGS = "SET LOCAL jit = off; SET LOCAL client_connection_check_interval = '5s'";

/** When the oldest change was received after which amounts of these events await revaluation; null: there is none. */
async function oldestDeferred({ query }: Snapshot, { tables, bot, period }: ExportRequest): Promise<number | null> {
  const rows = await query(sql<{ readonly since: number | null }>`
    SELECT since::float8 FROM ${sql.id(tables.events, 'deferred_events')}(${bot.bot_id}::int,
      ${period.from ?? Number.MIN_SAFE_INTEGER}::bigint, ${period.to ?? Number.MAX_SAFE_INTEGER}::bigint, false)`);
  return rows[0]?.since ?? null;
}
