import { numbersOf } from '../../columns/chunk.ts';
import type { EventFilter } from '../../columns/event-filter.ts';
import { bucketRanges, firstFrom, type Positions } from '../../columns/positions.ts';
import { gatherTimelines } from '../../columns/timelines.ts';
import { isoWithOffset } from '../../domain/local-time.ts';
import type { RetentionCell } from '../../domain/reports/cell.ts';
import type { RetentionReport } from '../../domain/reports/report.ts';
import {
  hasReturned,
  PER_INTERVAL,
  RETURN,
  type RetentionTally,
  retentionFold,
  retentionTally,
  START,
  STARTED_BEFORE,
  type UserRetention,
} from '../../domain/reports/retention.ts';
import { type Column, checkCells, type Row, type Rows } from './answer.ts';
import {
  breakdownColumns,
  type CombinationTally,
  lineNamed,
  NoSuchCellError,
  tallyByCombination,
} from './breakdown-cells.ts';
import { separatorCombinations } from './combination-keys.ts';
import { compileCondition, eventFilterOf } from './conditions.ts';
import type { Scan } from './scan.ts';
import type { Span } from './stored-events.ts';

/** Runs retention over the timelines of a bot's users. `now`: milliseconds since 1970 UTC. */
export async function retentionRows(
  report: RetentionReport,
  scan: Scan,
  { now, limit }: { readonly now: number; readonly limit: number },
): Promise<Rows> {
  const { calendar } = report;
  const columns = [...breakdownColumns(report), ...cohortColumns(calendar.intervals)];
  let cells = 0;
  const tallies = await tallyMembers(report, scan, () => {
    cells += calendar.cohorts * columns.length;
    checkCells(cells);
    return retentionTally(calendar, now);
  });
  return { columns, rows: cohortRows(tallies, report, limit), total: tallies.length * calendar.cohorts };
}

/** The users of a cell, by their indexes. @throws NoSuchCellError */
export async function retentionUsers(
  report: RetentionReport,
  scan: Scan,
  { cell, now }: { readonly cell: RetentionCell; readonly now: number },
): Promise<readonly number[]> {
  const { cohort: asked, interval } = cell;
  if (interval !== null && report.calendar.starts[asked + interval]! > now)
    throw new NoSuchCellError('interval', 'the interval has not begun');
  const tallies = await tallyMembers(report, scan, () => {
    const users: number[] = [];
    return {
      users,
      add(cohort: number, user: UserRetention, index: number) {
        if (cohort === asked && (interval === null || hasReturned(user, cohort, interval))) users.push(index);
      },
    };
  });
  const lines = tallies.map(({ cells }) => cells);
  return tallies[lineNamed(cell.line, report.separators, lines)]!.tally.users;
}

/** Adds each member of each cohort to the tally of the combination of the event that made the user a member. */
async function tallyMembers<T extends { add(cohort: number, user: UserRetention, index: number): void }>(
  report: RetentionReport,
  scan: Scan,
  newTally: () => T,
): Promise<CombinationTally<T>[]> {
  const { filter, separators, period, calendar } = report;
  const common = filter && (await compileCondition(filter, scan));
  const start = await eventFilterOf(report.start, common, scan);
  const returning = await eventFilterOf(report.returning, common, scan);
  const combinations = separators.length === 0 ? null : await separatorCombinations(separators, scan);
  const { starts, returns } = spansOf(report);
  const timelines = await gatherTimelines(scan, {
    columns: [...start.columns, ...returning.columns],
    dated: false,
    // Adds events in the order of the intervals. Within an interval, the order of starts and returns does not matter.
    select(chunk, begin, end, add) {
      const dates = numbersOf(chunk, 'date');
      const started = found(start, starts);
      const returned = found(returning, returns);
      /** The next start and the next return to add. */
      let [s, r] = [firstFrom(started, firstFrom(dates, period.from)), 0];
      if (s > 0) add(started.subarray(0, s), STARTED_BEFORE);
      for (const range of bucketRanges(dates, { begin, end }, calendar.starts)) {
        const mark = range.bucket * PER_INTERVAL;
        const [nextS, nextR] = [firstFrom(started, range.end), firstFrom(returned, range.end)];
        if (nextS > s) add(started.subarray(s, nextS), mark + START);
        if (nextR > r) add(returned.subarray(r, nextR), mark + RETURN);
        [s, r] = [Math.max(s, nextS), nextR];
      }

      function found(events: EventFilter, { from, to }: Span): Positions {
        return events.positionsIn(chunk, Math.max(begin, firstFrom(dates, from)), Math.min(end, firstFrom(dates, to)));
      }
    },
    combinations,
  });
  /** Gives each member of each cohort, with the combination of the event that made the user a member. */
  const members = (onMember: (cohort: number, user: UserRetention, combination: number, index: number) => void) => {
    const fold = retentionFold(report.retention, calendar);
    return timelines.each((timeline) => {
      const user = fold(timeline);
      for (let i = 0; i < user.memberships; i++)
        onMember(user.cohorts[i]!, user, timeline.combinations[user.starts[i]!] ?? 0, timeline.user);
    });
  };
  return tallyByCombination({ separators, timezone: period.timezone }, combinations, newTally, {
    volumes: (add) => members((_cohort, _user, combination) => add(combination)),
    tallies: (of) => members((cohort, user, combination, index) => of(combination).add(cohort, user, index)),
  });
}

/** The dates of all events that count. */
export function retentionSpan(report: RetentionReport): Span {
  const { starts, returns } = spansOf(report);
  return { from: Math.min(starts.from, returns.from), to: Math.max(starts.to, returns.to) };
}

/** The dates of starts: in the period, and for first starts ever also before it. The dates of returns: in all intervals. */
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

/** Makes at most `limit` rows: 10,000 cohorts of 366 intervals would be many cells. */
function cohortRows(
  tallies: readonly CombinationTally<RetentionTally>[],
  { calendar, period }: RetentionReport,
  limit: number,
): Row[] {
  const rows: Row[] = [];
  for (const { cells, tally } of tallies) {
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
