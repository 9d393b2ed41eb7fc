import { type Problem, under } from '../problem.ts';
import { type JsonObject, property } from '../storable-json.ts';
import { bucketStarts, MAX_BUCKETS } from './buckets.ts';
import { reportFields } from './fields.ts';
import { CHART_AGGREGATIONS, METRIC_KEYS, parseMetric, TABLE_AGGREGATIONS } from './parse-metric.ts';
import {
  parseChoice,
  parseCount,
  parseFilter,
  parseSeparators,
  type SourceOptions,
  sourcePath,
} from './parse-source.ts';
import {
  type Axis,
  GRANULARITIES,
  type Granularity,
  type Metric,
  type Period,
  type Separator,
  type TrendsReport,
  type UtmLimits,
} from './report.ts';
import type { KnownKeys } from './warnings.ts';

/** Charts differ only in how a client draws them; their rows are the same (decisions.md#report-rows). */
const UTM_CHARTS: readonly string[] = ['utm_trends', 'utm_table'];
const CHARTS: readonly string[] = ['line', 'bar', 'area', 'pie', 'column', 'number', 'table', ...UTM_CHARTS];

/** decisions.md#report-bounds */
const MAX_METRICS = 50;

/** Limits of UTM charts (interface.md, "UTM breakdown"). */
const COMBINATIONS = { min: 5, max: 500, byDefault: 25 };
const ROWS = { min: 1, max: 5000, byDefault: 100 };

/** UTM charts have limits and no separators; other trends have separators and no limits. */
export function trendsKeys({ utm }: TrendsReport): KnownKeys {
  return {
    type: null,
    type_chart: null,
    requests: [Object.fromEntries(METRIC_KEYS.map((key) => [key, null]))],
    filters: null,
    granularity: null,
    ...(utm === null ? { separators: null } : { breakdown_limit: null, row_limit: null }),
  };
}

const UTM_SEPARATORS: readonly Separator[] = ['source', 'medium', 'campaign', 'term', 'content'].map((key) => {
  return { name: `utm_${key}`, field: reportFields.find(`events.utm_${key}`)! };
});

/** Checks a source_request of type trends. If the period was refused, it checks the rest nevertheless. */
export function parseTrends(source: JsonObject, options: SourceOptions): TrendsReport | undefined {
  const { period, problems } = options;
  const chart = parseChart(source, problems);
  const granularity = isTable(chart) ? null : parseGranularity(source, problems);
  const filter = parseFilter(source, sourcePath('filters'), options);
  if (chart === undefined) return undefined;

  const utm = UTM_CHARTS.includes(chart) ? parseLimits(source, problems) : null;
  const separators =
    utm === null ? parseSeparators(property(source, 'separators'), sourcePath('separators'), problems) : UTM_SEPARATORS;
  const metrics = parseMetrics(source, chart, options);
  if (period === undefined || granularity === undefined || metrics === undefined) return undefined;
  const axis = granularity === null ? null : axisOf(period, granularity, problems);
  if (axis === undefined || utm === undefined) return undefined;
  return { type: 'trends', period, axis, metrics, filter, separators, utm };
}

/** A table has no axis; it ignores the granularity (interface.md, "UTM breakdown"). */
function isTable(chart: string | undefined): boolean {
  return chart === 'table' || chart === 'utm_table';
}

function parseGranularity(source: JsonObject, problems: Problem[]): Granularity | undefined {
  return parseChoice(source, 'granularity', { choices: GRANULARITIES, byDefault: 'day', problems });
}

function parseLimits(source: JsonObject, problems: Problem[]): UtmLimits | undefined {
  const combinations = parseCount(source, 'breakdown_limit', { ...COMBINATIONS, problems });
  const rows = parseCount(source, 'row_limit', { ...ROWS, problems });
  return combinations === undefined || rows === undefined ? undefined : { combinations, rows };
}

function parseChart(source: JsonObject, problems: Problem[]): string | undefined {
  const chart = property(source, 'type_chart');
  if (typeof chart === 'string' && CHARTS.includes(chart)) return chart;
  problems.push({ path: sourcePath('type_chart'), message: 'unknown type_chart for type trends', allowed: CHARTS });
  return undefined;
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
