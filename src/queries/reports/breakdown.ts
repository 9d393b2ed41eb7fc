import { isLosslessNumber, stringify } from 'lossless-json';
import type { Combinations } from '../../columns/combinations.ts';
import type { Joinable } from '../../columns/measures/tally.ts';
import type { FieldValue } from '../../domain/condition/predicate.ts';
import { isoWithOffset } from '../../domain/local-time.ts';
import { combinationKey, largestCombinations } from '../../domain/reports/breakdown.ts';
import { type LineName, valueKey } from '../../domain/reports/cell.ts';
import type { ReportField } from '../../domain/reports/fields.ts';
import type { Separator } from '../../domain/reports/report.ts';
import { type Cell, type Column, measureCell, type Row } from './answer.ts';
import type { Team } from './team.ts';

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
 * @returns what all threads of the team have counted; null: this thread is not its leader
 */
export async function tallyByCombination<T extends Partial<Joinable<unknown>>>(
  breakdown: Breakdown,
  { combinations, team }: { readonly combinations: Combinations | null; readonly team: Team },
  newTally: () => T,
  passes: {
    volumes: (add: (combination: number) => void) => Promise<void>;
    tallies: (of: TallyOf<T>) => Promise<void>;
  },
): Promise<CombinationTally<T>[] | null> {
  if (combinations === null) {
    const tally = newTally();
    await passes.tallies(() => tally);
    return (await joinParts([tally], team)) ? [{ cells: {}, tally }] : null;
  }
  const volumes: number[] = [];
  await passes.volumes((combination) => {
    volumes[combination] = (volumes[combination] ?? 0) + 1;
  });
  const shown = await shownCombinations(combinations, volumes, { limit: MAX_COMBINATIONS, team });
  const tallies = Array.from({ length: shown.values.length + Number(shown.more) }, newTally);
  await passes.tallies((combination) => tallies[shown.lineOf[combination]!]!);
  if (!(await joinParts(tallies, team))) return null;
  return tallies.map((tally, line) => ({ cells: cellsOf(breakdown, shown.values[line] ?? null), tally }));
}

/** Adds what the other threads of a team have counted to the leader's tallies. @returns whether this thread is the leader */
export async function joinParts(tallies: readonly Partial<Joinable<unknown>>[], team: Team): Promise<boolean> {
  if (team.size === 1) return true;
  const parts = await team.gather(team.part === 0 ? [] : tallies.map((tally) => tally.part?.()));
  for (const part of parts?.slice(1) ?? []) for (const [i, tally] of tallies.entries()) tally.join?.(part[i]);
  return parts !== null;
}

/** The combinations that a breakdown shows. They are the same in each thread of a team. */
export interface ShownCombinations {
  /** The values of each, largest first. */
  readonly values: readonly (readonly FieldValue[])[];
  /** Whether there are more combinations than are shown. */
  readonly more: boolean;
  /** By this thread's number of a combination: its place among those that are shown, or their count. */
  readonly lineOf: Uint32Array;
}

type Volumes = ArrayLike<number | undefined>;

/**
 * Finds the largest combinations of all threads.
 * @param volumes of this thread, by its number of the combination
 */
export async function shownCombinations(
  combinations: Combinations,
  volumes: Volumes,
  { limit, team }: { readonly limit: number; readonly team: Team },
): Promise<ShownCombinations> {
  const { values, isShared } = combinations;
  const lineOf = new Uint32Array(values.length);
  const parts = await team.gather(isShared ? { values: [], volumes } : occurring(values, volumes));
  const { shown, more } = await team.once(async () => {
    const all = isShared ? { values, volumes: sumOf(parts!) } : renumbered(parts!);
    const { shown, more } = largestCombinations(all.values, all.volumes, limit);
    return { shown: shown.map((number) => ({ number, values: all.values[number]! })), more };
  });
  lineOf.fill(shown.length);
  if (isShared) for (const [line, { number }] of shown.entries()) lineOf[number] = line;
  else {
    const lines = new Map(shown.map((each, line) => [combinationKey(each.values), line]));
    for (const [number, each] of values.entries()) lineOf[number] = lines.get(combinationKey(each)) ?? shown.length;
  }
  return { values: shown.map((each) => each.values), more, lineOf };
}

function sumOf(parts: readonly { readonly volumes: Volumes }[]): Volumes {
  const [{ volumes: first }, ...others] = parts as [{ volumes: Volumes }, ...{ volumes: Volumes }[]];
  if (others.length === 0) return first;
  const sum = Array.from(first, (volume) => volume ?? 0);
  for (const { volumes } of others)
    for (let number = 0; number < volumes.length; number++) sum[number] = (sum[number] ?? 0) + (volumes[number] ?? 0);
  return sum;
}

/** Without the combinations that have no volume: a dictionary may have many more. */
function occurring(values: readonly (readonly FieldValue[])[], volumes: Volumes): NumberedVolumes {
  const found = [...values.keys()].filter((number) => volumes[number]! > 0);
  return { values: found.map((number) => values[number]!), volumes: found.map((number) => volumes[number]!) };
}

interface NumberedVolumes {
  readonly values: readonly (readonly FieldValue[])[];
  readonly volumes: Volumes;
}

/** The combinations of all threads, each once. */
function renumbered(parts: readonly NumberedVolumes[]): NumberedVolumes {
  const values: (readonly FieldValue[])[] = [];
  const sum: number[] = [];
  const numbers = new Map<string, number>();
  for (const part of parts)
    for (const [i, each] of part.values.entries()) {
      const key = combinationKey(each);
      let number = numbers.get(key);
      if (number === undefined) {
        number = values.push(each) - 1;
        numbers.set(key, number);
      }
      sum[number] = (sum[number] ?? 0) + (part.volumes[i] ?? 0);
    }
  return { values, volumes: sum };
}
