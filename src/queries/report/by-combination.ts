import { LosslessNumber, stringify } from 'lossless-json';
import type { FieldValue } from '../../domain/condition/predicate.ts';
import { isoWithOffset } from '../../domain/local-time.ts';
import { combinationKey, countVolumes } from '../../domain/report/breakdown.ts';
import type { ReportField } from '../../domain/report/fields.ts';
import type { Separator } from '../../domain/report/report.ts';
import type { TimelineEvent } from '../../domain/report/timeline.ts';
import { type Cell, type Column, measureCell, type Row } from './answer.ts';

/** Most combinations that a breakdown shows; all others are one (decisions.md 4.3). */
const MAX_COMBINATIONS = 25;

/** The rows of one combination have `cells` in common; without a breakdown there is one, which has none. */
export interface Part<T> {
  readonly cells: Row;
  readonly tally: T;
}

/** Gives the tally that something belongs to by the event that decides, which has its separators' values. */
export type TallyOf<T> = (event: TimelineEvent) => T;

export interface Breakdown {
  readonly separators: readonly Separator[];
  /** The fields whose values events carry. */
  readonly fields: readonly ReportField[];
  readonly timezone: string;
}

/**
 * Runs `count` with a tally for every combination that is shown. With separators it runs twice: only when all has been
 * counted is it known which combinations are the largest, and tallies of all of them might not fit into memory.
 */
export async function byCombination<T>(
  breakdown: Breakdown,
  newTally: () => T,
  passes: {
    volumes: (add: (event: TimelineEvent) => void) => Promise<void>;
    tallies: (of: TallyOf<T>) => Promise<void>;
  },
): Promise<Part<T>[]> {
  const { separators, fields } = breakdown;
  if (separators.length === 0) {
    const tally = newTally();
    await passes.tallies(() => tally);
    return [{ cells: {}, tally }];
  }
  const places = separators.map(({ field }) => fields.findIndex(({ name }) => name === field.name));
  const valuesOf = ({ values }: TimelineEvent) => places.map((place) => values[place]!);
  const volumes = countVolumes();
  await passes.volumes((event) => {
    const values = valuesOf(event);
    volumes.add(combinationKey(values), values);
  });
  const { shown, more } = volumes.largest(MAX_COMBINATIONS);
  const tallies = new Map([...shown.keys()].map((key) => [key, newTally()]));
  const other = newTally();
  await passes.tallies((event) => tallies.get(combinationKey(valuesOf(event))) ?? other);
  const parts = [...shown].map(([key, values]) => ({ cells: cellsOf(breakdown, values), tally: tallies.get(key)! }));
  return more ? [...parts, { cells: cellsOf(breakdown, null), tally: other }] : parts;
}

/** The columns of a breakdown, which come first. */
export function breakdownColumns({ separators }: Pick<Breakdown, 'separators'>): Column[] {
  if (separators.length === 0) return [];
  const columns = separators.map(({ name, field }): Column => {
    return { key: name, label: name, type: field.type === 'dynamic' ? 'string' : field.type };
  });
  return [...columns, { key: 'other', label: 'Other', type: 'boolean' }];
}

/** `values` null: of all combinations that are not shown. */
function cellsOf({ separators, timezone }: Breakdown, values: readonly FieldValue[] | null): Row {
  const cells = separators.map(({ name, field }, index) => {
    return [name, values && cellOf(values[index]!, field.type, timezone)] as const;
  });
  return { ...Object.fromEntries(cells), other: values === null };
}

function cellOf(value: FieldValue, type: ReportField['type'], timezone: string): Cell {
  if (value instanceof LosslessNumber) return measureCell(value.value);
  if (typeof value === 'object') return value && stringify(value)!;
  if (type === 'number') return measureCell(String(value));
  return type === 'date' ? isoWithOffset(Number(value), timezone) : value;
}
