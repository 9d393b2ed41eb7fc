import { under } from '../problem.ts';
import { type JsonObject, property } from '../storable-json.ts';
import { CHART_AGGREGATIONS, METRIC_KEYS, parseMetric, TABLE_AGGREGATIONS } from './parse-metric.ts';
import {
  checkChart,
  parseChoice,
  parseCount,
  parseFilter,
  parseSeparators,
  type SourceOptions,
  sourcePath,
} from './parse-source.ts';
import { FUNNEL_ORDERS, type FunnelReport, type Step } from './report.ts';
import type { KnownKeys } from './warnings.ts';

/** Bounds of decisions.md#funnels. */
const MIN_STEPS = 2;
const MAX_STEPS = 20;

/** A step ignores its `agr`, so that any known one is accepted. */
const AGGREGATIONS = new Map([...TABLE_AGGREGATIONS, ...CHART_AGGREGATIONS]);

const SECOND_MS = 1000;
const DAY_MS = 86_400 * SECOND_MS;
/** Windows are durations, not calendar days (decisions.md#funnels). */
const UNITS = {
  second: SECOND_MS,
  minute: 60 * SECOND_MS,
  hour: 3600 * SECOND_MS,
  day: DAY_MS,
  week: 7 * DAY_MS,
  month: 30 * DAY_MS,
} as const;
type WindowUnit = keyof typeof UNITS;
export const WINDOW_UNITS = Object.keys(UNITS) as readonly WindowUnit[];
const DEFAULT_WINDOW = 14;
const DEFAULT_UNIT: WindowUnit = 'day';

export const FUNNEL_KEYS: KnownKeys = {
  type: null,
  type_chart: null,
  requests: [Object.fromEntries(METRIC_KEYS.map((key) => [key, null]))],
  filters: null,
  separators: null,
  funnel_window: null,
  funnel_window_unit: null,
  funnel_order_type: null,
};

/** Checks a source_request of type funnels (interface.md, "Funnel"). */
export function parseFunnel(source: JsonObject, options: SourceOptions): FunnelReport | undefined {
  const { period, problems } = options;
  checkChart(source, 'funnels', problems);
  const steps = parseSteps(source, options);
  const windowMs = parseWindow(source, options);
  const order = parseChoice(source, 'funnel_order_type', { choices: FUNNEL_ORDERS, byDefault: 'ordered', problems });
  const filter = parseFilter(source, sourcePath('filters'), options);
  const separators = parseSeparators(property(source, 'separators'), sourcePath('separators'), problems);
  if (period === undefined || steps === undefined || windowMs === undefined || order === undefined) return undefined;
  return { type: 'funnels', period, steps, windowMs, order, filter, separators };
}

function parseSteps(source: JsonObject, { timezone, problems }: SourceOptions): readonly Step[] | undefined {
  const requests = property(source, 'requests');
  const path = sourcePath('requests');
  if (!Array.isArray(requests) || requests.length < MIN_STEPS || requests.length > MAX_STEPS) {
    const message = requests === undefined ? 'requests is required: ' : '';
    problems.push({ path, message: `${message}an array of ${MIN_STEPS} to ${MAX_STEPS} steps` });
    return undefined;
  }
  const steps = requests.map((request: unknown, index) =>
    parseMetric(request, { path: under(path, index), aggregations: AGGREGATIONS, timezone, problems }),
  );
  return steps.filter((step) => step !== undefined);
}

/** @returns milliseconds */
function parseWindow(source: JsonObject, { problems }: SourceOptions): number | undefined {
  const bounds = { min: 1, max: Number.MAX_SAFE_INTEGER, byDefault: DEFAULT_WINDOW, problems };
  const count = parseCount(source, 'funnel_window', bounds);
  const unit = parseChoice(source, 'funnel_window_unit', { choices: WINDOW_UNITS, byDefault: DEFAULT_UNIT, problems });
  return count === undefined || unit === undefined ? undefined : count * UNITS[unit];
}
