import Big from 'big.js';
import { LosslessNumber } from 'lossless-json';
import type { Bound, Condition, Field, FieldType, Value } from './condition.ts';

/**
 * The value of a record in a field: numbers as decimal text, dates as milliseconds since 1970 UTC, null if it is missing.
 * Numbers of dynamic fields are LosslessNumber, to differ from text. Objects and arrays match no condition.
 */
export type FieldValue = string | number | boolean | LosslessNumber | object | null;

type Predicate<R> = (record: R) => boolean;

/** Gives the function that reads a field. Called once for each time that a condition names the field. */
type Reader<F extends Field, R> = (field: F) => (record: R) => FieldValue;

/**
 * A condition as a function of a record. It has the same result as `conditionSql` for the record's row: decimals are
 * exact, text is ordered by code points, and a missing value fulfils no positive condition.
 */
export function predicateOf<F extends Field, R>(condition: Condition<F>, reader: Reader<F, R>): Predicate<R> {
  switch (condition.type) {
    case 'and':
    case 'or': {
      const parts = condition.conditions.map((part) => predicateOf(part, reader));
      if (condition.type === 'and') return (record) => parts.every((part) => part(record));
      return (record) => parts.some((part) => part(record));
    }
    case 'not': {
      const negated = predicateOf(condition.condition, reader);
      return (record) => !negated(record);
    }
    case 'one_of':
      return on(reader(condition.field), oneOf(condition.field.type, condition.values));
    case 'range': {
      const { from, to } = condition;
      const above = from && beyond(condition.field.type, from, 1);
      const below = to && beyond(condition.field.type, to, -1);
      return on(reader(condition.field), (value) => (above?.(value) ?? true) && (below?.(value) ?? true));
    }
    case 'like':
      return on(reader(condition.field), isLike(condition.pattern));
    case 'missing': {
      const read = reader(condition.field);
      return (record) => read(record) === null;
    }
  }
}

type Present = Exclude<FieldValue, null>;
type Test = (value: Present) => boolean;

function on<R>(read: (record: R) => FieldValue, test: Test): Predicate<R> {
  return (record) => {
    const value = read(record);
    return value !== null && test(value);
  };
}

function oneOf(type: FieldType, values: readonly Value[]): Test {
  const constants = new Set(values.map(keyOf));
  // A date in a condition is a whole second; its value is the second's start.
  if (type === 'date') return (value) => constants.has(`date ${Math.floor(Number(value) / 1000) * 1000}`);
  return (value) => constants.has(keyOf(typed(type, value)));
}

/** A text that is the same for equal values of one type. The numbers 1 and 1.0 are equal. */
function keyOf(value: Value | null): string {
  if (value === null) return '';
  return `${value.type} ${value.type === 'number' ? new Big(value.value).toFixed().replace(/^-0$/, '0') : value.value}`;
}

/** A value with its type. Null: conditions do not know the type. */
function typed(type: FieldType, value: Present): Value | null {
  if (type === 'number') return { type, value: String(value) };
  if (value instanceof LosslessNumber) return { type: 'number', value: value.value };
  if (typeof value === 'string') return { type: 'string', value };
  return typeof value === 'boolean' ? { type: 'boolean', value } : null;
}

/** Tests whether a value is on a side of the bound: 1 above it, -1 below it. */
function beyond(type: FieldType, { value: bound, inclusive }: Bound, side: 1 | -1): Test {
  const test = (order: number) => order * side > 0 || (inclusive && order === 0);
  switch (bound.type) {
    case 'number': {
      const compare = compareWith(bound.value);
      if (type === 'number') return (value) => test(compare(String(value)));
      return (value) => value instanceof LosslessNumber && test(compare(value.value));
    }
    case 'string':
      return (value) => typeof value === 'string' && test(compareText(value, bound.value));
    case 'date':
      return (value) => test(Number(value) - bound.value);
    case 'boolean':
      throw new Error('booleans have no order');
  }
}

/** Compares doubles first. Rounding keeps order, so the digits decide only between numbers that round to one double. */
function compareWith(constant: string): (value: string) => number {
  const [exact, rounded] = [new Big(constant), Number(constant)];
  return (value) => Number(value) - rounded || new Big(value).cmp(exact);
}

/**
 * Tests whether a value is text that matches the pattern. Each `%` stands for any text, also empty; all else must be equal,
 * including its case (decisions.md#like). `conditionSql` has the same result with LIKE.
 */
export function isLike(pattern: string): (value: unknown) => boolean {
  const [first, ...rest] = pattern.split('%') as [string, ...string[]];
  const last = rest.pop();
  if (last === undefined) return (value) => value === pattern;
  return (value) => {
    if (typeof value !== 'string' || !value.startsWith(first)) return false;
    // Each middle part takes its first match, since that leaves the most text for the parts after it.
    let from = first.length;
    for (const part of rest) {
      const at = value.indexOf(part, from);
      if (at < 0) return false;
      from = at + part.length;
    }
    return value.length - last.length >= from && value.endsWith(last);
  };
}

/** The pattern for SQL's LIKE, where `_` and the backslash are special and need an escape. */
export function likePattern(pattern: string): string {
  return pattern.replace(/[\\_]/g, '\\$&');
}

/** In UTF-16, surrogates are below U+E000, but they encode code points above U+FFFF. */
const rank = (unit: number) => (unit >= 0xd800 && unit <= 0xdfff ? unit + 0x10000 : unit);

/** Compares text by code points. This is the order of its bytes in UTF-8. Negative: `a` comes first. */
export function compareText(a: string, b: string): number {
  const length = Math.min(a.length, b.length);
  for (let index = 0; index < length; index += 1) {
    const [left, right] = [a.charCodeAt(index), b.charCodeAt(index)];
    if (left !== right) return rank(left) - rank(right);
  }
  return a.length - b.length;
}
