import type { Condition } from '../condition/condition.ts';
import type { Measure } from './aggregation.ts';
import type { ReportField } from './fields.ts';
import type { Selection } from './timeline.ts';

/** A report_config, checked: what the queries run. */
export type Report = TrendsReport | FunnelReport | RetentionReport | ListReport;

/** Milliseconds since 1970 UTC; `to` is the first that no longer belongs. */
export interface Period {
  readonly timezone: string;
  readonly from: number;
  readonly to: number;
}

export const GRANULARITIES = ['hour', 'day', 'week', 'month'] as const;
export type Granularity = (typeof GRANULARITIES)[number];

/** Measures over time: an axis makes it a chart, none a table over the whole period. */
export interface TrendsReport {
  readonly type: 'trends';
  readonly period: Period;
  readonly axis: Axis | null;
  readonly metrics: readonly Metric[];
  /** Applies to every metric, beside its own. */
  readonly filter: Condition<ReportField> | null;
  readonly separators: readonly Separator[];
  /** UTM charts: broken down by the whole UTM combination, with limits of their own. */
  readonly utm: UtmLimits | null;
}

export interface UtmLimits {
  /** Combinations that are shown; all others are one. */
  readonly combinations: number;
  /** Buckets of a chart, else combinations. */
  readonly rows: number;
}

/** The starts of the buckets, ascending; each ends where the next begins, the last with the period. */
export interface Axis {
  readonly granularity: Granularity;
  /** Milliseconds since 1970 UTC; the first is the bucket's own start, perhaps before the period's. */
  readonly starts: readonly number[];
}

export interface Metric extends Selection {
  readonly label: string;
  readonly measure: Measure;
}

/** A field that a report is broken down by. */
export interface Separator {
  /** As the caller wrote it: the key in the rows. */
  readonly name: string;
  readonly field: ReportField;
}

export const FUNNEL_ORDERS = ['ordered', 'strict', 'unordered'] as const;
export type FunnelOrder = (typeof FUNNEL_ORDERS)[number];

/** How far users come in a chain of events. */
export interface FunnelReport {
  readonly type: 'funnels';
  readonly period: Period;
  readonly steps: readonly Step[];
  /** From the first step to the last, inclusive. */
  readonly windowMs: number;
  readonly order: FunnelOrder;
  /** Applies to every step, beside its own. */
  readonly filter: Condition<ReportField> | null;
  readonly separators: readonly Separator[];
}

export interface Step extends Selection {
  readonly label: string;
}

export const RETENTION_TYPES = ['retention_first_time', 'retention_first_time_ever', 'retention_recurring'] as const;
export type RetentionType = (typeof RETENTION_TYPES)[number];

/** Which users of a cohort come back, interval by interval. */
export interface RetentionReport {
  readonly type: 'retention';
  readonly period: Period;
  readonly start: Selection;
  readonly returning: Selection;
  readonly retention: RetentionType;
  readonly calendar: RetentionCalendar;
  /** Applies to starts and returns, beside their own. */
  readonly filter: Condition<ReportField> | null;
  readonly separators: readonly Separator[];
}

/** Calendar intervals by the clock of the bot. A cohort is the users that start in one of those of the period. */
export interface RetentionCalendar {
  /** Starts of the intervals, ascending, and after them where the last one ends; milliseconds since 1970 UTC. */
  readonly starts: readonly number[];
  /** How many of the intervals, from the first, touch the period. */
  readonly cohorts: number;
  /** How many intervals of each cohort are looked at, its own included. The last cohort's fit into `starts`. */
  readonly intervals: number;
}

export const LIST_TABLES = ['events', 'users'] as const;
export type ListTable = (typeof LIST_TABLES)[number];

/** Records as they are: events of the period, or users that were created in it. */
export interface ListReport {
  readonly type: 'list';
  readonly period: Period;
  readonly table: ListTable;
  readonly columns: readonly ListColumn[];
  readonly filter: Condition<ReportField> | null;
  /** By the first of them, then by the next; what is equal in all of them by the records' ids. */
  readonly order: readonly ListOrder[];
  readonly limit: number;
  readonly offset: number;
}

export interface ListColumn {
  /** As the caller wrote it: the key in the rows. */
  readonly name: string;
  readonly field: ReportField;
}

export interface ListOrder {
  readonly field: ReportField;
  readonly direction: ListDirection;
}

export const LIST_DIRECTIONS = ['asc', 'desc'] as const;
export type ListDirection = (typeof LIST_DIRECTIONS)[number];
