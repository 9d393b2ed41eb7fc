/**
 * A checked condition of a report or an audience (decisions.md#conditions).
 *
 * Conditions are two-valued. A positive condition is false if the field is missing, and `not` is the exact complement of
 * its condition. Each operator of the grammar becomes one of these shapes: `!=` is a `not` around `one_of`.
 */
export type Condition<F extends Field = Field> =
  | { readonly type: 'and' | 'or'; readonly conditions: readonly Condition<F>[] }
  | { readonly type: 'not'; readonly condition: Condition<F> }
  | { readonly type: 'one_of'; readonly field: F; readonly values: readonly Value[] }
  | { readonly type: 'range'; readonly field: F; readonly from: Bound | null; readonly to: Bound | null }
  /** In audiences only. Each `%` of the pattern stands for any text; every other character stands for itself. */
  | { readonly type: 'like'; readonly field: F; readonly pattern: string }
  /** In audiences only: the record has no value in the field. */
  | { readonly type: 'missing'; readonly field: F };

/** One end of a range. Both ends of a range have the same type. */
export interface Bound {
  readonly value: Value;
  readonly inclusive: boolean;
}

/**
 * Numbers are exact decimal text. Dates are milliseconds since 1970 UTC: in `one_of` the start of a second, in a range an
 * instant. Text is ordered by code points.
 */
export type Value =
  | { readonly type: 'number'; readonly value: string }
  | { readonly type: 'string'; readonly value: string }
  | { readonly type: 'boolean'; readonly value: boolean }
  | { readonly type: 'date'; readonly value: number };

/** `dynamic`: each record's value has its own type. A value matches only constants of its type. */
export type FieldType = 'number' | 'string' | 'boolean' | 'date' | 'dynamic';

/** A field that conditions may name. */
export interface Field {
  /** The canonical name, not an alias. */
  readonly name: string;
  readonly type: FieldType;
}

/** The fields that conditions of reports, or of audiences, may name. */
export interface FieldCatalogue<F extends Field> {
  find(name: string): F | undefined;
  /** All names, for error messages. An open-ended root is `prefix.*`. */
  readonly names: readonly string[];
}

/** The fields that a condition names; a field that it names twice is in the list twice. */
export function fieldsOf<F extends Field>(condition: Condition<F>): F[] {
  if ('conditions' in condition) return condition.conditions.flatMap(fieldsOf);
  return 'condition' in condition ? fieldsOf(condition.condition) : [condition.field];
}
