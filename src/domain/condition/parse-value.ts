import type { Temporal } from 'temporal-polyfill';
import { exactNumber } from '../json.ts';
import { instantsOf, LOCAL_TIME_FORMAT, type LocalInstants, parseLocalTime } from '../local-time.ts';
import type { FieldType, Value } from './condition.ts';
import { type FieldOperator, type Grammar, operatorsFor } from './operators.ts';

/** A constant of a condition, checked. Dates stay local: which instant they mean depends on the operator. */
export type Constant = Exclude<Value, { type: 'date' }> | { readonly type: 'date'; readonly value: LocalInstants };

/**
 * Numbers of a condition go up to 10^18 and 30 decimals: beyond any id, value or rate (decisions.md#exact-decimals),
 * and bounded.
 */
const MAX_EXPONENT = 18;
const MAX_DECIMALS = 30;

/** Checks a constant against its field's type and the operator. @returns the constant, or what is wrong with it. */
export function parseConstant(
  input: unknown,
  type: FieldType,
  operator: FieldOperator,
  { timezone, grammar }: { readonly timezone: string; readonly grammar: Grammar },
): Constant | string {
  const constant = typed(input, type, timezone);
  // Only a dynamic field can come to this: others were refused by their own type.
  if (typeof constant !== 'string' && !operatorsFor(constant.type, grammar).includes(operator))
    return `${operator} does not compare ${constant.type} values`;
  return constant;
}

function typed(input: unknown, type: FieldType, timezone: string): Constant | string {
  if (input === null || input === undefined) return 'null is not a value to compare with';
  switch (type) {
    case 'number':
      return parseNumber(input) ?? 'expected a number';
    case 'string':
      return typeof input === 'string' ? { type, value: input } : 'expected a string';
    case 'boolean':
      return typeof input === 'boolean' ? { type, value: input } : 'expected true or false';
    case 'date':
      return parseDate(input, timezone);
    case 'dynamic':
      if (typeof input === 'string') return { type: 'string', value: input };
      if (typeof input === 'boolean') return { type: 'boolean', value: input };
      return parseNumber(input) ?? 'expected a string, a number, true or false';
  }
}

function parseNumber(input: unknown): Constant | string | undefined {
  const exact = exactNumber(input);
  if (exact === undefined) return undefined;
  const decimals = exact.c.length - 1 - exact.e;
  if (exact.e > MAX_EXPONENT || decimals > MAX_DECIMALS)
    return `numbers go up to 10^${MAX_EXPONENT} and ${MAX_DECIMALS} digits after the point`;
  return { type: 'number', value: exact.toFixed() };
}

function parseDate(input: unknown, timezone: string): Constant | string {
  const local = typeof input === 'string' ? parseLocalTime(input) : undefined;
  if (local === undefined) return `expected a date as ${LOCAL_TIME_FORMAT}`;
  return yearProblem(local) ?? { type: 'date', value: instantsOf(local, timezone) };
}

/**
 * Every date of a report lies in the years 1970 to 2100 (decisions.md#report-bounds).
 * @returns what is wrong, if something is.
 */
export function yearProblem(local: Temporal.PlainDateTime): string | undefined {
  return local.year < 1970 || local.year > 2100 ? 'years go from 1970 to 2100' : undefined;
}
