import { LosslessNumber, stringify } from 'lossless-json';
import type { FieldValue } from '../../domain/condition/predicate.ts';
import { isoWithOffset } from '../../domain/local-time.ts';
import type { ReportField } from '../../domain/reports/fields.ts';
import type { Separator } from '../../domain/reports/report.ts';
import { type Cell, type Column, measureCell, type Row } from './answer.ts';

/** How the combinations of a breakdown stand in rows and columns. */

/** Most combinations that a breakdown shows; all others are one (decisions.md#breakdown). */
export const MAX_COMBINATIONS = 25;

export interface Breakdown {
  readonly separators: readonly Separator[];
  readonly timezone: string;
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
export function cellsOf({ separators, timezone }: Breakdown, values: readonly FieldValue[] | null): Row {
  const cells = separators.map(({ name, field }, index) => {
    return [name, values && cellOf(values[index]!, field.type, timezone)] as const;
  });
  return { ...Object.fromEntries(cells), other: values === null };
}

/** The value of a field as a cell; a date has whole seconds. */
export function cellOf(value: FieldValue, type: ReportField['type'], timezone: string): Cell {
  if (value === null) return null;
  if (type === 'date') return isoWithOffset(Number(value), timezone);
  if (value instanceof LosslessNumber) return measureCell(value.value);
  if (type === 'number') return measureCell(String(value));
  return typeof value === 'object' ? stringify(value)! : value;
}
