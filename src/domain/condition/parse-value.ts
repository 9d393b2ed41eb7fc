import type { Temporal } from 'temporal-polyfill';
import { instantsOf, LOCAL_TIME_FORMAT, type LocalInstants, parseLocalTime } from '../local-time.ts';
import { exactNumber } from '../storable-json.ts';
import type { FieldType, Value } from './condition.ts';
import { type FieldOperator, type Grammar, operatorsFor } from './condition-operators.ts';

/** A checked constant of a condition. Dates stay local, because the operator decides which instant they mean. */
export type Constant = Exclude<Value, { type: 'date' }> | { readonly type: 'date'; readonly value: LocalInstants };

/**
 * Limits of numbers in a condition: 10^18, and 30 decimals. No id, value or rate exceeds them
 * (decisions.md#exact-decimals).
 */
const MAX_EXPONENT = 18;
const MAX_DECIMALS = 30;

/** Checks a constant against its field's type and the operator. @returns the constant, or the problem as text */
export function parseConstant(
  input: unknown,
  type: FieldType,
  operator: FieldOperator,
  { timezone, grammar }: { readonly timezone: string; readonly grammar: Grammar },
): Constant | string {
  const constant = typed(input, type, timezone);
  // Can fail for dynamic fields only: for other types the operator is checked already.
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
 * Checks that a date of a report is in the years 1970 to 2100 (decisions.md#report-bounds).
 * @returns the problem as text, or undefined
 */
export function yearProblem(local: Temporal.PlainDateTime): string | undefined {
  return local.year < 1970 || local.year > 2100 ? 'years go from 1970 to 2100' : undefined;
}
