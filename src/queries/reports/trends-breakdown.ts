import type { FieldValue } from '../../domain/condition/predicate.ts';
import type { TrendsReport } from '../../domain/reports/report.ts';
import { type Chunk, type ColumnName, indexesOf } from '../../projections/events/packed/chunk.ts';
import { atLeast } from './array-pool.ts';
import { MAX_COMBINATIONS } from './breakdown.ts';
import type { Combinations } from './combinations.ts';
import type { EventFilter } from './event-filter.ts';
import type { Positions } from './positions.ts';
import type { Scan } from './scan.ts';
import { shownCombinations } from './shown-combinations.ts';

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

/**
 * Scans the events once to count those of each combination, and picks the largest combinations.
 * @param filters find the events of each metric; `metrics`: how many metrics share a filter
 */
export async function linesOf(
  report: TrendsReport,
  filters: readonly { readonly filter: EventFilter; readonly metrics: readonly number[] }[],
  combinations: Combinations,
  { events, team }: Scan,
): Promise<Lines> {
  const volumes = combinationVolumes(combinations);
  const columns = [...combinations.columns, ...filters.flatMap(({ filter }) => filter.columns)];
  await events.each(columns, (chunk, begin, end) => {
    for (const { filter, metrics } of filters)
      volumes.add(chunk, filter.positionsIn(chunk, begin, end), metrics.length);
  });
  const limit = report.utm?.combinations ?? MAX_COMBINATIONS;
  const { values, more, lineOf } = await shownCombinations(combinations, volumes.total(), { limit, team });
  return { count: values.length + 1, shown: values, more, finder: lineFinder(combinations, lineOf) };
}

/** Counts events by the number of their combination. */
interface CombinationVolumes {
  /** @param times how often to count each of the events at `positions` */
  add(chunk: Chunk, positions: Positions, times: number): void;
  total(): Float64Array;
}

/** Where a column of indexes alone decides the combination, the loop counts by index, and adds up combinations at the end. */
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
