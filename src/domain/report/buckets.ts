import { Temporal } from 'temporal-polyfill';
import type { Granularity, Period, RetentionCalendar } from './report.ts';

/** Most buckets of a report, and cohorts of retention (decisions.md 4.10). */
export const MAX_BUCKETS = 10_000;

/**
 * The starts of the buckets that cover a period, by the clock of its zone, ascending. The first is the bucket's own
 * start, even before the period's. Days, weeks (from Monday) and months begin at the first instant of a day, and a day
 * that a zone skipped has no bucket; hours are real hours, so a repeated one is two buckets.
 *
 * @returns milliseconds since 1970 UTC, or undefined when there are more than `limit`
 */
export function bucketStarts(period: Period, granularity: Granularity, limit: number): readonly number[] | undefined {
  const starts: number[] = [];
  for (const start of startsFrom(period, granularity)) {
    if (start >= period.to) return starts;
    if (starts.length === limit) return undefined;
    starts.push(start);
  }
  return starts;
}

/** The buckets of a period as cohorts, and behind them what the last of them needs to have `intervals` of its own. */
export function retentionCalendar(
  period: Period,
  granularity: 'day' | 'week',
  { intervals, limit }: { readonly intervals: number; readonly limit: number },
): RetentionCalendar | undefined {
  const cohorts = bucketStarts(period, granularity, limit)?.length;
  if (cohorts === undefined) return undefined;
  const starts: number[] = [];
  for (const start of startsFrom(period, granularity)) {
    starts.push(start);
    if (starts.length === cohorts + intervals) break;
  }
  return { starts, cohorts, intervals };
}

/** The starts of buckets from the one that the period begins in, each once, without end. */
function* startsFrom(period: Period, granularity: Granularity): Generator<number, void> {
  const from = Temporal.Instant.fromEpochMilliseconds(period.from).toZonedDateTimeISO(period.timezone);
  let last: number | undefined;
  for (const start of granularity === 'hour' ? hours(from) : days(from, granularity)) {
    if (start !== last) yield start;
    last = start;
  }
}

const STEPS = { day: { days: 1 }, week: { weeks: 1 }, month: { months: 1 } } as const;

function* days(from: Temporal.ZonedDateTime, granularity: 'day' | 'week' | 'month'): Generator<number, never> {
  const today = from.toPlainDate();
  let date = today;
  if (granularity === 'week') date = today.subtract({ days: today.dayOfWeek - 1 });
  if (granularity === 'month') date = today.with({ day: 1 });
  for (;;) {
    yield date.toZonedDateTime(from.timeZoneId).epochMilliseconds;
    date = date.add(STEPS[granularity]);
  }
}

/**
 * Full hours by the zone's clock. A clock change of less than an hour (Lord Howe: 30 minutes) cuts an hour in two, each
 * piece with its own offset.
 */
function* hours(from: Temporal.ZonedDateTime): Generator<number, never> {
  const justAfter = from.add({ nanoseconds: 1 });
  const hour = from.subtract({ nanoseconds: intoTheHour(from) });
  let start = intoTheHour(hour) === 0 ? hour : (justAfter.getTimeZoneTransition('previous') ?? hour);
  for (;;) {
    yield start.epochMilliseconds;
    const end = start.add({ nanoseconds: HOUR_NS - intoTheHour(start) });
    start = intoTheHour(end) === 0 ? end : (start.getTimeZoneTransition('next') ?? end);
  }
}

const HOUR_NS = 3600e9;

function intoTheHour(time: Temporal.ZonedDateTime): number {
  return (time.minute * 60 + time.second) * 1e9 + time.millisecond * 1e6;
}
