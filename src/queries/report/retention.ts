import { isoWithOffset } from '../../domain/local-time.ts';
import type { RetentionReport } from '../../domain/report/report.ts';
import { type RetentionTally, retentionTally } from '../../domain/report/retention-tally.ts';
import { type Returns, walkRetention } from '../../domain/report/retention-walk.ts';
import { namedFields, selects, type TimelineEvent } from '../../domain/report/timeline.ts';
import type { Column, Row, Rows } from './answer.ts';
import { byCombination, type Part } from './by-combination.ts';
import type { ReportTables } from './columns.ts';
import { breakdownColumns } from './combination-cells.ts';
import type { Stream } from './snapshot.ts';
import { retentionEventsSql, timelineSql } from './timeline-sql.ts';
import { walkTimelines } from './walk-timelines.ts';

/** Runs retention over the timelines of a bot's users. `now`: milliseconds since 1970 UTC. */
export async function retentionRows(
  report: RetentionReport,
  { stream, ...source }: { readonly botId: number; readonly tables: ReportTables; readonly stream: Stream },
  { now, limit }: { readonly now: number; readonly limit: number },
): Promise<Rows> {
  const { start, returning, filter, separators, period, calendar } = report;
  const fields = namedFields(
    [filter, start.filter, returning.filter],
    separators.map(({ field }) => field),
  );
  const timelines = timelineSql({ ...source, fields }, retentionEventsSql(report));
  const isStart = selects(start, filter, fields);
  const isReturn = selects(returning, filter, fields);
  const users = (onUser: (returns: Returns<TimelineEvent>) => void) =>
    walkTimelines(stream, timelines, fields, () => {
      const walk = walkRetention<TimelineEvent>(report);
      return {
        take: (event) => walk.take(event, { start: isStart(event), returning: isReturn(event) }),
        end: () => onUser(walk.returns()),
      };
    });

  const parts = await byCombination(
    { separators, fields, timezone: period.timezone },
    () => retentionTally(calendar, now),
    {
      volumes: (add) =>
        users(({ memberships }) => {
          for (const { start } of memberships) add(start);
        }),
      tallies: (of) =>
        users(({ memberships, returned }) => {
          for (const membership of memberships) of(membership.start).add(membership, returned);
        }),
    },
  );
  const columns = [...breakdownColumns(report), ...cohortColumns(calendar.intervals)];
  return { columns, rows: cohortRows(parts, report, limit), total: parts.length * calendar.cohorts };
}

function cohortColumns(intervals: number): Column[] {
  const cells = Array.from({ length: intervals }, (_, cell): Column[] => [
    { key: `users_${cell}`, label: `Users ${cell}`, type: 'number' },
    { key: `share_${cell}`, label: `Share ${cell}`, type: 'number' },
  ]);
  return [
    { key: 'cohort', label: 'Cohort', type: 'date' },
    { key: 'size', label: 'Size', type: 'number' },
    ...cells.flat(),
  ];
}

/** Makes no more rows than are asked for: 10,000 cohorts of 366 intervals are many cells. */
function cohortRows(
  parts: readonly Part<RetentionTally>[],
  { calendar, period }: RetentionReport,
  limit: number,
): Row[] {
  const rows: Row[] = [];
  for (const { cells, tally } of parts) {
    for (let cohort = 0; cohort < calendar.cohorts; cohort += 1) {
      if (rows.length >= limit) return rows;
      const { size, users } = tally.cohort(cohort);
      const row: Record<string, Row[string]> = { ...cells };
      row['cohort'] = isoWithOffset(calendar.starts[cohort]!, period.timezone);
      row['size'] = size;
      for (const [cell, count] of users.entries()) {
        row[`users_${cell}`] = count;
        row[`share_${cell}`] = count === null || size === 0 ? null : count / size;
      }
      rows.push(row);
    }
  }
  return rows;
}
