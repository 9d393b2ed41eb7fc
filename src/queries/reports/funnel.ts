import { walkInAnyOrder } from '../../domain/reports/funnel-any-order.ts';
import type { Attempt } from '../../domain/reports/funnel-attempt.ts';
import { walkInOrder } from '../../domain/reports/funnel-in-order.ts';
import { type FunnelTally, funnelTally } from '../../domain/reports/funnel-tally.ts';
import type { FunnelReport } from '../../domain/reports/report.ts';
import type { Column, Row, Rows } from './answer.ts';
import { byCombination, type Part } from './by-combination.ts';
import { breakdownColumns } from './combination-cells.ts';
import { combinationsOf } from './combinations.ts';
import { matcherOf } from './matcher.ts';
import { hitsOf, selectorOf } from './selector.ts';
import { gatherTimelines } from './timelines.ts';
import type { Walk } from './walk.ts';

/** Runs a funnel over the timelines of a bot's users. `now`: milliseconds since 1970 UTC. */
export async function funnelRows(
  report: FunnelReport,
  walk: Walk,
  { now, limit }: { readonly now: number; readonly limit: number },
): Promise<Rows> {
  const { filter, separators, period, windowMs } = report;
  const shared = filter && (await matcherOf(filter, walk));
  const selectors = [];
  for (const step of report.steps) selectors.push(await selectorOf(step, shared, walk));
  const combinations = separators.length === 0 ? null : await combinationsOf(separators, walk);
  const timelines = await gatherTimelines(walk, {
    columns: selectors.flatMap(({ columns }) => columns),
    dated: true,
    // What is strict sees other events too.
    hits: hitsOf(selectors, report.order === 'strict'),
    combinations,
  });
  const rules = { ...report, steps: report.steps.length };
  /** With the combination of the event that each began with. */
  const attempts = (onBest: (attempt: Attempt, combination: number) => void) => {
    const best = report.order === 'unordered' ? walkInAnyOrder(rules) : walkInOrder(rules);
    return timelines.each((timeline) => {
      const attempt = best(timeline);
      if (attempt !== null) onBest(attempt, timeline.combinations[attempt.start] ?? 0);
    });
  };
  const parts = await byCombination(
    { separators, timezone: period.timezone },
    combinations,
    () => funnelTally(rules.steps, { windowMs, to: period.to, now }),
    {
      volumes: (add) => attempts((_, combination) => add(combination)),
      tallies: (of) => attempts((attempt, combination) => of(combination).add(attempt)),
    },
  );
  const rows = parts.flatMap((part) => stepRows(part, report));
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

function stepRows({ cells, tally }: Part<FunnelTally>, { steps }: FunnelReport): Row[] {
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

/** A share of nobody is null (decisions.md#report-answers). */
function share(part: number, whole: number): number | null {
  return whole === 0 ? null : part / whole;
}
