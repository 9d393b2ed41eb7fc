import type { FieldValue } from '../../domain/condition/predicate.ts';
import { largestCombinations } from '../../domain/reports/breakdown.ts';
import type { Metric, TrendsReport } from '../../domain/reports/report.ts';
import { type ColumnName, numbersOf } from '../../projections/events/packed/chunk.ts';
import type { Rows } from './answer.ts';
import { MAX_COMBINATIONS } from './combination-cells.ts';
import { linesBy, volumesOf, type WriteLines } from './combination-lines.ts';
import { type Combinations, combinationsOf } from './combinations.ts';
import { matcherOf } from './matcher.ts';
import { firstFrom, type Positions } from './positions.ts';
import { type Selector, selectorOf } from './selector.ts';
import { atLeast } from './slots.ts';
import { type Stretch, stretchesOf } from './stretches.ts';
import { bytesOfUser, type Tally, type TallySize, tallyOf, type ValueOf } from './tally.ts';
import { checkCells } from './too-large.ts';
import { trendsRows } from './trends-rows.ts';
import type { Walk } from './walk.ts';

/** Runs a trends report: first which combinations are shown, if there is a breakdown, then the metrics. */
export async function runTrends(report: TrendsReport, walk: Walk, limit: number): Promise<Rows> {
  const shared = report.filter && (await matcherOf(report.filter, walk));
  const selected: Selected[] = [];
  for (const [index, metric] of report.metrics.entries()) {
    // Events of one type, or all, are looked for once for all metrics that want no more of them.
    const same = metric.filter === null && selected.find(({ alike }) => alike === metric.eventId);
    if (same) same.metrics.push(index);
    else {
      const alike = metric.filter === null ? metric.eventId : undefined;
      selected.push({ alike, metrics: [index], selector: await selectorOf(metric, shared, walk) });
    }
  }
  const combinations = report.separators.length === 0 ? null : await combinationsOf(report.separators, walk);
  const lines = combinations === null ? WHOLE : await linesOf(report, selected, combinations, walk);
  const values: ValueOf[] = [];
  const buckets = report.axis?.starts.length ?? 1;
  checkCells(report.metrics.length * ((lines.shown?.length ?? 1) + Number(lines.more)) * buckets);
  const size = { lines: lines.count, buckets, users: walk.users };
  for (const together of inGroups(report.metrics, size)) {
    const first = values.length;
    const tallies = together.map(({ measure }) => tallyOf(measure, size, walk.arrays));
    const measured = selected.flatMap(({ selector, metrics }) => {
      const own = tallies.filter((_, i) => metrics.includes(first + i));
      return own.length === 0 ? [] : [{ selector, tallies: own }];
    });
    await measure(report, measured, lines.by, walk);
    values.push(...tallies.map((tally) => tally.values()));
  }
  return trendsRows(report, { values, combinations: lines.shown, more: lines.more }, limit);
}

/** What some metrics, by their indexes, look for. */
interface Selected {
  readonly selector: Selector;
  readonly metrics: number[];
  /** The type of event, or all (null), where metrics want no more of them; else undefined. */
  readonly alike: number | null | undefined;
}

/** Metrics may remember something of each user: so much of it at once. */
const MOST_BYTES = 2 ** 27;

/** Metrics that are measured in one walk. */
function inGroups(metrics: readonly Metric[], size: TallySize): Metric[][] {
  const groups: Metric[][] = [];
  let room = 0;
  for (const metric of metrics) {
    const bytes = bytesOfUser(metric.measure, size) * size.users;
    if (groups.length === 0 || bytes > room) {
      groups.push([]);
      room = MOST_BYTES;
    }
    groups.at(-1)!.push(metric);
    room = Math.max(0, room - bytes);
  }
  return groups;
}

/** The combinations that are shown, each a line, and perhaps one more of all others. */
interface Lines {
  readonly count: number;
  /** Undefined without a breakdown. */
  readonly shown: readonly (readonly FieldValue[])[] | undefined;
  readonly more: boolean;
  /** Null without a breakdown. */
  readonly by: LinesBy | null;
}

interface LinesBy {
  readonly columns: readonly ColumnName[];
  readonly write: WriteLines;
}

const WHOLE: Lines = { count: 1, shown: undefined, more: false, by: null };

async function linesOf(
  report: TrendsReport,
  selected: readonly Selected[],
  combinations: Combinations,
  { events }: Walk,
): Promise<Lines> {
  const volumes = volumesOf(combinations);
  const columns = [...combinations.columns, ...selected.flatMap(({ selector }) => selector.columns)];
  await events.each(columns, (chunk, begin, end) => {
    for (const { selector, metrics } of selected) volumes.add(chunk, selector.on(chunk, begin, end), metrics.length);
  });
  const limit = report.utm?.combinations ?? MAX_COMBINATIONS;
  const { shown, more } = largestCombinations(combinations.values, volumes.total(), limit);
  const of = new Uint32Array(combinations.values.length).fill(shown.length);
  for (const [line, combination] of shown.entries()) of[combination] = line;
  const values = shown.map((combination) => combinations.values[combination]!);
  const by = { columns: combinations.columns, write: linesBy(combinations, of) };
  return { count: shown.length + 1, shown: values, more, by };
}

interface Measured {
  readonly selector: Selector;
  readonly tallies: readonly Tally[];
}

async function measure(
  { axis }: TrendsReport,
  measured: readonly Measured[],
  lines: LinesBy | null,
  { events }: Walk,
): Promise<void> {
  const columns = measured.flatMap(({ tallies, selector }) => [
    ...tallies.flatMap((tally) => tally.columns),
    ...selector.columns,
  ]);
  let linesAt = new Uint32Array(0);
  await events.each([...columns, ...(lines?.columns ?? [])], (chunk, begin, end) => {
    const stretches =
      axis === null ? [{ bucket: 0, end }] : stretchesOf(numbersOf(chunk, 'date'), { begin, end }, axis.starts);
    for (const { tallies, selector } of measured) {
      const positions = selector.on(chunk, begin, end);
      if (positions.length === 0) continue;
      if (lines !== null) {
        linesAt = atLeast(linesAt, positions.length);
        lines.write(chunk, positions, linesAt);
      }
      for (const tally of tallies) {
        tally.open(chunk);
        addStretches(tally, positions, stretches, lines === null ? null : linesAt);
      }
    }
  });
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
