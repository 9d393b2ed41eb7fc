import { Temporal } from 'temporal-polyfill';
import { yearProblem } from '../condition/parse-value.ts';
import { instantsOf, LOCAL_TIME_FORMAT, parseLocalTime } from '../local-time.ts';
import type { Problem, Warning } from '../problem.ts';
import { isJsonObject, type JsonObject, property, unstorableText } from '../storable-json.ts';
import { FUNNEL_KEYS, parseFunnel } from './parse-funnel.ts';
import { LIST_KEYS, parseList } from './parse-list.ts';
import { parseRetention, RETENTION_KEYS } from './parse-retention.ts';
import { parseTrends, trendsKeys } from './parse-trends.ts';
import type { Period, Report } from './report.ts';
import {
  type NamedEvent,
  type NamedProperty,
  type NamedSavedSegment,
  namedEvents,
  namedProperties,
  namedSavedSegments,
  unknownKeys,
} from './warnings.ts';

type ParsedReport =
  | {
      readonly ok: true;
      readonly report: Report;
      readonly warnings: readonly Warning[];
      readonly events: readonly NamedEvent[];
      readonly properties: readonly NamedProperty[];
      readonly savedSegments: readonly NamedSavedSegment[];
    }
  | { readonly ok: false; readonly problems: readonly Problem[] };

const PARSERS = { trends: parseTrends, list: parseList, funnels: parseFunnel, retention: parseRetention } as const;
type ReportType = keyof typeof PARSERS;
const SOURCE_KEYS = { list: LIST_KEYS, funnels: FUNNEL_KEYS, retention: RETENTION_KEYS } as const;

/**
 * Checks a report_config of unknown shape and gives its report. Dates are local times of the bot's `timezone`. It never
 * throws: the result has a report or at least one problem.
 */
export function parseReport(config: unknown, timezone: string): ParsedReport {
  if (!isJsonObject(config)) return { ok: false, problems: [{ path: 'report_config', message: 'expected an object' }] };
  const problems = unstorableText(config);
  const period = parsePeriod(config, timezone, problems);
  const source = sourceOf(config, problems);
  const report = source && PARSERS[source.type](source.request, { period, timezone, problems });
  if (problems.length > 0 || report === undefined || source === undefined) return { ok: false, problems };
  const known = {
    settings: SETTINGS_KEYS,
    source_request: report.type === 'trends' ? trendsKeys(report) : SOURCE_KEYS[report.type],
  };
  const { request } = source;
  const savedSegments = namedSavedSegments(request);
  const tooMany = tooManySegments(savedSegments);
  if (tooMany !== undefined) return { ok: false, problems: [tooMany] };
  const warnings = unknownKeys(config, known);
  const named = { events: namedEvents(request), properties: namedProperties(request), savedSegments };
  return { ok: true, report, warnings, ...named };
}

/** Each is a scan of events, and as many conditions as a saved segment may have. */
const MAX_SAVED_SEGMENT_FIELDS = 10;

/** A problem of the first one that is too many. */
function tooManySegments(named: readonly NamedSavedSegment[]): Problem | undefined {
  const ids = new Set<number>();
  const first = named.find(({ id }) => ids.add(id).size > MAX_SAVED_SEGMENT_FIELDS);
  return first && { path: first.path, message: `a report names at most ${MAX_SAVED_SEGMENT_FIELDS} saved segments` };
}

/** `period` is the client's own (decisions.md#saved-periods). */
const SETTINGS_KEYS = { params: { ':date_from': null, ':date_to': null }, period: null };

function sourceOf(
  config: JsonObject,
  problems: Problem[],
): { readonly type: ReportType; readonly request: JsonObject } | undefined {
  const source = property(config, 'source_request');
  if (!isJsonObject(source)) {
    const message = source === undefined ? 'source_request is required' : 'expected an object';
    problems.push({ path: 'source_request', message });
    return undefined;
  }
  const type = property(source, 'type');
  if (isReportType(type)) return { type, request: source };
  problems.push({
    path: 'source_request.type',
    message: 'unknown type of report',
    allowed: Object.keys(PARSERS),
  });
  return undefined;
}

function isReportType(type: unknown): type is ReportType {
  return typeof type === 'string' && Object.hasOwn(PARSERS, type);
}

const PARAMS = 'settings.params';
const FROM = ':date_from';
const TO = ':date_to';

/** `:date_to` is a whole second and belongs to the period; events have milliseconds. */
const LAST_SECOND_MS = 1000;

/** Reads the period in `settings.params` of a report_config, as local times of `timezone` (decisions.md#time-zones). */
function parsePeriod(config: JsonObject, timezone: string, problems: Problem[]): Period | undefined {
  const params = paramsOf(config, problems);
  if (params === undefined) return undefined;
  return periodOf({ from: [`${PARAMS}.${FROM}`, FROM], to: [`${PARAMS}.${TO}`, TO] }, params, timezone, problems);
}

/** The path for problems, and the key that holds the date. */
type DateKey = readonly [path: string, key: string];

/** Reads a period from two local times of `timezone`; the second that the end names belongs to the period. */
export function periodOf(
  keys: { readonly from: DateKey; readonly to: DateKey },
  given: JsonObject,
  timezone: string,
  problems: Problem[],
): Period | undefined {
  const from = parseDate(given, keys.from, problems);
  const to = parseDate(given, keys.to, problems);
  if (from === undefined || to === undefined) return undefined;
  const period = {
    timezone,
    from: instantsOf(from, timezone).first,
    to: instantsOf(to, timezone).last + LAST_SECOND_MS,
  };
  if (Temporal.PlainDateTime.compare(from, to) <= 0 && period.from < period.to) return period;
  problems.push({ path: keys.from[0], message: `${keys.from[1]} is after ${keys.to[1]}` });
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

function parseDate(given: JsonObject, [path, key]: DateKey, problems: Problem[]): Temporal.PlainDateTime | undefined {
  const refuse = (message: string): undefined => {
    problems.push({ path, message });
  };
  const text = property(given, key);
  if (text === undefined) return refuse(`${key} is required: ${LOCAL_TIME_FORMAT}`);
  const local = typeof text === 'string' ? parseLocalTime(text) : undefined;
  if (local === undefined) return refuse(`expected a date as ${LOCAL_TIME_FORMAT}`);
  const problem = yearProblem(local);
  return problem === undefined ? local : refuse(problem);
}
