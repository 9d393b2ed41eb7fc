import { parse } from 'lossless-json';
import { type FilterConditions, refuseUnknownKeys } from '../broadcast/audience.ts';
import { FILTER_KEYS, parseFilterConditions } from '../broadcast/audience-filter.ts';
import { type Problem, under } from '../problem.ts';
import { isJsonObject, unstorableText } from '../storable-json.ts';

/** Fewer than a filter may have: an audience or a report may name several saved segments. */
const MAX_SAVED_CONDITIONS = 100;

/**
 * Checks the conditions of a saved segment. They have the form of a filter segment. At least one is needed. Adds
 * mistakes to `problems`; then the result must not be used. Never throws.
 */
export function parseSavedConditions(
  input: unknown,
  { timezone, path, problems }: { readonly timezone: string; readonly path: string; readonly problems: Problem[] },
): FilterConditions {
  const none = { users: null, events: null };
  if (!isJsonObject(input)) {
    problems.push({ path, message: input === undefined ? 'conditions is required' : 'expected an object' });
    return none;
  }
  for (const problem of unstorableText(input)) problems.push({ ...problem, path: under(path, problem.path) });
  refuseUnknownKeys(input, FILTER_KEYS, path, problems);
  const before = problems.length;
  const count = { conditions: 0 };
  const conditions = parseFilterConditions(input, { timezone, path, problems, count });
  if (problems.length === before && conditions.users === null && conditions.events === null)
    problems.push({ path, message: 'user_conditions or event_filters is required' });
  if (count.conditions > MAX_SAVED_CONDITIONS)
    problems.push({ path, message: `more than ${MAX_SAVED_CONDITIONS} conditions` });
  return conditions;
}

/** Reads conditions that were checked, from their JSON text. @throws TypeError they are invalid */
export function storedConditions(text: string, timezone: string): FilterConditions {
  const problems: Problem[] = [];
  const conditions = parseSavedConditions(parse(text), { timezone, path: 'conditions', problems });
  const [problem] = problems;
  if (problem !== undefined) throw new TypeError(`stored conditions: ${problem.message} (at ${problem.path})`);
  return conditions;
}
