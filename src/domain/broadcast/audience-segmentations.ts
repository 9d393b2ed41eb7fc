import { parse } from 'lossless-json';
import { type ConditionCount, isNoFilter, MAX_DEPTH, oneMore, parseCondition } from '../condition/parse-condition.ts';
import { isJsonObject, type JsonObject, property, safeInteger, unstorableText } from '../json.ts';
import { type Problem, under } from '../problem.ts';
import {
  audienceEventFields,
  audienceUserFields,
  type EventFilter,
  type Performed,
  refuseUnknownKeys,
  type Segment,
  type Segmentations,
} from './audience.ts';

/** The keys of `config`, by type of segment. */
const CONFIG_KEYS = {
  all: [],
  list: ['chat_ids'],
  custom: ['segment_id'],
  channel: ['chat_ids'],
  from_task: ['task_id'],
  filter: ['user_conditions', 'event_filters'],
} as const satisfies Record<Segment['type'], readonly string[]>;

const TYPES = Object.keys(CONFIG_KEYS) as readonly Segment['type'][];

/** Counts conditions of one audience: of include and exclude, and of all filters together. */
export const MAX_SEGMENTS = 100;

export interface SegmentationsOptions {
  /** The timezone of dates in conditions. */
  readonly timezone: string;
  /** The path of the input. */
  readonly path: string;
  readonly problems: Problem[];
  /** The lists that were uploaded for this broadcast: a custom segment names one of these. null: not checked. */
  readonly segmentIds: ReadonlySet<number> | null;
}

/**
 * Checks `segmentations`; absent and null are an empty audience. Adds mistakes to `problems`; then the result must not
 * be used. Never throws. Whether the audience can be sent to is checked at activation (readiness.ts).
 */
export function parseSegmentations(input: unknown, options: SegmentationsOptions): Segmentations {
  const empty = { include: [], exclude: [] };
  const { path, problems } = options;
  if (input === undefined || input === null) return empty;
  if (!isJsonObject(input)) {
    problems.push({ path, message: 'expected an object with include and exclude' });
    return empty;
  }
  for (const problem of unstorableText(input)) problems.push({ ...problem, path: under(path, problem.path) });
  refuseUnknownKeys(input, ['include', 'exclude'], path, problems);
  const context = { ...options, count: { conditions: 0 } };
  const [include, exclude] = ['include', 'exclude'].map((key) => parseSegments(input, key, context));
  if (include!.length + exclude!.length > MAX_SEGMENTS)
    problems.push({ path, message: `more than ${MAX_SEGMENTS} segments` });
  return { include: include!, exclude: exclude! };
}

/** Reads segmentations that were checked, from their JSON text. @throws TypeError they are invalid */
export function storedSegmentations(text: string, timezone: string): Segmentations {
  const problems: Problem[] = [];
  const stored = parseSegmentations(parse(text), { timezone, path: 'segmentations', problems, segmentIds: null });
  const [problem] = problems;
  if (problem !== undefined) throw new TypeError(`stored segmentations: ${problem.message} (at ${problem.path})`);
  return stored;
}

type Context = SegmentationsOptions & { readonly count: ConditionCount };

function parseSegments(segmentations: JsonObject, key: string, context: Context): Segment[] {
  const given = property(segmentations, key) ?? [];
  const path = under(context.path, key);
  if (Array.isArray(given))
    return given
      .map((segment: unknown, index) => parseSegment(segment, under(path, index), context))
      .filter((segment) => segment !== undefined);
  context.problems.push({ path, message: 'expected an array of segments' });
  return [];
}

function parseSegment(input: unknown, path: string, context: Context): Segment | undefined {
  const { problems } = context;
  if (!isJsonObject(input)) {
    problems.push({ path, message: 'expected a segment: an object with type and config' });
    return undefined;
  }
  refuseUnknownKeys(input, ['type', 'config'], path, problems);
  const given = property(input, 'type');
  const type = TYPES.find((one) => one === given);
  if (type === undefined) {
    const message = given === undefined ? 'type is required' : 'unknown type of segment';
    problems.push({ path: under(path, 'type'), message, allowed: TYPES });
    return undefined;
  }
  const config = property(input, 'config') ?? {};
  const at = under(path, 'config');
  if (!isJsonObject(config)) {
    problems.push({ path: at, message: 'expected an object' });
    return undefined;
  }
  refuseUnknownKeys(config, CONFIG_KEYS[type], at, problems);
  return parseConfig(type, config, at, context);
}

function parseConfig(type: Segment['type'], config: JsonObject, path: string, context: Context): Segment | undefined {
  switch (type) {
    case 'all':
      return { type };
    case 'list':
    case 'channel': {
      const chatIds = parseChatIds(config, path, context.problems);
      return chatIds && { type, chatIds };
    }
    case 'custom': {
      const segmentId = parseId(config, 'segment_id', path, context.problems);
      if (segmentId === undefined) return undefined;
      if (context.segmentIds?.has(segmentId) ?? true) return { type, segmentId };
      const message = 'no list with this id was uploaded for this broadcast';
      context.problems.push({ path: under(path, 'segment_id'), message });
      return undefined;
    }
    case 'from_task': {
      const taskId = parseId(config, 'task_id', path, context.problems);
      return taskId === undefined ? undefined : { type, taskId };
    }
    case 'filter': {
      const { timezone, problems, count } = context;
      const users = parseCondition(property(config, 'user_conditions'), {
        catalogue: audienceUserFields,
        timezone,
        path: under(path, 'user_conditions'),
        problems,
        grammar: 'audience',
        count,
      });
      const events = property(config, 'event_filters');
      return { type, users, events: parseEventFilters(events, { ...context, path: under(path, 'event_filters') }) };
    }
  }
}

function parseChatIds(config: JsonObject, path: string, problems: Problem[]): number[] | undefined {
  const given = property(config, 'chat_ids');
  const at = under(path, 'chat_ids');
  if (!Array.isArray(given)) {
    problems.push({
      path: at,
      message: `${given === undefined ? 'chat_ids is required: ' : ''}expected an array of ids`,
    });
    return undefined;
  }
  return given.flatMap((value: unknown, index) => {
    const id = safeInteger(value);
    if (id !== undefined && id !== 0) return [id];
    problems.push({ path: under(at, index), message: 'expected an integer other than 0' });
    return [];
  });
}

function parseId(config: JsonObject, key: string, path: string, problems: Problem[]): number | undefined {
  const given = property(config, key);
  const id = safeInteger(given);
  if (id !== undefined && id > 0) return id;
  const message = given === undefined ? `${key} is required` : 'expected a positive integer';
  problems.push({ path: under(path, key), message });
  return undefined;
}

const LEAF = 'performed_event';
const GROUPS = ['and', 'or'] as const;
const NODES = [...GROUPS, LEAF];

interface FilterContext {
  readonly timezone: string;
  readonly problems: Problem[];
  readonly count: ConditionCount;
}

/**
 * Checks `event_filters`: `[and or or, node, …]` and `["performed_event", {…}]`. Absent, null and `[]` are no filter. Adds
 * mistakes to `problems`; then the result must not be used.
 */
export function parseEventFilters(
  input: unknown,
  { path, ...context }: FilterContext & { path: string },
): EventFilter | null {
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
