import { isJsonObject, type JsonObject, property, unstorableText } from '../json.ts';
import type { Problem, Warning } from '../problem.ts';
import { parsePeriod } from './parse-period.ts';
import { parseTrends, TRENDS_KEYS } from './parse-trends.ts';
import type { Report } from './report.ts';
import { unknownKeys } from './unknown-keys.ts';

export type ParsedReport =
  | { readonly ok: true; readonly report: Report; readonly warnings: readonly Warning[] }
  | { readonly ok: false; readonly problems: readonly Problem[] };

/** The document's types, and which of them can be run. */
const TYPES: readonly string[] = ['trends', 'list', 'funnels', 'retention'];
const AVAILABLE: readonly string[] = ['trends'];

/**
 * Checks a report_config, of which nothing is known, and gives the report that it asks for. Its dates are read by the
 * clock of `timezone`, the bot's. Never throws; without a report there is at least one problem.
 */
export function parseReport(config: unknown, timezone: string): ParsedReport {
  if (!isJsonObject(config)) return { ok: false, problems: [{ path: 'report_config', message: 'expected an object' }] };
  const problems = unstorableText(config);
  const period = parsePeriod(config, timezone, problems);
  const source = sourceOf(config, problems);
  const report = source && parseTrends(source, { period, timezone, problems });
  if (problems.length > 0 || report === undefined) return { ok: false, problems };
  return { ok: true, report, warnings: unknownKeys(config, KNOWN_KEYS) };
}

const KNOWN_KEYS = {
  settings: { params: { ':date_from': null, ':date_to': null } },
  source_request: TRENDS_KEYS,
};

function sourceOf(config: JsonObject, problems: Problem[]): JsonObject | undefined {
  const source = property(config, 'source_request');
  if (!isJsonObject(source)) {
    const message = source === undefined ? 'source_request is required' : 'expected an object';
    problems.push({ path: 'source_request', message });
    return undefined;
  }
  const type = property(source, 'type');
  if (typeof type === 'string' && AVAILABLE.includes(type)) return source;
  const known = typeof type === 'string' && TYPES.includes(type);
  problems.push({
    path: 'source_request.type',
    message: known ? `${type} reports are not available yet` : 'unknown type of report',
    allowed: AVAILABLE,
  });
  return undefined;
}
