import { stringify } from 'lossless-json';
import { parseSegmentations, type SavedSegments } from '../../domain/broadcast/audience-segmentations.ts';
import type { BroadcastContent } from '../../domain/broadcast/broadcast.ts';
import { MESSAGE_TYPES, type MessageType } from '../../domain/broadcast/broadcast-events.ts';
import { parseMessage } from '../../domain/broadcast/message.ts';
import { parseSettings } from '../../domain/broadcast/settings.ts';
import { parseVariants } from '../../domain/broadcast/variants.ts';
import { MAX_NAME_LENGTH, textProblem } from '../../domain/catalog/checks.ts';
import { instantsOf, LOCAL_TIME_FORMAT, parseLocalTime } from '../../domain/local-time.ts';
import type { Problem } from '../../domain/problem.ts';
import { isJsonObject, type JsonObject, property, safeInteger } from '../../domain/storable-json.ts';
import { invalid } from '../api-errors.ts';

export interface ContentContext {
  readonly type: MessageType;
  /** The bot's timezone. */
  readonly timezone: string;
  readonly maxCap: number;
  /** The ids of the lists uploaded for the broadcast; null: the audience names too many lists to check. */
  readonly segmentIds: ReadonlySet<number> | null;
  /** The ids of broadcasts that the audience names and the key may use; null: too many to check. */
  readonly taskIds: ReadonlySet<number> | null;
  /** The bot's saved segments that the audience names; null: too many to check. */
  readonly savedSegments: SavedSegments | null;
}

/** Checks the fields that create, save and activate share. The result lacks the fields that the body lacks. */
export function parseContent(body: JsonObject, context: ContentContext, problems: Problem[]): BroadcastContent {
  const { type, timezone, maxCap, segmentIds, taskIds, savedSegments } = context;
  const content: { -readonly [K in keyof BroadcastContent]: BroadcastContent[K] } = {};
  const name = property(body, 'name');
  if (name !== undefined) content.name = parseName(name, problems);
  const message = property(body, 'message');
  if (message !== undefined) content.message = parseMessage(type, message, 'message', problems);
  const variants = property(body, 'variants');
  if (variants !== undefined) content.variants = parseVariants(type, variants, 'variants', problems);
  if (message !== undefined && Array.isArray(variants) && variants.length > 0)
    problems.push({ path: 'variants', message: 'must be absent if message is given' });
  const settings = property(body, 'settings');
  if (settings !== undefined) content.settings = parseSettings(settings, maxCap, 'settings', problems);
  const segmentations = property(body, 'segmentations');
  if (segmentations !== undefined) {
    const options = { timezone, path: 'segmentations', problems, segmentIds, taskIds, savedSegments };
    parseSegmentations(segmentations, options);
    content.segmentations = segmentationsText(segmentations);
  }
  // Null removes the date; an absent field keeps it (decisions.md#date-send).
  if (Object.hasOwn(body, 'date_send')) content.date_send = parseDate(body['date_send'], timezone, problems);
  return content;
}

export const EMPTY_SEGMENTATIONS = segmentationsText({});

/** The JSON text with all digits of the request's numbers. */
function segmentationsText(given: unknown): string {
  const object = isJsonObject(given) ? given : {};
  return stringify({ include: property(object, 'include') ?? [], exclude: property(object, 'exclude') ?? [] })!;
}

function parseName(name: unknown, problems: Problem[]): string {
  const message = typeof name === 'string' ? textProblem('name', name, MAX_NAME_LENGTH)?.message : 'must be a string';
  if (message !== undefined) problems.push({ path: 'name', message });
  return String(name);
}

function parseDate(given: unknown, timezone: string, problems: Problem[]): number | null {
  if (given === null) return null;
  const local = typeof given === 'string' ? parseLocalTime(given) : undefined;
  if (local !== undefined && local.year >= 1970 && local.year <= 2100) return instantsOf(local, timezone).first;
  const message = `must be ${LOCAL_TIME_FORMAT} in the bot's time zone, in the years 1970 to 2100`;
  problems.push({ path: 'date_send', message });
  return null;
}

export function parseType(body: JsonObject, problems: Problem[]): MessageType | undefined {
  const given = property(body, 'type');
  const type = MESSAGE_TYPES.find((one) => one === given);
  if (type === undefined)
    problems.push({
      path: 'type',
      message: given === undefined ? 'type is required' : 'must be a type of message',
      allowed: MESSAGE_TYPES,
    });
  return type;
}

/** An object of any shape. @throws ApiError 400 */
export function objectOf(body: unknown): JsonObject {
  if (isJsonObject(body)) return body;
  throw invalid([{ path: '', message: 'the body must be an object' }]);
}

/** The id of a broadcast in a body. @throws ApiError 400 */
export function idOf(body: unknown, key: 'id' | 'task_id'): number {
  const given = property(objectOf(body), key);
  const id = safeInteger(given);
  if (id !== undefined && id > 0) return id;
  const message = given === undefined ? `${key} is required` : 'must be the id of a broadcast';
  throw invalid([{ path: key, message }]);
}
