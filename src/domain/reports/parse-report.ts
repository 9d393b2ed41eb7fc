import { isJsonObject, type JsonObject, property, unstorableText } from '../json.ts';
import type { Problem, Warning } from '../problem.ts';
import { type NamedEvent, namedEvents } from './named-events.ts';
import { FUNNEL_KEYS, parseFunnel } from './parse-funnel.ts';
import { LIST_KEYS, parseList } from './parse-list.ts';
import { parsePeriod } from './parse-period.ts';
import { parseRetention, RETENTION_KEYS } from './parse-retention.ts';
import { parseTrends, trendsKeys } from './parse-trends.ts';
import type { Report } from './report.ts';
import { unknownKeys } from './unknown-keys.ts';

export type ParsedReport =
  | {
      readonly ok: true;
      readonly report: Report;
      readonly warnings: readonly Warning[];
      readonly events: readonly NamedEvent[];
    }
  | { readonly ok: false; readonly problems: readonly Problem[] };

const PARSERS = { trends: parseTrends, list: parseList, funnels: parseFunnel, retention: parseRetention } as const;
type ReportType = keyof typeof PARSERS;
const SOURCE_KEYS = { list: LIST_KEYS, funnels: FUNNEL_KEYS, retention: RETENTION_KEYS } as const;

/**
 * Checks a report_config, of which nothing is known, and gives the report that it asks for. Its dates are read by the
 * clock of `timezone`, the bot's. Never throws; without a report there is at least one problem.
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
  return { ok: true, report, warnings: unknownKeys(config, known), events: namedEvents(source.request) };
}

const SETTINGS_KEYS = { params: { ':date_from': null, ':date_to': null } };

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
