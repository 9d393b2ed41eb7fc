import { type Condition, fieldsOf } from '../condition/condition.ts';
import type { ReportField } from './fields.ts';

/** A checked report_config, as the queries run it. */
export type Report = TrendsReport | FunnelReport | RetentionReport | ListReport;

/** From `from` to before `to`, in milliseconds since 1970 UTC. */
export interface Period {
  readonly timezone: string;
  readonly from: number;
  readonly to: number;
}

export const GRANULARITIES = ['hour', 'day', 'week', 'month'] as const;
export type Granularity = (typeof GRANULARITIES)[number];

/** Measures of events: a chart over time if it has an axis, else a table over the whole period. */
export interface TrendsReport {
  readonly type: 'trends';
  readonly period: Period;
  readonly axis: Axis | null;
  readonly metrics: readonly Metric[];
  /** Applies to every metric, in addition to the metric's own filter. */
  readonly filter: Condition<ReportField> | null;
  readonly separators: readonly Separator[];
  /** Of UTM charts: they are broken down by the whole UTM combination; else null. */
  readonly utm: UtmLimits | null;
}

export interface UtmLimits {
  /** Most combinations that are shown; all others are one. */
  readonly combinations: number;
  /** Most rows: buckets of a chart, combinations of a table. */
  readonly rows: number;
}

/** Time buckets. Each ends where the next begins; the last ends with the period. */
export interface Axis {
  readonly granularity: Granularity;
  /** The buckets' starts, ascending, in milliseconds since 1970 UTC. The first may be before the period's start. */
  readonly starts: readonly number[];
}

export interface Metric extends Selection {
  readonly label: string;
  readonly measure: Measure;
}

/** A field that a report is broken down by. */
export interface Separator {
  /** As the caller wrote it. It is the key in the rows. */
  readonly name: string;
  readonly field: ReportField;
}

export const FUNNEL_ORDERS = ['ordered', 'strict', 'unordered'] as const;
export type FunnelOrder = (typeof FUNNEL_ORDERS)[number];

/** How many users reach each step of a chain of events. */
export interface FunnelReport {
  readonly type: 'funnels';
  readonly period: Period;
  readonly steps: readonly Step[];
  /** Longest time from the first step to the last, inclusive. */
  readonly windowMs: number;
  readonly order: FunnelOrder;
  /** Applies to every step, in addition to the step's own filter. */
  readonly filter: Condition<ReportField> | null;
  readonly separators: readonly Separator[];
}

export interface Step extends Selection {
  readonly label: string;
}

export const RETENTION_TYPES = ['retention_first_time', 'retention_first_time_ever', 'retention_recurring'] as const;
export type RetentionType = (typeof RETENTION_TYPES)[number];

/** How many users of a cohort return in each interval. */
export interface RetentionReport {
  readonly type: 'retention';
  readonly period: Period;
  readonly start: Selection;
  readonly returning: Selection;
  readonly retention: RetentionType;
  readonly calendar: RetentionCalendar;
  /** Applies to starts and returns, in addition to their own filters. */
  readonly filter: Condition<ReportField> | null;
  readonly separators: readonly Separator[];
}

/** Calendar intervals in the bot's time zone. A cohort is the users that start in one interval of the period. */
export interface RetentionCalendar {
  /** Starts of the intervals, ascending, then the end of the last one; milliseconds since 1970 UTC. */
  readonly starts: readonly number[];
  /** How many of the intervals overlap the period. They are the first ones. */
  readonly cohorts: number;
  /**
   * How many intervals are counted for each cohort, including its own. `starts` also has the users of the last cohort.
   */
  readonly intervals: number;
}

export const LIST_TABLES = ['events', 'users'] as const;
export type ListTable = (typeof LIST_TABLES)[number];

/** A list of records: events of the period, or users that were created in it. */
export interface ListReport {
  readonly type: 'list';
  readonly period: Period;
  readonly table: ListTable;
  readonly columns: readonly ListColumn[];
  readonly filter: Condition<ReportField> | null;
  /** Order by these columns, then by the records' ids. */
  readonly order: readonly ListOrder[];
  readonly limit: number;
  readonly offset: number;
}

export interface ListColumn {
  /** As the caller wrote it. It is the key in the rows. */
  readonly name: string;
  readonly field: ReportField;
}

export interface ListOrder {
  readonly field: ReportField;
  readonly direction: ListDirection;
}

export const LIST_DIRECTIONS = ['asc', 'desc'] as const;
type ListDirection = (typeof LIST_DIRECTIONS)[number];

/** The quantity of a metric. Aggregations of tables and of charts have different names for it. */
export type Measure =
  | { readonly type: 'count' }
  /** Distinct users, sessions or sessions in a mini-application. */
  | { readonly type: 'uniques'; readonly of: UniqueOf }
  /** A statistic of the numbers of events of users who have at least one. */
  | { readonly type: 'per_user'; readonly statistic: Statistic }
  /** A statistic of the values of the events that have one. */
  | { readonly type: 'property'; readonly statistic: Statistic | 'sum'; readonly field: PropertyField };

export type UniqueOf = 'user' | 'session' | 'app_session';
export type Statistic = 'avg' | 'min' | 'max' | 'median';
export const PROPERTY_FIELDS = ['events.value_int', 'events.value_amount'] as const;
/** The value of an event, or a custom property: its numbers. */
export type PropertyField = (typeof PROPERTY_FIELDS)[number] | `events.properties.${string}`;

/**
 * Events of one user, by date and then by their order in the log, unless a report selects them in another order. They are
 * at the indexes from `begin` to before `end` of columns that users share. Valid until the next user's timeline.
 */
export interface Timeline {
  readonly begin: number;
  readonly end: number;
  /** Milliseconds since 1970 UTC; empty if the report does not need dates. */
  readonly dates: Float64Array;
  /** Bits that say what each event is for the report. */
  readonly marks: Uint32Array;
}

/** The events of a metric, of a step of a funnel, or of starts or returns of retention. */
export interface Selection {
  /** null: events of every type. */
  readonly eventId: number | null;
  readonly filter: Condition<ReportField> | null;
}

/** The fields that a report's conditions and separators name. */
export function fieldsNamed(report: Report): ReportField[] {
  const conditions = [report.filter, ...selectionsOf(report).map(({ filter }) => filter)];
  const named = conditions.flatMap((condition) => (condition === null ? [] : fieldsOf(condition)));
  return report.type === 'list' ? named : [...named, ...report.separators.map(({ field }) => field)];
}

/** The names of all fields that decide a report's answer. */
export function fieldsRead(report: Report): ReadonlySet<string> {
  const names = fieldsNamed(report).map(({ name }) => name);
  if (report.type === 'list') names.push(...[...report.columns, ...report.order].map(({ field }) => field.name));
  if (report.type === 'trends')
    for (const { measure } of report.metrics) if (measure.type === 'property') names.push(measure.field);
  return new Set(names);
}

function selectionsOf(report: Report) {
  switch (report.type) {
    case 'trends':
      return report.metrics;
    case 'funnels':
      return report.steps;
    case 'retention':
      return [report.start, report.returning];
    case 'list':
      return [];
  }
}
