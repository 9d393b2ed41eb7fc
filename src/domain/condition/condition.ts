/**
 * The checked form of a condition, of reports and audiences alike (decisions.md#conditions).
 *
 * Two-valued: a positive condition is false where the field is missing, and `not` is the exact complement of what it
 * holds. Every operator of the grammar is one of these shapes: `!=` is a `not` around `one_of`.
 */
export type Condition<F extends Field = Field> =
  | { readonly type: 'and' | 'or'; readonly conditions: readonly Condition<F>[] }
  | { readonly type: 'not'; readonly condition: Condition<F> }
  | { readonly type: 'one_of'; readonly field: F; readonly values: readonly Value[] }
  | { readonly type: 'range'; readonly field: F; readonly from: Bound | null; readonly to: Bound | null }
  /** Of audiences only: text in which each `%` of the pattern stands for any text, and everything else for itself. */
  | { readonly type: 'like'; readonly field: F; readonly pattern: string }
  /** Of audiences only: the record has no value in the field. */
  | { readonly type: 'missing'; readonly field: F };

/** One end of a range; both ends of a range have the same type. */
export interface Bound {
  readonly value: Value;
  readonly inclusive: boolean;
}

/**
 * Numbers are decimal text, exact. A date in `one_of` is the start of the second that it names, in a range an instant:
 * milliseconds since 1970 UTC. Text is ordered by code points.
 */
export type Value =
  | { readonly type: 'number'; readonly value: string }
  | { readonly type: 'string'; readonly value: string }
  | { readonly type: 'boolean'; readonly value: boolean }
  | { readonly type: 'date'; readonly value: number };

/** `dynamic`: each record has a value of its own type, and a value of another type matches nothing. */
export type FieldType = 'number' | 'string' | 'boolean' | 'date' | 'dynamic';

/** A field that conditions may name. */
export interface Field {
  /** The canonical name: what an alias was resolved to. */
  readonly name: string;
  readonly type: FieldType;
}

/** What a use of the grammar (reports, audiences) lets conditions name. */
export interface FieldCatalogue<F extends Field> {
  find(name: string): F | undefined;
  /** Every name, open-ended ones as `prefix.*`: for error messages. */
  readonly names: readonly string[];
}

/** The fields that a condition names, as often as it does. */
export function fieldsOf<F extends Field>(condition: Condition<F>): F[] {
  if ('conditions' in condition) return condition.conditions.flatMap(fieldsOf);
  return 'condition' in condition ? fieldsOf(condition.condition) : [condition.field];
}
