import { type Group, NO_FILTER } from '../parts/filter.ts';

/** A report as its page has it: all of it is in the address, as JSON in the parameter `report`. */
export interface ReportState {
  readonly type: ReportType;
  readonly chart: string;
  /** Metrics of trends and campaigns, steps of a funnel, and the two events of a retention. */
  readonly metrics: readonly Metric[];
  readonly filter: Group;
  readonly breakdown: readonly string[];
  readonly period: Period;
  readonly granularity: Granularity;
  readonly compare: boolean;
  readonly funnel: { readonly order: FunnelOrder; readonly window: number; readonly unit: WindowUnit };
  readonly retention: { readonly cohorts: CohortType; readonly intervals: number; readonly view: 'heat' | 'lines' };
  readonly list: { readonly columns: readonly string[]; readonly limit: number };
  /** Of the saved report that it began as. */
  readonly uuid?: string;
}

export const TYPES = ['trends', 'utm', 'funnels', 'retention', 'list'] as const;
export type ReportType = (typeof TYPES)[number];
export const GRANULARITIES = ['hour', 'day', 'week', 'month'] as const;
export type Granularity = (typeof GRANULARITIES)[number];
export const FUNNEL_ORDERS = ['ordered', 'strict', 'unordered'] as const;
export type FunnelOrder = (typeof FUNNEL_ORDERS)[number];
export const WINDOW_UNITS = ['second', 'minute', 'hour', 'day', 'week', 'month'] as const;
export type WindowUnit = (typeof WINDOW_UNITS)[number];
export const COHORT_TYPES = ['retention_first_time', 'retention_first_time_ever', 'retention_recurring'] as const;
export type CohortType = (typeof COHORT_TYPES)[number];

export const CHARTS: Readonly<Record<ReportType, readonly string[]>> = {
  trends: ['line', 'area', 'bar', 'column', 'pie', 'number', 'table'],
  utm: ['utm_trends', 'utm_table'],
  funnels: ['funnels'],
  retention: ['retention'],
  list: ['list'],
};

export const TABLE_AGGREGATIONS = ['total', 'total_uniq', 'avg', 'min', 'max', 'median'] as const;
export const CHART_AGGREGATIONS = [
  'total',
  'total_uniq_user_id',
  'total_uniq_session_id',
  'total_uniq_app_session_id',
  'avg_user_id',
  'min_user_id',
  'max_user_id',
  'median_user_id',
  'property_sum',
  'property_avg',
  'property_min',
  'property_max',
  'property_median',
] as const;
export type AggregationName = (typeof TABLE_AGGREGATIONS)[number] | (typeof CHART_AGGREGATIONS)[number];

/** The same aggregation in the other set: a change of the chart keeps the quantity that is counted. */
const OTHER_SET: Readonly<Record<string, AggregationName>> = {
  total_uniq: 'total_uniq_user_id',
  avg: 'avg_user_id',
  min: 'min_user_id',
  max: 'max_user_id',
  median: 'median_user_id',
  total_uniq_user_id: 'total_uniq',
  avg_user_id: 'avg',
  min_user_id: 'min',
  max_user_id: 'max',
  median_user_id: 'median',
};

export const AMOUNT_FIELDS = ['events.value_amount', 'events.value_int'] as const;
export type AmountField = (typeof AMOUNT_FIELDS)[number];

export interface Metric {
  /** Null: any event. */
  readonly event: number | null;
  readonly name: string;
  readonly agr: AggregationName;
  readonly field?: AmountField;
  readonly filter?: Group;
}

export const PRESETS = ['today', 'yesterday', '7d', '30d', '90d', 'month', 'last-month'] as const;
export type Preset = (typeof PRESETS)[number];

/** A preset moves with the day; dates `YYYY-MM-DD` stay, both included. */
export type Period = Preset | { readonly from: string; readonly to: string };

export const START: ReportState = {
  type: 'trends',
  chart: 'line',
  metrics: [{ event: null, name: 'all', agr: 'total_uniq_user_id' }],
  filter: NO_FILTER,
  breakdown: [],
  period: '30d',
  granularity: 'day',
  compare: false,
  funnel: { order: 'ordered', window: 14, unit: 'day' },
  retention: { cohorts: 'retention_first_time', intervals: 8, view: 'heat' },
  list: { columns: ['events.date', 'events.user_id', 'events.event_type_id'], limit: 50 },
};

/** Reads the state from the address; values that are missing are those of {@link START}, which itself stands for a text that is no report. */
export function readState(text: string | null): ReportState {
  if (text === null) return START;
  try {
    const read = JSON.parse(text) as Partial<ReportState>;
    const { type = START.type } = read;
    if (!TYPES.includes(type) || typeof read !== 'object') return START;
    const chart = CHARTS[type].includes(read.chart ?? '') ? read.chart! : CHARTS[type][0]!;
    return withType({ ...START, ...read, type, chart }, type, chart);
  } catch {
    return START;
  }
}

/** The state as text for the address, without values that equal those of {@link START}. */
export function writeState(state: ReportState): string {
  const entries = Object.entries(state).filter(
    ([key, value]) => JSON.stringify(value) !== JSON.stringify(START[key as keyof ReportState]),
  );
  return JSON.stringify(Object.fromEntries(entries));
}

/** The state shown another way: metrics are counted as the chart allows, and there are as many as the type needs. */
export function withType(state: ReportState, type: ReportType, chart: string): ReportState {
  const allowed = aggregationsOf(type, chart);
  const metrics = state.metrics.map((metric): Metric => {
    const agr =
      [metric.agr, OTHER_SET[metric.agr]].find((name) => name !== undefined && allowed.includes(name)) ?? 'total';
    return needsField(agr) ? { ...metric, agr, field: metric.field ?? 'events.value_amount' } : { ...metric, agr };
  });
  const least = type === 'funnels' || type === 'retention' ? 2 : type === 'list' ? 0 : 1;
  while (metrics.length < least) metrics.push({ event: null, name: 'all', agr: 'total' });
  const granularity = type === 'retention' && !['day', 'week'].includes(state.granularity) ? 'day' : state.granularity;
  return { ...state, type, chart, metrics, granularity };
}

export function aggregationsOf(type: ReportType, chart: string): readonly AggregationName[] {
  if (type === 'funnels' || type === 'retention' || type === 'list') return ['total'];
  return chart === 'table' ? TABLE_AGGREGATIONS : CHART_AGGREGATIONS;
}

export const needsField = (agr: string): boolean => agr.startsWith('property_');
