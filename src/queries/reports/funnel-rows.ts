import { markedEvents } from '../../columns/event-filter.ts';
import { gatherTimelines } from '../../columns/timelines.ts';
import type { FunnelCell } from '../../domain/reports/cell.ts';
import {
  type Attempt,
  type FunnelTally,
  funnelTally,
  orderedFunnel,
  stateAt,
  unorderedFunnel,
} from '../../domain/reports/funnel.ts';
import type { FunnelReport } from '../../domain/reports/report.ts';
import type { Column, Row, Rows } from './answer.ts';
import { breakdownColumns, type CombinationTally, lineNamed, tallyByCombination } from './breakdown-cells.ts';
import { separatorCombinations } from './combination-keys.ts';
import { compileCondition, eventFilterOf } from './conditions.ts';
import type { Scan } from './scan.ts';

/** Runs a funnel over the timelines of a bot's users. `now`: milliseconds since 1970 UTC. */
export async function funnelRows(
  report: FunnelReport,
  scan: Scan,
  { now, limit }: { readonly now: number; readonly limit: number },
): Promise<Rows> {
  const { windowMs, period, steps } = report;
  const tallies = await tallyAttempts(report, scan, () => funnelTally(steps.length, { windowMs, to: period.to, now }));
  const rows = tallies.flatMap((tally) => stepRows(tally, report));
  return { columns: [...breakdownColumns(report), ...STEP_COLUMNS], rows: rows.slice(0, limit), total: rows.length };
}

/** The users of a cell, by their indexes. @throws NoSuchCellError */
export async function funnelUsers(
  report: FunnelReport,
  scan: Scan,
  { cell, now }: { readonly cell: FunnelCell; readonly now: number },
): Promise<readonly number[]> {
  const clock = { windowMs: report.windowMs, to: report.period.to, now };
  const tallies = await tallyAttempts(report, scan, () => {
    const users: number[] = [];
    return {
      users,
      add(attempt: Attempt, user: number) {
        if (stateAt(cell.step, attempt, clock) === cell.kind) users.push(user);
      },
    };
  });
  const lines = tallies.map(({ cells }) => cells);
  return tallies[lineNamed(cell.line, report.separators, lines)]!.tally.users;
}

/** Adds the best attempt of each user to the tally of the combination of its first event. */
async function tallyAttempts<T extends { add(attempt: Attempt, user: number): void }>(
  report: FunnelReport,
  scan: Scan,
  newTally: () => T,
): Promise<CombinationTally<T>[]> {
  const { filter, separators, period } = report;
  const common = filter && (await compileCondition(filter, scan));
  const filters = [];
  for (const step of report.steps) filters.push(await eventFilterOf(step, common, scan));
  const combinations = separators.length === 0 ? null : await separatorCombinations(separators, scan);
  const timelines = await gatherTimelines(scan, {
    columns: filters.flatMap(({ columns }) => columns),
    dated: true,
    // A strict funnel needs all events: any other event ends an attempt.
    select: markedEvents(filters, report.order === 'strict'),
    combinations,
  });
  const rules = { ...report, steps: report.steps.length };
  /** Gives the best attempt of each user, with the combination of its first event. */
  const attempts = (onBest: (attempt: Attempt, combination: number, user: number) => void) => {
    const fold = report.order === 'unordered' ? unorderedFunnel(rules) : orderedFunnel(rules);
    return timelines.each((timeline) => {
      const attempt = fold(timeline);
      if (attempt !== null) onBest(attempt, timeline.combinations[attempt.start] ?? 0, timeline.user);
    });
  };
  return tallyByCombination({ separators, timezone: period.timezone }, combinations, newTally, {
    volumes: (add) => attempts((_, combination) => add(combination)),
    tallies: (of) => attempts((attempt, combination, user) => of(combination).add(attempt, user)),
  });
}

const STEP_COLUMNS: readonly Column[] = [
  { key: 'step', label: 'Step', type: 'number' },
  { key: 'label', label: 'Label', type: 'string' },
  { key: 'users', label: 'Users', type: 'number' },
  { key: 'share_of_first', label: 'Share of first', type: 'number' },
  { key: 'share_of_previous', label: 'Share of previous', type: 'number' },
  { key: 'median_seconds', label: 'Median seconds', type: 'number' },
  { key: 'dropped', label: 'Dropped', type: 'number' },
  { key: 'in_progress', label: 'In progress', type: 'number' },
];

function stepRows({ cells, tally }: CombinationTally<FunnelTally>, { steps }: FunnelReport): Row[] {
  const counts = tally.steps();
  return counts.map(({ users, median_seconds, dropped, in_progress }, index) => ({
    ...cells,
    step: index + 1,
    label: steps[index]!.label,
    users,
    share_of_first: share(users, counts[0]!.users),
    share_of_previous: index === 0 ? 1 : share(users, counts[index - 1]!.users),
    median_seconds,
    dropped,
    in_progress,
  }));
}

/** A share of zero users is null (decisions.md#report-answers). */
function share(part: number, whole: number): number | null {
  return whole === 0 ? null : part / whole;
}
