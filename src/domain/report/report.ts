import type { Condition } from '../condition/condition.ts';
import type { Measure } from './aggregation.ts';
import type { ReportField } from './fields.ts';

/** A report_config, checked: what the queries compile. A union by `type`; so far there are trends. */
export type Report = TrendsReport;

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
}

/** The starts of the buckets, ascending; each ends where the next begins, the last with the period. */
export interface Axis {
  readonly granularity: Granularity;
  /** Milliseconds since 1970 UTC; the first is the bucket's own start, perhaps before the period's. */
  readonly starts: readonly number[];
}

export interface Metric {
  /** null counts events of every type. */
  readonly eventId: number | null;
  readonly label: string;
  readonly measure: Measure;
  readonly filter: Condition<ReportField> | null;
}
