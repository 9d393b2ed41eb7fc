import { isLosslessNumber, stringify } from 'lossless-json';
import type { Combinations } from '../../columns/combinations.ts';
import type { FieldValue } from '../../domain/condition/predicate.ts';
import { isoWithOffset } from '../../domain/local-time.ts';
import { largestCombinations } from '../../domain/reports/breakdown.ts';
import { type LineName, valueKey } from '../../domain/reports/cell.ts';
import type { ReportField } from '../../domain/reports/fields.ts';
import type { Separator } from '../../domain/reports/report.ts';
import { type Cell, type Column, measureCell, type Row } from './answer.ts';

/** Most combinations that a breakdown shows; all others are one (decisions.md#breakdown). */
export const MAX_COMBINATIONS = 25;

export interface Breakdown {
  readonly separators: readonly Separator[];
  readonly timezone: string;
}

/** The columns of a breakdown. They are the first of an answer. */
export function breakdownColumns({ separators }: Pick<Breakdown, 'separators'>): Column[] {
  if (separators.length === 0) return [];
  const columns = separators.map(({ name, field }): Column => {
    return { key: name, label: name, type: field.type === 'dynamic' ? 'string' : field.type };
  });
  return [...columns, { key: 'other', label: 'Other', type: 'boolean' }];
}

/** The cells of a combination. `values` null: the combinations that are not shown, together. */
export function cellsOf({ separators, timezone }: Breakdown, values: readonly FieldValue[] | null): Row {
  const cells = separators.map(({ name, field }, index) => {
    return [name, values && cellOf(values[index]!, field.type, timezone)] as const;
  });
  return { ...Object.fromEntries(cells), other: values === null };
}

/** A cell names a combination that the report does not show, or an interval that has not begun (decisions.md#report-cells). */
export class NoSuchCellError extends Error {
  override readonly name = 'NoSuchCellError';
  constructor(
    /** The key of the cell. */
    readonly key: 'breakdown' | 'other' | 'interval',
    message: string,
  ) {
    super(message);
  }
}

/** The index of the line that a cell names. @param lines the cells of the breakdown of each line @throws NoSuchCellError */
export function lineNamed(name: LineName, separators: readonly Separator[], lines: readonly Row[]): number {
  if (name === null) return 0;
  const keysOf = (cells: Row) => JSON.stringify(separators.map((separator) => valueKey(cells[separator.name]!)));
  const wanted = JSON.stringify(name);
  const isNamed =
    name === 'other'
      ? (cells: Row) => cells['other'] === true
      : (cells: Row) => cells['other'] === false && keysOf(cells) === wanted;
  const line = lines.findIndex(isNamed);
  if (line >= 0) return line;
  if (name === 'other') throw new NoSuchCellError('other', 'the report shows all combinations');
  throw new NoSuchCellError('breakdown', 'the report does not show this combination');
}

/** The value of a field as a cell; a date has whole seconds. */
export function cellOf(value: FieldValue, type: ReportField['type'], timezone: string): Cell {
  if (value === null) return null;
  if (type === 'date') return isoWithOffset(Number(value), timezone);
  if (isLosslessNumber(value)) return measureCell(value.value);
  if (type === 'number') return measureCell(String(value));
  return typeof value === 'object' ? stringify(value)! : value;
}

/** The tally of one combination, and the cells that its rows begin with; without a breakdown there are no cells. */
export interface CombinationTally<T> {
  readonly cells: Row;
  readonly tally: T;
}

/** The tally of a combination, by its number; of a combination that is not shown, the tally of all others. */
type TallyOf<T> = (combination: number) => T;

/**
 * Fills a tally for each combination that is shown, in one or two passes. A breakdown takes two: the first counts, so that
 * the second knows the largest combinations. Tallies of all combinations might not fit into memory.
 */
export async function tallyByCombination<T>(
  breakdown: Breakdown,
  combinations: Combinations | null,
  newTally: () => T,
  passes: {
    volumes: (add: (combination: number) => void) => Promise<void>;
    tallies: (of: TallyOf<T>) => Promise<void>;
  },
): Promise<CombinationTally<T>[]> {
  if (combinations === null) {
    const tally = newTally();
    await passes.tallies(() => tally);
    return [{ cells: {}, tally }];
  }
  const volumes: number[] = [];
  await passes.volumes((combination) => {
    volumes[combination] = (volumes[combination] ?? 0) + 1;
  });
  const shown = shownCombinations(combinations, volumes, MAX_COMBINATIONS);
  const tallies = Array.from({ length: shown.values.length + Number(shown.more) }, newTally);
  await passes.tallies((combination) => tallies[shown.lineOf[combination]!]!);
  return tallies.map((tally, line) => ({ cells: cellsOf(breakdown, shown.values[line] ?? null), tally }));
}

/** The combinations that a breakdown shows. */
export interface ShownCombinations {
  /** The values of each, largest first. */
  readonly values: readonly (readonly FieldValue[])[];
  /** Whether there are more combinations than are shown. */
  readonly more: boolean;
  /** By the number of a combination: its place among the shown ones, or their count. */
  readonly lineOf: Uint32Array;
}

/** Finds the largest combinations. @param volumes by the number of the combination */
export function shownCombinations(
  { values }: Combinations,
  volumes: ArrayLike<number | undefined>,
  limit: number,
): ShownCombinations {
  const { shown, more } = largestCombinations(values, volumes, limit);
  const lineOf = new Uint32Array(values.length).fill(shown.length);
  for (const [line, number] of shown.entries()) lineOf[number] = line;
  return { values: shown.map((number) => values[number]!), more, lineOf };
}
