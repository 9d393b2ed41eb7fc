import {
  type Attempt,
  type FunnelTally,
  funnelTally,
  orderedFunnel,
  unorderedFunnel,
} from '../../domain/reports/funnel.ts';
import type { FunnelReport } from '../../domain/reports/report.ts';
import type { Column, Row, Rows } from './answer.ts';
import { breakdownColumns, type CombinationTally, tallyByCombination } from './breakdown.ts';
import { combinationsOf } from './combinations.ts';
import { compileCondition } from './compiled-condition.ts';
import { eventFilterOf, markedEvents } from './event-filter.ts';
import type { Scan } from './scan.ts';
import { gatherTimelines } from './timelines.ts';

/** Runs a funnel over the timelines of a bot's users. `now`: milliseconds since 1970 UTC. */
export async function funnelRows(
  report: FunnelReport,
  scan: Scan,
  { now, limit }: { readonly now: number; readonly limit: number },
): Promise<Rows> {
  const { filter, separators, period, windowMs } = report;
  const common = filter && (await compileCondition(filter, scan));
  const filters = [];
  for (const step of report.steps) filters.push(await eventFilterOf(step, common, scan));
  const combinations = separators.length === 0 ? null : await combinationsOf(separators, scan);
  const timelines = await gatherTimelines(scan, {
    columns: filters.flatMap(({ columns }) => columns),
    dated: true,
    // A strict funnel needs all events: any other event ends an attempt.
    select: markedEvents(filters, report.order === 'strict'),
    combinations,
  });
  const rules = { ...report, steps: report.steps.length };
  /** Gives the best attempt of each user, with the combination of its first event. */
  const attempts = (onBest: (attempt: Attempt, combination: number) => void) => {
    const fold = report.order === 'unordered' ? unorderedFunnel(rules) : orderedFunnel(rules);
    return timelines.each((timeline) => {
      const attempt = fold(timeline);
      if (attempt !== null) onBest(attempt, timeline.combinations[attempt.start] ?? 0);
    });
  };
  const tallies = await tallyByCombination(
    { separators, timezone: period.timezone },
    combinations,
    () => funnelTally(rules.steps, { windowMs, to: period.to, now }),
    {
      volumes: (add) => attempts((_, combination) => add(combination)),
      tallies: (of) => attempts((attempt, combination) => of(combination).add(attempt)),
    },
  );
  const rows = tallies.flatMap((tally) => stepRows(tally, report));
  return { columns: [...breakdownColumns(report), ...STEP_COLUMNS], rows: rows.slice(0, limit), total: rows.length };
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
