import { parseCondition } from '../condition/parse-condition.ts';
import { type JsonObject, property } from '../json.ts';
import { type Problem, under } from '../problem.ts';
import { CHART_AGGREGATIONS, TABLE_AGGREGATIONS } from './aggregation.ts';
import { bucketStarts } from './buckets.ts';
import { reportFields } from './fields.ts';
import { METRIC_KEYS, parseMetric } from './parse-metric.ts';
import { refuseSeparators } from './parse-separators.ts';
import { type Axis, GRANULARITIES, type Granularity, type Metric, type Period, type TrendsReport } from './report.ts';
import type { KnownKeys } from './unknown-keys.ts';

/** Charts differ in how a client draws them, not in their rows (decisions.md 4.7). */
const CHARTS: readonly string[] = ['line', 'bar', 'area', 'pie', 'column', 'number'];
const AVAILABLE: readonly string[] = [...CHARTS, 'table'];
const UTM_CHARTS: readonly string[] = ['utm_trends', 'utm_table'];

/** Bounds of decisions.md 4.10. */
const MAX_BUCKETS = 10_000;
const MAX_METRICS = 50;

const ROOT = 'source_request';

export const TRENDS_KEYS: KnownKeys = {
  type: null,
  type_chart: null,
  requests: [Object.fromEntries(METRIC_KEYS.map((key) => [key, null]))],
  filters: null,
  separators: null,
  granularity: null,
};

/** Checks a source_request of type trends. Without a period (it was refused) the rest is checked all the same. */
export function parseTrends(
  source: JsonObject,
  options: { readonly period: Period | undefined; readonly timezone: string; readonly problems: Problem[] },
): TrendsReport | undefined {
  const { period, timezone, problems } = options;
  const chart = parseChart(source, problems);
  const granularity = parseGranularity(source, problems);
  const filter = parseCondition(property(source, 'filters'), {
    catalogue: reportFields,
    timezone,
    path: under(ROOT, 'filters'),
    problems,
  });
  refuseSeparators(property(source, 'separators'), under(ROOT, 'separators'), problems);
  if (chart === undefined) return undefined;

  const metrics = parseMetrics(source, chart, options);
  if (period === undefined || granularity === undefined || metrics === undefined) return undefined;
  if (chart === 'table') return { type: 'trends', period, axis: null, metrics, filter };
  const axis = axisOf(period, granularity, problems);
  return axis && { type: 'trends', period, axis, metrics, filter };
}

function parseChart(source: JsonObject, problems: Problem[]): string | undefined {
  const chart = property(source, 'type_chart');
  if (typeof chart === 'string' && AVAILABLE.includes(chart)) return chart;
  const utm = typeof chart === 'string' && UTM_CHARTS.includes(chart);
  problems.push({
    path: under(ROOT, 'type_chart'),
    message: utm ? `${chart} is not available yet` : 'unknown type_chart for type trends',
    allowed: AVAILABLE,
  });
  return undefined;
}

function parseGranularity(source: JsonObject, problems: Problem[]): Granularity | undefined {
  const given = property(source, 'granularity') ?? 'day';
  const granularity = GRANULARITIES.find((one) => one === given);
  if (granularity === undefined)
    problems.push({ path: under(ROOT, 'granularity'), message: 'unknown granularity', allowed: GRANULARITIES });
  return granularity;
}

function parseMetrics(
  source: JsonObject,
  chart: string,
  { timezone, problems }: Parameters<typeof parseTrends>[1],
): readonly Metric[] | undefined {
  const requests = property(source, 'requests');
  const path = under(ROOT, 'requests');
  if (!Array.isArray(requests) || requests.length === 0 || requests.length > MAX_METRICS) {
    const message = requests === undefined ? 'requests is required: ' : '';
    problems.push({ path, message: `${message}an array of 1 to ${MAX_METRICS} metrics` });
    return undefined;
  }
  const aggregations = chart === 'table' ? TABLE_AGGREGATIONS : CHART_AGGREGATIONS;
  const metrics = requests.map((request: unknown, index) =>
    parseMetric(request, { path: under(path, index), aggregations, timezone, problems }),
  );
  return metrics.filter((metric) => metric !== undefined);
}

function axisOf(period: Period, granularity: Granularity, problems: Problem[]): Axis | undefined {
  const starts = bucketStarts(period, granularity, MAX_BUCKETS);
  if (starts !== undefined) return { granularity, starts };
  const message = `more than ${MAX_BUCKETS} buckets: narrow the period or widen the granularity`;
  problems.push({ path: under(ROOT, 'granularity'), message });
  return undefined;
}
