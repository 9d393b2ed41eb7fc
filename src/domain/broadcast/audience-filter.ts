import { type ConditionCount, isNoFilter, MAX_DEPTH, oneMore, parseCondition } from '../condition/parse-condition.ts';
import { type Problem, under } from '../problem.ts';
import { isJsonObject, type JsonObject, property, safeInteger } from '../storable-json.ts';
import {
  audienceEventFields,
  audienceUserFields,
  type EventFilter,
  type FilterConditions,
  type Performed,
  refuseUnknownKeys,
} from './audience.ts';

/** The keys of a filter: conditions on users, and filters on their events (interface.md, "Audience"). */
export const FILTER_KEYS = ['user_conditions', 'event_filters'] as const;

interface FilterContext {
  /** The timezone of dates in conditions. */
  readonly timezone: string;
  readonly problems: Problem[];
  /** The number of conditions so far. Filters with a common limit share it. */
  readonly count: ConditionCount;
}

/** Checks the conditions of a filter. Adds mistakes to `problems`; after a mistake do not use the result. */
export function parseFilterConditions(
  config: JsonObject,
  { path, timezone, problems, count }: FilterContext & { readonly path: string },
): FilterConditions {
  const users = parseCondition(property(config, 'user_conditions'), {
    catalogue: audienceUserFields,
    timezone,
    path: under(path, 'user_conditions'),
    problems,
    grammar: 'audience',
    count,
  });
  const filters = property(config, 'event_filters');
  const events = parseEventFilters(filters, { path: under(path, 'event_filters'), timezone, problems, count });
  return { users, events };
}

const LEAF = 'performed_event';
const GROUPS = ['and', 'or'] as const;
const NODES = [...GROUPS, LEAF];

/**
 * Checks `event_filters`: `["and", node, …]`, `["or", node, …]` or `["performed_event", {…}]`. Absent, null and `[]` mean no
 * filter. Adds mistakes to `problems`; after a mistake do not use the result.
 */
function parseEventFilters(input: unknown, { path, ...context }: FilterContext & { path: string }): EventFilter | null {
  if (isNoFilter(input)) return null;
  return parseNode(input, path, 1, context) ?? null;
}

function parseNode(input: unknown, path: string, depth: number, context: FilterContext): EventFilter | undefined {
  const refuse = (message: string, at = path, allowed?: readonly string[]): undefined => {
    context.problems.push({ path: at, message, ...(allowed && { allowed }) });
  };
  if (!Array.isArray(input)) return refuse(`expected a filter: [and or or, node, …] or ["${LEAF}", {…}]`);
  if (depth > MAX_DEPTH) return refuse(`filters nest deeper than ${MAX_DEPTH}`);
  const [name, ...rest] = input as unknown[];
  const group = GROUPS.find((one) => one === name);
  if (group !== undefined) {
    if (rest.length === 0) return refuse(`${group} needs at least one filter`);
    const filters = rest.map((part, index) => parseNode(part, under(path, index + 1), depth + 1, context));
    return { type: group, filters: filters.filter((part) => part !== undefined) };
  }
  if (name !== LEAF) return refuse('unknown filter', under(path, 0), NODES);
  const tooMany = oneMore(context.count);
  if (tooMany !== undefined) return refuse(tooMany);
  if (rest.length !== 1) return refuse(`${LEAF} takes one object`, under(path, Math.min(input.length, 2)));
  return parseLeaf(rest[0], under(path, 1), context);
}

const LEAF_KEYS = ['event_id', 'negation', 'period_days', 'conditions'];

function parseLeaf(input: unknown, path: string, context: FilterContext): Performed | undefined {
  const { problems, timezone, count } = context;
  if (!isJsonObject(input)) {
    problems.push({ path, message: 'expected an object' });
    return undefined;
  }
  refuseUnknownKeys(input, LEAF_KEYS, path, problems);
  const integer = (key: string, least: number): number | undefined => {
    const given = property(input, key);
    if (given === undefined) return undefined;
    const value = safeInteger(given);
    if (value !== undefined && value >= least) return value;
    problems.push({ path: under(path, key), message: `expected an integer, from ${least}` });
    return undefined;
  };
  const eventId = integer('event_id', 1) ?? null;
  const periodDays = integer('period_days', 0) ?? 0;
  const negation = property(input, 'negation') ?? false;
  if (typeof negation !== 'boolean') {
    problems.push({ path: under(path, 'negation'), message: 'expected true or false' });
    return undefined;
  }
  const condition = parseCondition(property(input, 'conditions'), {
    catalogue: audienceEventFields,
    timezone,
    path: under(path, 'conditions'),
    problems,
    grammar: 'audience',
    count,
  });
  return { type: 'performed', eventId, negation, periodDays, condition };
}
