import { parse } from 'lossless-json';
import type { ConditionCount } from '../condition/parse-condition.ts';
import { type Problem, under } from '../problem.ts';
import { NO_SAVED_SEGMENT } from '../saved-segments/saved-segment.ts';
import { isJsonObject, type JsonObject, property, safeInteger, unstorableText } from '../storable-json.ts';
import { type FilterConditions, refuseUnknownKeys, type Segment, type Segmentations } from './audience.ts';
import { FILTER_KEYS, parseFilterConditions } from './audience-filter.ts';

/** The keys of `config`, by type of segment. */
const CONFIG_KEYS = {
  all: [],
  list: ['chat_ids'],
  custom: ['segment_id'],
  channel: ['chat_ids'],
  from_task: ['task_id'],
  filter: FILTER_KEYS,
  saved: ['saved_segment_id'],
} as const satisfies Record<GivenType, readonly string[]>;

/** A saved segment becomes the filter with its conditions. */
type GivenType = Segment['type'] | 'saved';

const TYPES = Object.keys(CONFIG_KEYS) as readonly GivenType[];

/** A `from_task` names a broadcast that does not exist, or that the key does not reach. */
export const NO_SUCH_TASK = 'there is no such broadcast';

/** Counts conditions of one audience: of include and exclude, and of all filters together. */
export const MAX_SEGMENTS = 100;
/** Each has up to 100 conditions itself. */
export const MAX_SAVED_SEGMENTS = 10;

export interface SegmentationsOptions {
  /** The timezone of dates in conditions. */
  readonly timezone: string;
  /** The path of the input. */
  readonly path: string;
  readonly problems: Problem[];
  /** The lists that were uploaded for this broadcast: a custom segment names one of these. null: not checked. */
  readonly segmentIds: ReadonlySet<number> | null;
  /** The broadcasts within the key's scope that `from_task` segments may name; absent or null: not checked. */
  readonly taskIds?: ReadonlySet<number> | null;
  /**
   * The bot's saved segments that the input names ({@link savedSegmentIdsIn}); default: none. null: not looked up; the result
   * then lacks them.
   */
  readonly savedSegments?: SavedSegments | null;
}

/** The conditions of saved segments, by id. */
export type SavedSegments = ReadonlyMap<number, FilterConditions>;

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
  if (savedSegmentsIn(input).length > MAX_SAVED_SEGMENTS)
    problems.push({ path, message: `more than ${MAX_SAVED_SEGMENTS} saved segments` });
  return { include: include!, exclude: exclude! };
}

/**
 * Reads segmentations that were checked, from their JSON text.
 * @param savedSegments the saved segments that they name; null: the result lacks them
 * @throws TypeError they are invalid
 */
export function storedSegmentations(
  text: string,
  timezone: string,
  savedSegments: SavedSegments | null = new Map(),
): Segmentations {
  const problems: Problem[] = [];
  const options = { timezone, path: 'segmentations', problems, segmentIds: null, savedSegments };
  const stored = parseSegmentations(parse(text), options);
  const [problem] = problems;
  if (problem !== undefined) throw new TypeError(`stored segmentations: ${problem.message} (at ${problem.path})`);
  return stored;
}

/** The ids of the saved segments in segmentations of unknown shape, each once. */
export function savedSegmentIdsIn(input: unknown): number[] {
  const ids = savedSegmentsIn(input).map((config) => safeInteger(property(config, 'saved_segment_id')));
  return [...new Set(ids.filter((id) => id !== undefined && id > 0))] as number[];
}

/** As {@link savedSegmentIdsIn}, from JSON text. */
export function savedSegmentIdsOf(text: string): number[] {
  return savedSegmentIdsIn(parse(text));
}

/** The configs of the saved segments in segmentations of unknown shape. */
function savedSegmentsIn(input: unknown): JsonObject[] {
  const lists = isJsonObject(input) ? ['include', 'exclude'].map((key) => property(input, key)) : [];
  return lists.flatMap((list) => {
    const items: readonly unknown[] = Array.isArray(list) ? list : [];
    return items.flatMap((item) => {
      const config = isJsonObject(item) && property(item, 'type') === 'saved' ? property(item, 'config') : undefined;
      return isJsonObject(config) ? [config] : [];
    });
  });
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

function parseConfig(type: GivenType, config: JsonObject, path: string, context: Context): Segment | undefined {
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
      if (taskId === undefined) return undefined;
      if (context.taskIds?.has(taskId) ?? true) return { type, taskId };
      context.problems.push({ path: under(path, 'task_id'), message: NO_SUCH_TASK });
      return undefined;
    }
    case 'filter':
      return { type, ...parseFilterConditions(config, { ...context, path }) };
    case 'saved': {
      const id = parseId(config, 'saved_segment_id', path, context.problems);
      if (id === undefined || context.savedSegments === null) return undefined;
      const conditions = context.savedSegments?.get(id);
      if (conditions !== undefined) return { type: 'filter', ...conditions };
      context.problems.push({ path: under(path, 'saved_segment_id'), message: NO_SAVED_SEGMENT });
      return undefined;
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
