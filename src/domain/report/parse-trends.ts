import { type JsonObject, property } from '../json.ts';
import { type Problem, under } from '../problem.ts';
import { CHART_AGGREGATIONS, TABLE_AGGREGATIONS } from './aggregation.ts';
import { bucketStarts, MAX_BUCKETS } from './buckets.ts';
import { METRIC_KEYS, parseMetric } from './parse-metric.ts';
import { parseSeparators } from './parse-separators.ts';
import { parseChoice, parseFilter, type SourceOptions, sourcePath } from './parse-source.ts';
import { type Axis, GRANULARITIES, type Granularity, type Metric, type Period, type TrendsReport } from './report.ts';
import type { KnownKeys } from './unknown-keys.ts';

/** Charts differ in how a client draws them, not in their rows (decisions.md 4.7). */
const CHARTS: readonly string[] = ['line', 'bar', 'area', 'pie', 'column', 'number'];
const AVAILABLE: readonly string[] = [...CHARTS, 'table'];
const UTM_CHARTS: readonly string[] = ['utm_trends', 'utm_table'];

/** decisions.md 4.10 */
const MAX_METRICS = 50;

export const TRENDS_KEYS: KnownKeys = {
  type: null,
  type_chart: null,
  requests: [Object.fromEntries(METRIC_KEYS.map((key) => [key, null]))],
  filters: null,
  separators: null,
  granularity: null,
};

/** Checks a source_request of type trends. Without a period (it was refused) the rest is checked all the same. */
export function parseTrends(source: JsonObject, options: SourceOptions): TrendsReport | undefined {
  const { period, problems } = options;
  const chart = parseChart(source, problems);
  const granularity = parseChoice(source, 'granularity', { choices: GRANULARITIES, byDefault: 'day', problems });
  const filter = parseFilter(source, sourcePath('filters'), options);
  refuseSeparators(source, problems);
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
    path: sourcePath('type_chart'),
    message: utm ? `${chart} is not available yet` : 'unknown type_chart for type trends',
    allowed: AVAILABLE,
  });
  return undefined;
}

/** Trends have no breakdown yet: good separators are refused too, in other words than wrong ones. */
function refuseSeparators(source: JsonObject, problems: Problem[]): void {
  const path = sourcePath('separators');
  for (const [index] of parseSeparators(property(source, 'separators'), path, problems).entries())
    problems.push({ path: under(path, `${index}.property`), message: 'separators of trends are not available yet' });
}

function parseMetrics(
  source: JsonObject,
  chart: string,
  { timezone, problems }: SourceOptions,
): readonly Metric[] | undefined {
  const requests = property(source, 'requests');
  const path = sourcePath('requests');
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
  problems.push({ path: sourcePath('granularity'), message });
  return undefined;
}
