import type { CodedColumn } from '../../projections/events/packed/chunk.ts';

const known = new WeakMap<CodedColumn, Float64Array>();

/** The nearest doubles of a column's decimals, by their codes; found once for all reports that have the column at hand. */
export function roundedOf(column: CodedColumn): Float64Array {
  let rounded = known.get(column);
  if (rounded === undefined) {
    rounded = Float64Array.from(column.values, Number);
    known.set(column, rounded);
  }
  return rounded;
}
