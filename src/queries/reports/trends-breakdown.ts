import { atLeast } from '../../columns/array-pool.ts';
import { type Chunk, type ColumnName, indexesOf, numbersOf } from '../../columns/chunk.ts';
import type { Combinations } from '../../columns/combinations.ts';
import type { EventFilter } from '../../columns/event-filter.ts';
import { type CountTally, countTally } from '../../columns/measures/count.ts';
import { type BucketRange, bucketRanges, eachBucket, type Positions } from '../../columns/positions.ts';
import type { FieldValue } from '../../domain/condition/predicate.ts';
import type { Axis, TrendsReport } from '../../domain/reports/report.ts';
import { MAX_COMBINATIONS, shownCombinations } from './breakdown-cells.ts';
import type { Scan } from './scan.ts';

/**
 * The lines of a trends report: one for each combination that is shown, then one for all others, if there are any. Without
 * a breakdown there is one line.
 */
export interface Lines {
  readonly count: number;
  /** The values of the combinations that are shown; undefined without a breakdown. */
  readonly shown: readonly (readonly FieldValue[])[] | undefined;
  /** Whether there are more combinations than are shown. */
  readonly more: boolean;
  /** Finds the lines of events; null without a breakdown. */
  readonly finder: LineFinder | null;
}

export interface LineFinder {
  readonly columns: readonly ColumnName[];
  /** Writes the line of each of the events at `positions`. */
  write(chunk: Chunk, positions: Positions, into: Uint32Array): void;
}

export const ONE_LINE: Lines = { count: 1, shown: undefined, more: false, finder: null };

/** A filter, and how many metrics share it. */
interface CountedFilter {
  readonly filter: EventFilter;
  readonly metrics: readonly unknown[];
}

/** Scans the events once to count each combination's events, and picks the largest combinations. */
export async function linesOf(
  report: TrendsReport,
  filters: readonly CountedFilter[],
  combinations: Combinations,
  { events }: Scan,
): Promise<Lines> {
  const volumes = combinationVolumes(combinations);
  const columns = [...combinations.columns, ...filters.flatMap(({ filter }) => filter.columns)];
  await events.each(columns, (chunk, begin, end) => {
    for (const { filter, metrics } of filters)
      volumes.add(chunk, filter.positionsIn(chunk, begin, end), metrics.length);
  });
  return linesFrom(report, combinations, volumes.total());
}

function linesFrom(
  report: TrendsReport,
  combinations: Combinations,
  volumes: Float64Array,
): Lines & { readonly lineOf: Uint32Array } {
  const limit = report.utm?.combinations ?? MAX_COMBINATIONS;
  const { values, more, lineOf } = shownCombinations(combinations, volumes, limit);
  return { count: values.length + 1, shown: values, more, finder: lineFinder(combinations, lineOf), lineOf };
}

/** The events of a chunk by bucket; without an axis, all are in one. */
export function rangesOf(
  axis: Axis | null,
  chunk: Chunk,
  span: { readonly begin: number; readonly end: number },
): readonly BucketRange[] {
  return axis === null ? [{ bucket: 0, end: span.end }] : bucketRanges(numbersOf(chunk, 'date'), span, axis.starts);
}

/** Counts events by the number of their combination. */
interface CombinationVolumes {
  /** @param times how often to count each of the events at `positions` */
  add(chunk: Chunk, positions: Positions, times: number): void;
  total(): Float64Array;
}

/**
 * Where one column of indexes decides the combination, the loop counts by index, and adds up combinations at the end.
 */
function combinationVolumes(combinations: Combinations): CombinationVolumes {
  const { byIndex } = combinations;
  if (byIndex !== null) {
    const { column, numbers } = byIndex;
    const counts = new Float64Array(numbers.length);
    return {
      add(chunk, positions, times) {
        const indexes = indexesOf(chunk, column);
        for (let i = 0; i < positions.length; i++) counts[indexes[positions[i]!]!]! += times;
      },
      total() {
        const volumes = new Float64Array(combinations.values.length);
        for (let index = 0; index < counts.length; index++) volumes[numbers[index]!]! += counts[index]!;
        return volumes;
      },
    };
  }
  let volumes = new Float64Array(1024);
  let numbers = new Uint32Array(0);
  return {
    add(chunk, positions, times) {
      numbers = atLeast(numbers, positions.length);
      combinations.number(chunk, positions, numbers);
      volumes = atLeast(volumes, combinations.values.length);
      for (let i = 0; i < positions.length; i++) volumes[numbers[i]!]! += times;
    },
    total: () => volumes,
  };
}

/** @param lineOf by the number of a combination */
function lineFinder(combinations: Combinations, lineOf: Uint32Array): LineFinder {
  const { byIndex, columns } = combinations;
  if (byIndex !== null) {
    const { column, numbers } = byIndex;
    const lineAt = numbers.map((number) => lineOf[number]!);
    return {
      columns,
      write(chunk, positions, into) {
        const indexes = indexesOf(chunk, column);
        for (let i = 0; i < positions.length; i++) into[i] = lineAt[indexes[positions[i]!]!]!;
      },
    };
  }
  return {
    columns,
    write(chunk, positions, into) {
      combinations.number(chunk, positions, into);
      for (let i = 0; i < positions.length; i++) into[i] = lineOf[into[i]!]!;
    },
  };
}

/** More counts than these take more memory than a second scan is worth. */
const MAX_COUNTS = 2 ** 20;

/**
 * Counts the events of a filter by combination and bucket, and picks the largest combinations: one scan in place of two, for
 * reports that only count. Null: there are too many combinations for that.
 */
export async function countedLines(
  report: TrendsReport,
  { filter, metrics }: CountedFilter,
  combinations: Combinations,
  { events }: Scan,
): Promise<{ readonly lines: Lines; readonly tally: CountTally } | null> {
  const buckets = report.axis?.starts.length ?? 1;
  const counts = Array.from({ length: buckets }, () => new Float64Array(0));
  let numbers = new Uint32Array(0);
  let isTooMuch = false;
  await events.each([...combinations.columns, ...filter.columns], (chunk, begin, end) => {
    if (isTooMuch) return;
    const positions = filter.positionsIn(chunk, begin, end);
    numbers = atLeast(numbers, positions.length);
    combinations.number(chunk, positions, numbers);
    isTooMuch = combinations.values.length * buckets > MAX_COUNTS;
    if (isTooMuch) return;
    eachBucket(positions, rangesOf(report.axis, chunk, { begin, end }), (bucket, from, to) => {
      const inBucket = atLeast(counts[bucket]!, combinations.values.length);
      counts[bucket] = inBucket;
      for (let i = from; i < to; i++) inBucket[numbers[i]!]!++;
    });
  });
  if (isTooMuch) return null;
  const volumes = new Float64Array(combinations.values.length);
  for (const inBucket of counts)
    for (let number = 0; number < inBucket.length; number++) volumes[number]! += inBucket[number]! * metrics.length;
  const { lineOf, ...lines } = linesFrom(report, combinations, volumes);
  const tally = countTally({ lines: lines.count, buckets });
  for (const [bucket, inBucket] of counts.entries())
    for (let number = 0; number < volumes.length; number++)
      if (inBucket[number]! > 0) tally.addMany(bucket, lineOf[number]!, inBucket[number]!);
  return { lines, tally };
}
