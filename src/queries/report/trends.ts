import type { FieldValue } from '../../domain/condition/predicate.ts';
import { largestCombinations } from '../../domain/report/breakdown.ts';
import type { TrendsReport } from '../../domain/report/report.ts';
import { type Chunk, numbersOf } from '../../projections/events/packed/chunk.ts';
import type { Rows } from './answer.ts';
import { MAX_COMBINATIONS } from './combination-cells.ts';
import { type Combinations, combinationsOf } from './combinations.ts';
import { matcherOf } from './matcher.ts';
import { firstFrom, type Positions } from './positions.ts';
import { type Selector, selectorOf } from './selector.ts';
import { type Tally, tallyOf } from './tally.ts';
import { trendsRows } from './trends-rows.ts';
import type { Walk } from './walk.ts';

/** Runs a trends report: first which combinations are shown, if there is a breakdown, then the metrics. */
export async function runTrends(report: TrendsReport, walk: Walk, limit: number): Promise<Rows> {
  const shared = report.filter && (await matcherOf(report.filter, walk));
  const selectors: Selector[] = [];
  for (const metric of report.metrics) selectors.push(await selectorOf(metric, shared, walk));
  const combinations = report.separators.length === 0 ? null : await combinationsOf(report.separators, walk);
  const lines = combinations === null ? WHOLE : await linesOf(report, selectors, combinations, walk);
  const tallies: Tally[] = [];
  const buckets = report.axis?.starts.length ?? 1;
  const together = Math.max(1, Math.floor(MOST_USERS / Math.max(1, walk.users)));
  for (let first = 0; first < report.metrics.length; first += together) {
    const some = report.metrics.slice(first, first + together).map(({ measure }, i) => ({
      tally: tallyOf(measure, { lines: lines.count, buckets, users: walk.users }),
      selector: selectors[first + i]!,
    }));
    await measure(report, some, lines.of === null ? null : { combinations: combinations!, of: lines.of }, walk);
    tallies.push(...some.map(({ tally }) => tally));
  }
  return trendsRows(report, { tallies, combinations: lines.shown, more: lines.more }, limit);
}

/** Each metric may remember something of each user: of so many users and metrics at once. */
const MOST_USERS = 2 ** 24;

/** The combinations that are shown, each a line, and perhaps one more of all others. */
interface Lines {
  readonly count: number;
  /** Undefined without a breakdown. */
  readonly shown: readonly (readonly FieldValue[])[] | undefined;
  readonly more: boolean;
  /** By the number of a combination; null without a breakdown. */
  readonly of: Uint32Array | null;
}

const WHOLE: Lines = { count: 1, shown: undefined, more: false, of: null };

async function linesOf(
  report: TrendsReport,
  selectors: readonly Selector[],
  combinations: Combinations,
  { events }: Walk,
): Promise<Lines> {
  const volumes: number[] = [];
  const columns = [...combinations.columns, ...selectors.flatMap((selector) => selector.columns)];
  await events.each(columns, (chunk, begin, end) => {
    const combinationAt = combinations.on(chunk);
    for (const selector of selectors)
      for (const at of selector.on(chunk, begin, end)) {
        const combination = combinationAt(at);
        volumes[combination] = (volumes[combination] ?? 0) + 1;
      }
  });
  const limit = report.utm?.combinations ?? MAX_COMBINATIONS;
  const { shown, more } = largestCombinations(combinations.values, volumes, limit);
  const of = new Uint32Array(combinations.values.length).fill(shown.length);
  for (const [line, combination] of shown.entries()) of[combination] = line;
  const values = shown.map((combination) => combinations.values[combination]!);
  return { count: shown.length + 1, shown: values, more, of };
}

interface Measured {
  readonly tally: Tally;
  readonly selector: Selector;
}

async function measure(
  { axis }: TrendsReport,
  measured: readonly Measured[],
  lines: { readonly combinations: Combinations; readonly of: Uint32Array } | null,
  { events }: Walk,
): Promise<void> {
  const columns = measured.flatMap(({ tally, selector }) => [...tally.columns, ...selector.columns]);
  let linesAt = new Uint32Array(0);
  await events.each([...columns, ...(lines?.combinations.columns ?? [])], (chunk, begin, end) => {
    const stretches = axis === null ? [{ bucket: 0, end }] : stretchesOf(chunk, { begin, end }, axis.starts);
    const combinationAt = lines?.combinations.on(chunk);
    for (const { tally, selector } of measured) {
      const positions = selector.on(chunk, begin, end);
      if (positions.length === 0) continue;
      tally.open(chunk);
      if (combinationAt !== undefined) {
        if (linesAt.length < positions.length) linesAt = new Uint32Array(2 * positions.length);
        for (let i = 0; i < positions.length; i++) linesAt[i] = lines!.of[combinationAt(positions[i]!)]!;
      }
      addStretches(tally, positions, stretches, combinationAt === undefined ? null : linesAt);
    }
  });
}

/** Events of a chunk, up to before `end`, that are of one bucket. */
interface Stretch {
  readonly bucket: number;
  readonly end: number;
}

function stretchesOf(
  chunk: Chunk,
  { begin, end }: { readonly begin: number; readonly end: number },
  starts: readonly number[],
): Stretch[] {
  const dates = numbersOf(chunk, 'date');
  const stretches: Stretch[] = [];
  for (let at = begin; at < end; ) {
    const next = firstFrom(starts, dates[at]! + 1);
    at = next === starts.length ? end : Math.min(end, firstFrom(dates, starts[next]!));
    stretches.push({ bucket: next - 1, end: at });
  }
  return stretches;
}

function addStretches(
  tally: Tally,
  positions: Positions,
  stretches: readonly Stretch[],
  lines: Uint32Array | null,
): void {
  let from = 0;
  for (const { bucket, end } of stretches) {
    const to = firstFrom(positions, end);
    if (from < to) tally.add(bucket, positions, lines, from, to);
    from = to;
  }
}
