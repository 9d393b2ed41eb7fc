import type { Value } from '../api.ts';

/** A line, area or row of columns of a chart. */
export interface Series {
  readonly label: string;
  /** Values in the order of the times; null: none. Decimals beyond a float's digits are drawn as the nearest float, and told exactly. */
  readonly values: readonly (Value | undefined)[];
  /** Of the period before: thin and broken, beside the series `of`. */
  readonly of?: number;
  /** Begins hidden; in the legend it can be shown. */
  readonly hidden?: boolean;
  /** The value holds until the next time. */
  readonly stepped?: boolean;
  /** The message of the chart: drawn thick, and named at its end. */
  readonly isMain?: boolean;
}

export interface ChartData {
  /** Times as the answer has them, in the bot's zone; of `steps` their names. */
  readonly times: readonly string[];
  readonly series: readonly Series[];
  readonly shape: 'line' | 'area' | 'bar';
  /** The series are parts of a whole: they stand on each other. */
  readonly isStacked?: boolean;
  /** The index of the time that is not over; -1 or absent: all are. */
  readonly running?: number;
  /** The times are days: Saturdays and Sundays are darker. */
  readonly hasDays?: boolean;
  /** A time that a line across the chart marks. */
  readonly mark?: string | undefined;
  /** Indexes of times that have a flag. */
  readonly flagged?: readonly number[];
  /** Further texts of the tip, by the index of their time. */
  readonly notes?: Readonly<Record<number, string>>;
  /** The axis has steps with names, not times. */
  readonly steps?: boolean;
  /** Values are shares of 1. */
  readonly shares?: boolean;
}

/** A series as it is drawn: values as floats, of stacked ones the upper edge. */
export interface Drawn {
  /** Index of the series in the chart. */
  readonly index: number;
  readonly edge: readonly (number | null)[];
  /** The lower edge of a stacked series; null: the axis. */
  readonly base: readonly (number | null)[] | null;
  readonly series: Series;
}

const float = (value: Value | undefined): number | null =>
  value === null || value === undefined ? null : Number(value);

/** The series that are shown, in order. */
export function drawnOf({ series, isStacked }: ChartData): readonly Drawn[] {
  let below: readonly (number | null)[] | null = null;
  return series.flatMap((line, index): Drawn[] => {
    if (line.hidden === true) return [];
    const own = line.values.map(float);
    if (isStacked !== true || line.of !== undefined) return [{ index, edge: own, base: null, series: line }];
    const base: readonly (number | null)[] | null = below;
    const edge: readonly (number | null)[] = own.map((value, at) =>
      value === null ? (base?.[at] ?? null) : value + (base?.[at] ?? 0),
    );
    below = edge;
    return [{ index, edge, base, series: line }];
  });
}

/** The series whose value at a time is next to a height; undefined: none has a value there. */
export function nearest(drawn: readonly Drawn[], at: number, heightOf: (value: number) => number, top: number) {
  const distance = ({ edge }: Drawn): number => Math.abs(heightOf(edge[at]!) - top);
  const found = drawn.filter(
    ({ edge, series }) => edge[at] !== null && edge[at] !== undefined && series.of === undefined,
  );
  return found.toSorted((a, b) => distance(a) - distance(b))[0];
}

/** Whether all values are whole, as counts are. */
export const areWhole = (drawn: readonly Drawn[]): boolean =>
  drawn.every(({ edge }) => edge.every((value) => value === null || Number.isInteger(value)));

/** Indexes that an axis of `count` equal steps names: at most `most + 1`, with the first and the last. */
export function marksOf(count: number, most: number): number[] {
  const last = count - 1;
  if (last < 1) return [0];
  const step = Math.max(1, Math.ceil(last / Math.max(1, most)));
  const marks = Array.from({ length: Math.ceil(last / step) }, (_, index) => index * step);
  // The mark before the last one would touch it.
  if (marks.length > 1 && last - marks.at(-1)! < step * 0.6) marks.pop();
  return [...marks, last];
}
