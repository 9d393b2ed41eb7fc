import { isoWithOffset } from '../../domain/local-time.ts';
import type { RetentionReport } from '../../domain/reports/report.ts';
import { type RetentionTally, retentionTally } from '../../domain/reports/retention-tally.ts';
import {
  OF_INTERVAL,
  RETURN,
  type Returns,
  START,
  STARTED_BEFORE,
  walkRetention,
} from '../../domain/reports/retention-walk.ts';
import { numbersOf } from '../../projections/events/packed/chunk.ts';
import type { Column, Row, Rows } from './answer.ts';
import { byCombination, type Part } from './by-combination.ts';
import { breakdownColumns } from './combination-cells.ts';
import { combinationsOf } from './combinations.ts';
import type { Span } from './event-source.ts';
import { matcherOf } from './matcher.ts';
import { firstFrom, type Positions } from './positions.ts';
import { type Selector, selectorOf } from './selector.ts';
import { stretchesOf } from './stretches.ts';
import { gatherTimelines } from './timelines.ts';
import { checkCells } from './too-large.ts';
import type { Walk } from './walk.ts';

/** Runs retention over the timelines of a bot's users. `now`: milliseconds since 1970 UTC. */
export async function retentionRows(
  report: RetentionReport,
  walk: Walk,
  { now, limit }: { readonly now: number; readonly limit: number },
): Promise<Rows> {
  const { filter, separators, period, calendar } = report;
  const shared = filter && (await matcherOf(filter, walk));
  const start = await selectorOf(report.start, shared, walk);
  const returning = await selectorOf(report.returning, shared, walk);
  const combinations = separators.length === 0 ? null : await combinationsOf(separators, walk);
  const { starts, returns } = spansOf(report);
  const timelines = await gatherTimelines(walk, {
    columns: [...start.columns, ...returning.columns],
    dated: false,
    // In the order of the intervals: within one it does not matter.
    hits(chunk, begin, end, add) {
      const dates = numbersOf(chunk, 'date');
      const started = found(start, starts);
      const returned = found(returning, returns);
      let [s, r] = [firstFrom(started, firstFrom(dates, period.from)), 0];
      if (s > 0) add(started.subarray(0, s), STARTED_BEFORE);
      for (const stretch of stretchesOf(dates, { begin, end }, calendar.starts)) {
        const mark = stretch.bucket * OF_INTERVAL;
        const [nextS, nextR] = [firstFrom(started, stretch.end), firstFrom(returned, stretch.end)];
        if (nextS > s) add(started.subarray(s, nextS), mark + START);
        if (nextR > r) add(returned.subarray(r, nextR), mark + RETURN);
        [s, r] = [Math.max(s, nextS), nextR];
      }

      function found(selector: Selector, { from, to }: Span): Positions {
        return selector.on(chunk, Math.max(begin, firstFrom(dates, from)), Math.min(end, firstFrom(dates, to)));
      }
    },
    combinations,
  });
  /** With the combination of the event that made a user one of a cohort. */
  const members = (onMember: (cohort: number, did: Returns, combination: number) => void) => {
    const walkUser = walkRetention(report.retention, calendar);
    return timelines.each((timeline) => {
      const did = walkUser(timeline);
      for (let i = 0; i < did.memberships; i++)
        onMember(did.cohorts[i]!, did, timeline.combinations[did.starts[i]!] ?? 0);
    });
  };

  const columns = [...breakdownColumns(report), ...cohortColumns(calendar.intervals)];
  let cells = 0;
  const parts = await byCombination(
    { separators, timezone: period.timezone },
    combinations,
    () => {
      cells += calendar.cohorts * columns.length;
      checkCells(cells);
      return retentionTally(calendar, now);
    },
    {
      volumes: (add) => members((_cohort, _did, combination) => add(combination)),
      tallies: (of) => members((cohort, did, combination) => of(combination).add(cohort, did)),
    },
  );
  return { columns, rows: cohortRows(parts, report, limit), total: parts.length * calendar.cohorts };
}

/** Of all events that count. */
export function retentionSpan(report: RetentionReport): Span {
  const { starts, returns } = spansOf(report);
  return { from: Math.min(starts.from, returns.from), to: Math.max(starts.to, returns.to) };
}

/** Starts in the period, for first starts ever those before it too, and returns in all intervals. */
function spansOf({ retention, period, calendar }: RetentionReport): { readonly starts: Span; readonly returns: Span } {
  return {
    starts: { from: retention === 'retention_first_time_ever' ? EARLIEST : period.from, to: period.to },
    returns: { from: calendar.starts[0]!, to: calendar.starts.at(-1)! },
  };
}

/** Before all dates. */
const EARLIEST = Number.MIN_SAFE_INTEGER;

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
