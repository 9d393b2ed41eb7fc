import type { Value } from '../api.ts';
import { nameInDictionary } from '../parts/event-words.ts';
import { namedField, spokenValue } from '../parts/names.ts';
import { currency } from '../session.ts';
import type { Answer, Column, Row } from './answer.ts';
import { type Metric, needsField, type ReportState } from './state.ts';
import { words } from './words.ts';

/** An event as people call it. */
export const eventName = (name: string, event?: number | null): string =>
  name === 'all' && (event === null || event === undefined) ? words.allEvents : nameInDictionary(name, event);

/** The quantity that a metric counts, such as `people` or `sum of amount in USD`. */
export function countedName({ agr, field }: Pick<Metric, 'agr' | 'field'>): string {
  const counted = words.aggregations[agr];
  return needsField(agr) && field !== undefined ? `${counted} ${amountName(field)}` : counted;
}

/** An amount or a property of events for readers, within a sentence. */
export function amountName(field: string): string {
  if (field === 'events.value_amount') return words.amountIn(currency() ?? '');
  if (field === 'events.value_int') return words.valueAsSent;
  return namedField(field).label;
}

/** Whether the metrics are counted in different ways, so that an event alone does not name a line. */
export const areMixed = ({ metrics }: ReportState): boolean => new Set(metrics.map(countedName)).size > 1;

/** A metric with what it counts. */
export function metricName(metric: Metric | undefined, label: string): string {
  if (metric === undefined) return label;
  return `${eventName(label, metric.event)}, ${countedName(metric)}`;
}

/** The name of a line: its event, with what is counted where lines differ in it, and the values that it is split by. */
export function lineName(state: ReportState, column: Column, isFull = areMixed(state)): string {
  const { metric, label, breakdown, other } = column;
  const counted = state.metrics[metric ?? -1];
  const event = counted === undefined ? label : isFull ? metricName(counted, label) : eventName(label, counted.event);
  if (other === true) return `${event}: ${words.other}`;
  if (breakdown === undefined) return event;
  const values = Object.entries(breakdown).flatMap(([field, value]) =>
    value === null ? [] : [spokenValue(field, String(value))],
  );
  const split = values.length === 0 ? words.nothing : values.join(' / ');
  // Of one event, the values alone tell lines apart.
  return state.metrics.length === 1 && !isFull ? split : `${event}: ${split}`;
}

/** A line with what it counts: names it where nothing around does. */
export const fullName = (state: ReportState, column: Column): string => lineName(state, column, true);

/** The value of a bucket; none for one that lies ahead of what has been counted. */
export function valueIn(row: Row, key: string, { meta }: Answer): Value | undefined {
  const isAhead = row[key] === 0 && Date.parse(String(row['date'])) > Date.parse(meta.data_as_of);
  return isAhead ? null : row[key];
}

/** The bucket whose time is not over; -1: all are. Only the last one that has begun can be. */
export function runningBucket(state: ReportState, { rows, meta }: Answer): number {
  const at = Date.parse(meta.data_as_of);
  const index = rows.findLastIndex((row) => Date.parse(String(row['date'])) <= at);
  if (index < 0) return -1;
  const next = rows[index + 1]?.['date'];
  const end = next === undefined ? endOf(String(rows[index]!['date']), state.granularity) : Date.parse(String(next));
  return end > at ? index : -1;
}

const LENGTH_MS: Readonly<Record<string, number>> = { hour: 3_600_000, day: 86_400_000, week: 7 * 86_400_000 };

/** The end of a bucket, to an hour: clocks may change within it. */
function endOf(start: string, granularity: string): number {
  const length = LENGTH_MS[granularity];
  if (length !== undefined) return Date.parse(start) + length;
  const [year, month] = start.split('-').map(Number) as [number, number];
  return Date.parse(start) + new Date(Date.UTC(year, month, 0)).getUTCDate() * LENGTH_MS['day']!;
}

/** Whether two columns of two answers are of the same line. */
export const isSame = (a: Column, b: Column): boolean =>
  a.metric === b.metric && a.other === b.other && JSON.stringify(a.breakdown) === JSON.stringify(b.breakdown);
