import { type Problem, under } from '../problem.ts';
import type { Bound, Condition, Field, FieldCatalogue, Value } from './condition.ts';
import {
  type Comparison,
  type FieldOperator,
  fieldOperator,
  type Grammar,
  isGroupOperator,
  operatorsFor,
  operatorsIn,
} from './condition-operators.ts';
import { type Constant, parseConstant } from './parse-value.ts';

/** Bounds of decisions.md#report-bounds. */
export const MAX_DEPTH = 20;
const MAX_CONDITIONS = 1000;
const MAX_VALUES = 10_000;

const NESTED = 'expected a single condition, got a nested array';

/** The number of conditions parsed so far, without groups. */
export interface ConditionCount {
  conditions: number;
}

interface Context<F extends Field> {
  readonly catalogue: FieldCatalogue<F>;
  readonly timezone: string;
  readonly problems: Problem[];
  readonly grammar: Grammar;
  readonly count: ConditionCount;
}

/**
 * Checks a filter: `[operator, argument, …]`, nested in `and`, `or` and `not`. Absent, null and `[]` are no filter. Adds
 * problems to `problems`; if there are any, the result must not be used.
 *
 * @param options.grammar default: the grammar of reports
 * @param options.count shared by several filters that have one limit together
 */
export function parseCondition<F extends Field>(
  input: unknown,
  options: {
    catalogue: FieldCatalogue<F>;
    timezone: string;
    path: string;
    problems: Problem[];
    grammar?: Grammar;
    count?: ConditionCount;
  },
): Condition<F> | null {
  if (isNoFilter(input)) return null;
  return parse(input, options.path, 1, { grammar: 'report', count: { conditions: 0 }, ...options }) ?? null;
}

export function isNoFilter(input: unknown): boolean {
  return input === null || input === undefined || (Array.isArray(input) && input.length === 0);
}

/** Counts one more condition. @returns a problem for the first condition that is too many; else undefined */
export function oneMore(count: ConditionCount): string | undefined {
  count.conditions += 1;
  return count.conditions === MAX_CONDITIONS + 1 ? `more than ${MAX_CONDITIONS} conditions` : undefined;
}

function parse<F extends Field>(
  input: unknown,
  path: string,
  depth: number,
  context: Context<F>,
): Condition<F> | undefined {
  const refuse = (message: string, at = path, allowed?: readonly string[]): undefined => {
    context.problems.push({ path: at, message, ...(allowed && { allowed }) });
  };
  if (!Array.isArray(input)) return refuse('expected a condition: [operator, argument, …]');
  if (depth > MAX_DEPTH) return refuse(`conditions nest deeper than ${MAX_DEPTH}`);
  const operators = operatorsIn(context.grammar);
  const [operator, ...rest] = input as unknown[];
  if (Array.isArray(operator)) return refuse(rest.length === 0 ? NESTED : `${NESTED}: join conditions with and or or`);
  if (typeof operator !== 'string') return refuse('expected an operator', under(path, 0), operators);
  if (isGroupOperator(operator, context.grammar)) {
    if (rest.length === 0) return refuse(`${operator} needs at least one condition`);
    const conditions = rest
      .map((part, index) => parse(part, under(path, index + 1), depth + 1, context))
      .filter((part) => part !== undefined);
    if (operator !== 'not') return { type: operator, conditions };
    if (rest.length > 1) return refuse('not takes one condition', under(path, 2));
    return conditions[0] && { type: 'not', condition: conditions[0] };
  }
  const known = fieldOperator(operator, context.grammar);
  if (known === undefined) return refuse('unknown operator', under(path, 0), operators);
  const tooMany = oneMore(context.count);
  if (tooMany !== undefined) return refuse(tooMany);
  const condition = parseFieldCondition(known.base, input, path, context);
  return known.negated ? condition && { type: 'not', condition } : condition;
}

