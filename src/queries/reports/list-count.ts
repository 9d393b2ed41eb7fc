import type { ListReport, TrendsReport } from '../../domain/reports/report.ts';
import { fieldsNamed } from './fields-read.ts';
import { listCountSql } from './list-sql.ts';
import { runTrends } from './trends.ts';
import { openWalk, type WalkOptions } from './walk.ts';

/**
 * Counts the records of a list without its limit and offset. Events are counted as a table counts them, which walks
 * packed columns: SQL would read each row.
 */
export async function countRecords(report: ListReport, options: WalkOptions): Promise<number> {
  if (report.table === 'users') {
    const [row] = await options.snapshot.query(listCountSql(report, options));
    return row!.records;
  }
  const { period, filter } = report;
  const metric = { eventId: null, filter: null, label: '', measure: { type: 'count' } } as const;
  const table: TrendsReport = {
    type: 'trends',
    period,
    axis: null,
    metrics: [metric],
    filter,
    separators: [],
    utm: null,
  };
  const { rows } = await runTrends(table, await openWalk(options, fieldsNamed(table)), 1);
  return rows[0]!['value'] as number;
}
