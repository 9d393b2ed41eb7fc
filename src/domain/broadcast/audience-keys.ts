import type { JsonObject } from '../json.ts';
import { type Problem, under } from '../problem.ts';

/** A misspelt key must not pass: it would send to others than those who were meant. */
export function refuseUnknownKeys(
  object: JsonObject,
  known: readonly string[],
  path: string,
  problems: Problem[],
): void {
  for (const key of Object.keys(object))
    if (!known.includes(key)) problems.push({ path: under(path, key), message: 'unknown key', allowed: known });
}