/** @param base the operator of `input` without its `not ` */
function parseFieldCondition<F extends Field>(
  base: FieldOperator,
  input: readonly unknown[],
  path: string,
  context: Context<F>,
): Condition<F> | undefined {
  const { catalogue, grammar, problems, timezone } = context;
  const operator = String(input[0]);
  const length = base === 'between' ? 4 : 3;
  if (input.length !== length)
    problems.push({
      path: under(path, Math.min(input.length, length)),
      message: `${operator} takes ${length - 1} arguments`,
    });
  if (input.length < 2) return undefined;

  const name = input[1];
  const field = typeof name === 'string' ? catalogue.find(name) : undefined;
  if (field === undefined) {
    problems.push({ path: under(path, 1), message: 'unknown field', allowed: catalogue.names });
    return undefined;
  }
  const allowed = operatorsFor(field.type, grammar);
  if (!allowed.includes(operator)) {
    problems.push({
      path: under(path, 0),
      message: `${field.name} is ${field.type}, and ${field.type} has no ${operator}`,
      allowed,
    });
    return undefined;
  }
  if (input.length !== length) return undefined;
  if (base === 'is') return parseIs(field, input[2], under(path, 2), problems);

  const constant = (value: unknown, at: string): Constant | undefined => {
    const result = parseConstant(value, field.type, base, { timezone, grammar });
    if (typeof result !== 'string') return result;
    problems.push({ path: at, message: `${field.name}: ${result}` });
    return undefined;
  };
  if (base === 'in') return parseIn(field, input[2], under(path, 2), constant, problems);
  const first = constant(input[2], under(path, 2));
  if (base === 'like') return first?.type === 'string' ? { type: 'like', field, pattern: first.value } : undefined;
  if (base !== 'between') return first && comparison(base, field, first);
  const second = constant(input[3], under(path, 3));
  if (first === undefined || second === undefined) return undefined;
  if (first.type === second.type) return between(field, first, second);
  problems.push({ path: under(path, 3), message: 'both ends must be of one type' });
  return undefined;
}

function parseIs<F extends Field>(
  field: F,
  input: unknown,
  path: string,
  problems: Problem[],
): Condition<F> | undefined {
  if (input === null) return { type: 'missing', field };
  problems.push({ path, message: 'is takes null', allowed: ['null'] });
  return undefined;
}

function parseIn<F extends Field>(
  field: F,
  input: unknown,
  path: string,
  constant: (value: unknown, at: string) => Constant | undefined,
  problems: Problem[],
): Condition<F> | undefined {
  if (!Array.isArray(input) || input.length === 0 || input.length > MAX_VALUES) {
    problems.push({ path, message: `in takes an array of 1 to ${MAX_VALUES} values` });
    return undefined;
  }
  const constants = input.map((value: unknown, index) => constant(value, under(path, index)));
  return oneOf(
    field,
    constants.filter((value) => value !== undefined),
  );
}

const SECOND_MS = 1000;

/**
 * The condition of a comparison. A date is a whole second: `=`, `<=` and the end of `between` include it, `>` starts after
 * it. If the clock shows the second twice, `<` and `>=` use the first, `>` and `<=` the last (as a report's period does),
 * and `=` matches both.
 */
function comparison<F extends Field>(operator: Comparison, field: F, constant: Constant): Condition<F> {
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

function between<F extends Field>(field: F, from: Constant, to: Constant): Condition<F> {
  return { type: 'range', field, from: startOf(from, true), to: endOf(to, true) };
}

function oneOf<F extends Field>(field: F, constants: readonly Constant[]): Condition<F> {
  return { type: 'one_of', field, values: constants.flatMap(valuesOf) };
}

function valuesOf(constant: Constant): Value[] {
  if (constant.type !== 'date') return [constant];
  const { first, last } = constant.value;
  return [...new Set([first, last])].map((value) => ({ type: 'date', value }));
}

/** The point just before the constant. `inclusive`: the constant belongs to the range. */
function startOf(constant: Constant, inclusive: boolean): Bound {
  if (constant.type !== 'date') return { value: constant, inclusive };
  return { value: { type: 'date', value: constant.value.first }, inclusive };
}

/**
 * The point just after the constant. For a date this is the start of the next second. It belongs to the values after
 * the constant.
 */
function endOf(constant: Constant, inclusive: boolean): Bound {
  if (constant.type !== 'date') return { value: constant, inclusive };
  return { value: { type: 'date', value: constant.value.last + SECOND_MS }, inclusive: !inclusive };
}
