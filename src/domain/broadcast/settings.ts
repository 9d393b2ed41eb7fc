import type { z } from 'zod';
import { type Problem, under } from '../problem.ts';
import { isJsonObject, type JsonObject, property, safeInteger } from '../storable-json.ts';
import type { broadcastSettings } from './broadcast-events.ts';

/** How a broadcast is sent (interface.md, "Sending settings"). */
export type BroadcastSettings = z.infer<typeof broadcastSettings>;

export const DEFAULT_SETTINGS: BroadcastSettings = {
  intervalCap: 10,
  rateLimitOnError: { stop: true, extraDelay: 0 },
};

/** Messages a second (decisions.md#sending-speed). */
export const MAX_CAP = 30;
export const MAX_PAID_CAP = 1000;
/** A day between two messages, in milliseconds; more is a mistake. */
const MAX_EXTRA_DELAY = 24 * 60 * 60 * 1000;

/**
 * Checks settings and fills in defaults. Adds mistakes to `problems`; then the result must not be used.
 * @param maxCap MAX_CAP, or for bots with paid broadcasts MAX_PAID_CAP
 */
export function parseSettings(input: unknown, maxCap: number, path: string, problems: Problem[]): BroadcastSettings {
  const given = objectOf(input, ['intervalCap', 'rateLimitOnError', 'track_clicks'], path, problems);
  const at = under(path, 'rateLimitOnError');
  const onError = objectOf(property(given, 'rateLimitOnError') ?? {}, ['stop', 'extraDelay'], at, problems);
  const defaults = DEFAULT_SETTINGS.rateLimitOnError;
  const stop = property(onError, 'stop') ?? defaults.stop;
  if (typeof stop !== 'boolean') problems.push({ path: under(at, 'stop'), message: 'must be true or false' });
  const tracks = property(given, 'track_clicks');
  if (tracks !== undefined && typeof tracks !== 'boolean')
    problems.push({ path: under(path, 'track_clicks'), message: 'must be true or false' });
  return {
    ...(typeof tracks === 'boolean' ? { track_clicks: tracks } : {}),
    intervalCap: integer(given, 'intervalCap', [1, maxCap], DEFAULT_SETTINGS.intervalCap, path, problems),
    rateLimitOnError: {
      stop: stop === true,
      extraDelay: integer(onError, 'extraDelay', [0, MAX_EXTRA_DELAY], defaults.extraDelay, at, problems),
    },
  };
}

function objectOf(input: unknown, keys: readonly string[], path: string, problems: Problem[]): JsonObject {
  if (!isJsonObject(input)) {
    problems.push({ path, message: 'must be an object' });
    return {};
  }
  for (const key of Object.keys(input))
    if (!keys.includes(key))
      problems.push({ path: under(path, key), message: 'there is no such setting', allowed: keys });
  return input;
}

function integer(
  given: JsonObject,
  key: string,
  [min, max]: readonly [number, number],
  byDefault: number,
  path: string,
  problems: Problem[],
): number {
  const value = property(given, key);
  const number = value === undefined ? byDefault : safeInteger(value);
  if (number !== undefined && number >= min && number <= max) return number;
  problems.push({ path: under(path, key), message: `must be an integer from ${min} to ${max}` });
  return byDefault;
}
