import type { Bound, Condition, Field, Value } from './condition.ts';
import type { Comparison } from './operators.ts';
import type { Constant } from './parse-value.ts';

const SECOND_MS = 1000;

/**
 * What each comparison means. A date names a whole second: `=`, `<=` and the end of `between` take it in, `>` starts
 * after it. Where the clock shows the second twice, `<` and `>=` look at the first, `>` and `<=` at the last (as a
 * report's own period does), and `=` is either of the two seconds.
 */
export function comparison<F extends Field>(operator: Comparison, field: F, constant: Constant): Condition<F> {
  switch (operator) {
    case '=':
      return oneOf(field, [constant]);
    case '!=':
      return { type: 'not', condition: oneOf(field, [constant]) };
    case '<':
      return { type: 'range', field, from: null, to: startOf(constant, false) };
    case '>=':
      return { type: 'range', field, from: startOf(constant, true), to: null };
    case '<=':
      return { type: 'range', field, from: null, to: endOf(constant, true) };
    case '>':
      return { type: 'range', field, from: endOf(constant, false), to: null };
  }
}

export function between<F extends Field>(field: F, from: Constant, to: Constant): Condition<F> {
  return { type: 'range', field, from: startOf(from, true), to: endOf(to, true) };
}

export function oneOf<F extends Field>(field: F, constants: readonly Constant[]): Condition<F> {
  return { type: 'one_of', field, values: constants.flatMap(valuesOf) };
}

function valuesOf(constant: Constant): Value[] {
  if (constant.type !== 'date') return [constant];
  const { first, last } = constant.value;
  return [...new Set([first, last])].map((value) => ({ type: 'date', value }));
}

/** The point between what comes before the constant and the constant itself; `inclusive`: whether the range has it. */
function startOf(constant: Constant, inclusive: boolean): Bound {
  if (constant.type !== 'date') return { value: constant, inclusive };
  return { value: { type: 'date', value: constant.value.first }, inclusive };
}

/**
 * The point between the constant and what comes after it. For a date that is the start of the next second, which
 * belongs to what comes after.
 */
function endOf(constant: Constant, inclusive: boolean): Bound {
  if (constant.type !== 'date') return { value: constant, inclusive };
  return { value: { type: 'date', value: constant.value.last + SECOND_MS }, inclusive: !inclusive };
}
