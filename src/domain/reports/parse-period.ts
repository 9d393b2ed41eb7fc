import { Temporal } from 'temporal-polyfill';
import { yearProblem } from '../condition/parse-value.ts';
import { isJsonObject, type JsonObject, property } from '../json.ts';
import { instantsOf, LOCAL_TIME_FORMAT, parseLocalTime } from '../local-time.ts';
import type { Problem } from '../problem.ts';
import type { Period } from './report.ts';

const PARAMS = 'settings.params';
const FROM = ':date_from';
const TO = ':date_to';

/** `:date_to` has whole seconds and events have milliseconds: the second that it names belongs to the period. */
const LAST_SECOND_MS = 1000;

/** Reads `settings.params` of a report_config as a period by the clock of `timezone` (decisions.md#time-zones). */
export function parsePeriod(config: JsonObject, timezone: string, problems: Problem[]): Period | undefined {
  const params = paramsOf(config, problems);
  if (params === undefined) return undefined;
  const from = parseDate(params, FROM, problems);
  const to = parseDate(params, TO, problems);
  if (from === undefined || to === undefined) return undefined;
  const period = {
    timezone,
    from: instantsOf(from, timezone).first,
    to: instantsOf(to, timezone).last + LAST_SECOND_MS,
  };
  if (Temporal.PlainDateTime.compare(from, to) <= 0 && period.from < period.to) return period;
  problems.push({ path: `${PARAMS}.${FROM}`, message: `${FROM} is after ${TO}` });
  return undefined;
}

function paramsOf(config: JsonObject, problems: Problem[]): JsonObject | undefined {
  const settings = property(config, 'settings') ?? {};
  if (!isJsonObject(settings)) {
    problems.push({ path: 'settings', message: 'expected an object' });
    return undefined;
  }
  const params = property(settings, 'params') ?? {};
  if (isJsonObject(params)) return params;
  problems.push({ path: PARAMS, message: 'expected an object' });
  return undefined;
}

function parseDate(params: JsonObject, key: string, problems: Problem[]): Temporal.PlainDateTime | undefined {
  const refuse = (message: string): undefined => {
    problems.push({ path: `${PARAMS}.${key}`, message });
  };
  const text = property(params, key);
  if (text === undefined) return refuse(`${key} is required: ${LOCAL_TIME_FORMAT}`);
  const local = typeof text === 'string' ? parseLocalTime(text) : undefined;
  if (local === undefined) return refuse(`expected a date as ${LOCAL_TIME_FORMAT}`);
  const problem = yearProblem(local);
  return problem === undefined ? local : refuse(problem);
}
