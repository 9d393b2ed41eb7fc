import { Temporal } from 'temporal-polyfill';
import type { Granularity, Period, RetentionCalendar } from './report.ts';

/** Most buckets of a report, and most cohorts of retention (decisions.md#report-bounds). */
export const MAX_BUCKETS = 10_000;

/**
 * The starts of the buckets that cover a period, in its time zone, ascending. The first bucket may start before the period.
 * Days, weeks (from Monday) and months begin at the first instant of a day. A day that the zone skipped has no bucket.
 * Hours are real hours, so an hour that the clock shows twice is two buckets.
 *
 * @returns milliseconds since 1970 UTC; undefined if there are more than `limit`
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

/** The buckets of a period as cohorts, then as many more buckets as the last cohort needs to have `intervals`. */
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

/** The starts of all buckets from the one in which the period begins, without end. No start is given twice. */
function* startsFrom(period: Period, granularity: Granularity): Generator<number, void> {
  const from = Temporal.Instant.fromEpochMilliseconds(period.from).toZonedDateTimeISO(period.timezone);
  let last: number | undefined;
  for (const start of granularity === 'hour' ? hours(from) : days(from, granularity)) {
    if (start !== last) yield start;
    last = start;
  }
}

/** Between two clock changes of a zone all days have 24 hours. Temporal is slower, so it is called only at a change. */
function* days(from: Temporal.ZonedDateTime, granularity: 'day' | 'week' | 'month'): Generator<number> {
  let offset = 0;
  let changesAt = Number.NEGATIVE_INFINITY;
  for (const date of dates(from.toPlainDate(), granularity)) {
    let start = date - offset;
    if (start >= changesAt) {
      const day = Temporal.Instant.fromEpochMilliseconds(date).toZonedDateTimeISO('UTC').toPlainDate();
      const first = day.toZonedDateTime(from.timeZoneId);
      start = first.epochMilliseconds;
      offset = first.offsetNanoseconds / 1e6;
      changesAt = first.getTimeZoneTransition('next')?.epochMilliseconds ?? Number.POSITIVE_INFINITY;
    }
    yield start;
  }
}

/** The first dates of buckets, from the bucket of `today`, as midnights in UTC, where all days have 24 hours. */
function* dates(today: Temporal.PlainDate, granularity: 'day' | 'week' | 'month'): Generator<number> {
  const { year, month, day, dayOfWeek } = today;
  for (let i = 0; ; i++)
    switch (granularity) {
      case 'day':
        yield Date.UTC(year, month - 1, day + i);
        break;
      case 'week':
        yield Date.UTC(year, month - 1, day - dayOfWeek + 1 + 7 * i);
        break;
      case 'month':
        yield Date.UTC(year, month - 1 + i, 1);
    }
}

/**
 * The starts of full hours of the zone's clock. A clock change of less than an hour (Lord Howe: 30 minutes) splits an hour
 * into two buckets, each with its own offset.
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
