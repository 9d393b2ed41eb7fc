import { type Problem, under } from '../problem.ts';
import { between, comparison, oneOf } from './comparison.ts';
import type { Condition, Field, FieldCatalogue } from './condition.ts';
import { type FieldOperator, isFieldOperator, isGroupOperator, OPERATORS, operatorsOf } from './operators.ts';
import { type Constant, parseConstant } from './parse-value.ts';

/** Bounds of decisions.md 4.10. */
const MAX_DEPTH = 20;
const MAX_CONDITIONS = 1000;
const MAX_VALUES = 10_000;

const NESTED = 'expected a single condition, got a nested array';

interface Context<F extends Field> {
  readonly catalogue: FieldCatalogue<F>;
  readonly timezone: string;
  readonly problems: Problem[];
  /** Conditions met so far; groups do not count. */
  conditions: number;
}

/**
 * Checks a filter: `[operator, argument, …]`, nested under `and` and `or`. Absent, null and `[]` are no filter.
 * Adds what is wrong to `problems`, in which case the result means nothing.
 */
export function parseCondition<F extends Field>(
  input: unknown,
  options: { catalogue: FieldCatalogue<F>; timezone: string; path: string; problems: Problem[] },
): Condition<F> | null {
  if (input === null || input === undefined || (Array.isArray(input) && input.length === 0)) return null;
  return parse(input, options.path, 1, { ...options, conditions: 0 }) ?? null;
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
  const [operator, ...rest] = input as unknown[];
  if (Array.isArray(operator)) return refuse(rest.length === 0 ? NESTED : `${NESTED}: join conditions with and or or`);
  if (typeof operator !== 'string') return refuse('expected an operator', under(path, 0), OPERATORS);
  if (isGroupOperator(operator)) {
    if (rest.length === 0) return refuse(`${operator} needs at least one condition`);
    const conditions = rest.map((part, index) => parse(part, under(path, index + 1), depth + 1, context));
    return { type: operator, conditions: conditions.filter((part) => part !== undefined) };
  }
  if (!isFieldOperator(operator)) return refuse('unknown operator', under(path, 0), OPERATORS);
  context.conditions += 1;
  if (context.conditions === MAX_CONDITIONS + 1) return refuse(`more than ${MAX_CONDITIONS} conditions`);
  return parseFieldCondition(operator, input, path, context);
}

function parseFieldCondition<F extends Field>(
  operator: FieldOperator,
  input: readonly unknown[],
  path: string,
  context: Context<F>,
): Condition<F> | undefined {
  const { catalogue, problems, timezone } = context;
  const length = operator === 'between' ? 4 : 3;
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
  if (!operatorsOf(field.type).includes(operator)) {
    const allowed = operatorsOf(field.type);
    problems.push({
      path: under(path, 0),
      message: `${field.name} is ${field.type}, which has no ${operator}`,
      allowed,
    });
    return undefined;
  }
  if (input.length !== length) return undefined;

  const constant = (value: unknown, at: string): Constant | undefined => {
    const result = parseConstant(value, field.type, operator, timezone);
    if (typeof result !== 'string') return result;
    problems.push({ path: at, message: `${field.name}: ${result}` });
    return undefined;
  };
  if (operator === 'in') return parseIn(field, input[2], under(path, 2), constant, problems);
  const first = constant(input[2], under(path, 2));
  if (operator !== 'between') return first && comparison(operator, field, first);
  const second = constant(input[3], under(path, 3));
  if (first === undefined || second === undefined) return undefined;
  if (first.type === second.type) return between(field, first, second);
  problems.push({ path: under(path, 3), message: 'both ends must be of one type' });
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
