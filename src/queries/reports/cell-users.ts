import { sql } from 'kysely';
import type { ReportCell } from '../../domain/reports/cell.ts';
import { fieldsNamed, type Report } from '../../domain/reports/report.ts';
import { funnelUsers } from './funnel.ts';
import { listUsers } from './list.ts';
import { retentionUsers } from './retention.ts';
import { openScan, type ScanOptions } from './scan.ts';
import { trendsUsers } from './trends.ts';

interface CellQuestion {
  /** A cell of the report's type. */
  readonly cell: ReportCell;
  /** Milliseconds since 1970 UTC. */
  readonly now: number;
}

/**
 * The ids of the users behind a cell of a report, ascending (decisions.md#report-cells).
 * @throws NoSuchCellError
 */
export async function cellUsers(report: Report, question: CellQuestion, options: ScanOptions): Promise<Float64Array> {
  if (report.type === 'list') return Float64Array.from(await listUsers(report, options)).sort();
  return idsOf(await indexesOf(report, question, options), options);
}

async function indexesOf(
  report: Exclude<Report, { type: 'list' }>,
  { cell, now }: CellQuestion,
  options: ScanOptions,
): Promise<readonly number[]> {
  const scan = await openScan(options, fieldsNamed(report));
  if (report.type === 'trends' && cell.type === 'trends') return trendsUsers(report, scan, cell);
  if (report.type === 'funnels' && cell.type === 'funnels') return funnelUsers(report, scan, { cell, now });
  if (report.type === 'retention' && cell.type === 'retention') return retentionUsers(report, scan, { cell, now });
  throw new TypeError(`a report of type ${report.type} has no cell of type ${cell.type}`);
}

/** The ids of users from their indexes among the bot's users. One row of bytes: a million rows would take seconds. */
async function idsOf(indexes: readonly number[], { snapshot, tables, botId }: ScanOptions): Promise<Float64Array> {
  const [row] = await snapshot.query(sql<{ readonly ids: Buffer | null }>`
    SELECT string_agg(int8send(user_id), '' ORDER BY user_id) AS ids FROM ${sql.id(tables.events, 'known_users')}
     WHERE bot_id = ${botId} AND idx = ANY(${`{${indexes.join()}}`}::int[])`);
  const bytes = row?.ids ?? Buffer.alloc(0);
  return Float64Array.from({ length: bytes.length / 8 }, (_, i) => Number(bytes.readBigInt64BE(8 * i)));
}
