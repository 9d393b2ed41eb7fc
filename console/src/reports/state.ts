import { type Group, isList, isRange, NO_FILTER } from '../parts/filter.ts';
import { type Days, type Period, PRESETS } from './period.ts';

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
/** Types of reports that are compared with the period before. */
export const COMPARED: readonly ReportType[] = ['trends', 'utm'];
export const GRANULARITIES = ['hour', 'day', 'week', 'month'] as const;
export type Granularity = (typeof GRANULARITIES)[number];
export const FUNNEL_ORDERS = ['ordered', 'strict', 'unordered'] as const;
type FunnelOrder = (typeof FUNNEL_ORDERS)[number];
export const WINDOW_UNITS = ['second', 'minute', 'hour', 'day', 'week', 'month'] as const;
type WindowUnit = (typeof WINDOW_UNITS)[number];
export const COHORT_TYPES = ['retention_first_time', 'retention_first_time_ever', 'retention_recurring'] as const;
type CohortType = (typeof COHORT_TYPES)[number];

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

/** Whether a table of totals can count a metric. It has no sums and no sessions. */
export const fitsTable = ({ agr }: Pick<Metric, 'agr'>): boolean =>
  [agr, OTHER_SET[agr]].some((name) => TABLE_AGGREGATIONS.includes(name as (typeof TABLE_AGGREGATIONS)[number]));

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
/** An amount of events, or a custom property. */
export type AmountField = (typeof AMOUNT_FIELDS)[number] | `events.properties.${string}`;

export interface Metric {
  /** Null: any event. */
  readonly event: number | null;
  readonly name: string;
  readonly agr: AggregationName;
  readonly field?: AmountField;
  readonly filter?: Group;
}

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

/** A state as an address has it. */
export interface ReadState {
  readonly state: ReportState;
  /** Parts that cannot be read: they are those of {@link START}. Null: the text is no report. */
  readonly leftOut: readonly string[] | null;
}

/** Reads the state from the address. Parts that are missing are those of {@link START}. */
export function readState(text: string | null): ReadState {
  if (text === null) return { state: START, leftOut: [] };
  const read = jsonOf(text);
  if (!isObject(read) || !isLike(read['type'] ?? START.type, EXAMPLES.type)) return { state: START, leftOut: null };
  const valid: Record<string, unknown> = {};
  const leftOut: string[] = [];
  for (const [key, example] of Object.entries(EXAMPLES)) {
    const value = read[key];
    if (isLike(value, example)) valid[key] = value;
    else if (value !== undefined) leftOut.push(key);
  }
  const state: ReportState = { ...START, ...valid };
  const charts = CHARTS[state.type];
  const fits = charts.includes(state.chart);
  if (!fits && read['chart'] !== undefined) leftOut.push('chart');
  if (state.metrics.length > mostMetrics(state.type)) leftOut.push('metrics');
  return { state: withType(state, state.type, fits ? state.chart : charts[0]!), leftOut };
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

type Check = (value: unknown) => boolean;

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const isOneOf =
  (list: readonly unknown[]): Check =>
  (value) =>
    list.includes(value);

/**
 * Whether a value is like an example: of its type, with parts like each of its parts and items like its only item. A function
 * of an example decides by itself.
 */
function isLike(value: unknown, example: unknown): boolean {
  if (typeof example === 'function') return example(value) === true;
  if (Array.isArray(example)) return Array.isArray(value) && value.every((item) => isLike(item, example[0]));
  if (isObject(example))
    return isObject(value) && Object.entries(example).every(([key, part]) => isLike(value[key], part));
  return typeof value === typeof example;
}

const isScalar: Check = (value) => value === null || ['string', 'number', 'boolean'].includes(typeof value);

function isItemOfFilter(item: unknown): boolean {
  if (!isObject(item)) return false;
  if ('join' in item) return isFilter(item);
  const { field, operator, value } = item;
  if (typeof field !== 'string' || typeof operator !== 'string') return false;
  if (isRange(operator)) return isLike(value, [isScalar]) && (value as readonly unknown[]).length === 2;
  return isList(operator) ? isLike(value, [isScalar]) : isScalar(value);
}

const isFilter: Check = (value) => isLike(value, { join: isOneOf(['and', 'or']), items: [isItemOfFilter] });

/** A day that the calendar has. */
const isDay: Check = (value) => {
  const at = typeof value === 'string' ? new Date(value) : Number.NaN;
  return !Number.isNaN(Number(at)) && (at as Date).toISOString().slice(0, 10) === value;
};

const isPeriod: Check = (value) =>
  isOneOf(PRESETS)(value) || (isLike(value, { from: isDay, to: isDay }) && (value as Days).from <= (value as Days).to);
const isCount: Check = (value) => Number.isInteger(value) && (value as number) > 0;

const METRIC = {
  event: (id: unknown) => id === null || Number.isInteger(id),
  name: '',
  agr: isOneOf([...TABLE_AGGREGATIONS, ...CHART_AGGREGATIONS]),
  field: (value: unknown) =>
    isOneOf([undefined, ...AMOUNT_FIELDS])(value) ||
    (typeof value === 'string' && value.startsWith('events.properties.')),
  filter: (value: unknown) => value === undefined || isFilter(value),
};

const EXAMPLES: Readonly<Record<keyof ReportState, unknown>> = {
  type: isOneOf(TYPES),
  chart: '',
  metrics: [METRIC],
  filter: isFilter,
  breakdown: [''],
  period: isPeriod,
  granularity: isOneOf(GRANULARITIES),
  compare: true,
  funnel: { order: isOneOf(FUNNEL_ORDERS), window: isCount, unit: isOneOf(WINDOW_UNITS) },
  retention: { cohorts: isOneOf(COHORT_TYPES), intervals: isCount, view: isOneOf(['heat', 'lines']) },
  list: { columns: [''], limit: isCount },
  uuid: '',
};

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
  const metrics = state.metrics.map((metric) => (allowed === null ? metric : countedAs(metric, allowed)));
  const least = type === 'funnels' || type === 'retention' ? 2 : type === 'list' ? 0 : 1;
  while (metrics.length < least) metrics.push({ event: null, name: 'all', agr: 'total' });
  const granularity = type === 'retention' && !['day', 'week'].includes(state.granularity) ? 'day' : state.granularity;
  return { ...state, type, chart, metrics: metrics.slice(0, mostMetrics(type)), granularity };
}

/** The metric counted as one of `allowed`: as it is, or as its likeness in the other set. */
function countedAs(metric: Metric, allowed: readonly AggregationName[]): Metric {
  const agr =
    [metric.agr, OTHER_SET[metric.agr]].find((name) => name !== undefined && allowed.includes(name)) ?? 'total';
  return needsField(agr) ? { ...metric, agr, field: metric.field ?? 'events.value_amount' } : { ...metric, agr };
}

/** Retention has a first event and a returning one. */
export const mostMetrics = (type: ReportType): number => (type === 'retention' ? 2 : Number.POSITIVE_INFINITY);

/** The aggregations of a chart; null: the type counts people in its own way, and keeps what other types count. */
export function aggregationsOf(type: ReportType, chart: string): readonly AggregationName[] | null {
  if (type === 'funnels' || type === 'retention' || type === 'list') return null;
  return chart === 'table' ? TABLE_AGGREGATIONS : CHART_AGGREGATIONS;
}

export const needsField = (agr: string): boolean => agr.startsWith('property_');
