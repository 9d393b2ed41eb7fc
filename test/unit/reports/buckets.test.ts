import fc from 'fast-check';
import { Temporal } from 'temporal-polyfill';
import { describe, expect, it } from 'vitest';
import { isoWithOffset } from '../../../src/domain/local-time.ts';
import { bucketStarts } from '../../../src/domain/reports/buckets.ts';
import { GRANULARITIES, type Granularity, type Period } from '../../../src/domain/reports/report.ts';

function period(timezone: string, from: string, to: string): Period {
  const at = (text: string) => Temporal.PlainDateTime.from(text).toZonedDateTime(timezone).epochMilliseconds;
  return { timezone, from: at(from), to: at(to) };
}
function buckets(granularity: Granularity, timezone: string, from: string, to: string): string[] {
  const starts = bucketStarts(period(timezone, from, to), granularity, 10_000);
  return starts!.map((start) => isoWithOffset(start, timezone));
}

describe('buckets', () => {
  it('of days begin at local midnight, also on the days of 23 and 25 hours', () => {
    expect(buckets('day', 'Europe/Berlin', '2025-03-29T12:00', '2025-04-01')).toEqual([
      '2025-03-29T00:00:00+01:00',
      '2025-03-30T00:00:00+01:00',
      '2025-03-31T00:00:00+02:00',
    ]);
    expect(buckets('day', 'Europe/Berlin', '2025-10-26', '2025-10-27T00:01')).toEqual([
      '2025-10-26T00:00:00+02:00',
      '2025-10-27T00:00:00+01:00',
    ]);
  });

  it('of a day without midnight begin with its first instant', () => {
    expect(buckets('day', 'America/Sao_Paulo', '2018-11-03', '2018-11-05')).toEqual([
      '2018-11-03T00:00:00-03:00',
      '2018-11-04T01:00:00-02:00',
    ]);
  });

  it('do not exist for a day that the zone skipped', () => {
    expect(buckets('day', 'Pacific/Apia', '2011-12-29', '2012-01-01')).toEqual([
      '2011-12-29T00:00:00-10:00',
      '2011-12-31T00:00:00+14:00',
    ]);
  });

  it('of weeks begin on Monday, of months on the first, even before the period', () => {
    expect(buckets('week', 'UTC', '2025-01-01', '2025-01-13')).toEqual([
      '2024-12-30T00:00:00+00:00',
      '2025-01-06T00:00:00+00:00',
    ]);
    expect(buckets('month', 'UTC', '2024-12-31', '2025-02-01T00:00:01')).toEqual([
      '2024-12-01T00:00:00+00:00',
      '2025-01-01T00:00:00+00:00',
      '2025-02-01T00:00:00+00:00',
    ]);
  });

  it('of hours skip the missing hour and repeat the repeated one', () => {
    expect(buckets('hour', 'Europe/Berlin', '2025-03-30T01:30', '2025-03-30T04:00')).toEqual([
      '2025-03-30T01:00:00+01:00',
      '2025-03-30T03:00:00+02:00',
    ]);
    expect(buckets('hour', 'Europe/Berlin', '2025-10-26T02:00', '2025-10-26T04:00')).toEqual([
      '2025-10-26T02:00:00+02:00',
      '2025-10-26T02:00:00+01:00',
      '2025-10-26T03:00:00+01:00',
    ]);
  });

  it('of hours begin at full hours of the local clock, also with an offset of half an hour', () => {
    expect(buckets('hour', 'Asia/Kolkata', '2025-01-01T00:30', '2025-01-01T02:00')).toEqual([
      '2025-01-01T00:00:00+05:30',
      '2025-01-01T01:00:00+05:30',
    ]);
  });

  it('of hours are split at a clock change of half an hour', () => {
    expect(buckets('hour', 'Australia/Lord_Howe', '2025-04-06T01:00', '2025-04-06T03:00')).toEqual([
      '2025-04-06T01:00:00+11:00',
      '2025-04-06T01:30:00+10:30',
      '2025-04-06T02:00:00+10:30',
    ]);
    expect(buckets('hour', 'Australia/Lord_Howe', '2025-10-05T01:00', '2025-10-05T04:00')).toEqual([
      '2025-10-05T01:00:00+10:30',
      '2025-10-05T02:30:00+11:00',
      '2025-10-05T03:00:00+11:00',
    ]);
  });

  it('of a period that begins in a split hour begin with that part of the hour', () => {
    const repeated = Date.parse('2025-04-06T01:45:00+10:30');
    const starts = bucketStarts({ timezone: 'Australia/Lord_Howe', from: repeated, to: repeated + 1 }, 'hour', 10);
    expect(starts).toEqual([Date.parse('2025-04-06T01:30:00+10:30')]);
    const transition = Date.parse('2025-04-06T01:30:00+10:30');
    expect(bucketStarts({ timezone: 'Australia/Lord_Howe', from: transition, to: transition + 1 }, 'hour', 10)).toEqual(
      [transition],
    );
  });

  it('are undefined above the limit', () => {
    const tenDays = period('UTC', '2025-01-01', '2025-01-11');
    expect(bucketStarts(tenDays, 'day', 10)).toHaveLength(10);
    expect(bucketStarts(tenDays, 'day', 9)).toBeUndefined();
  });

  it('cover the period, ascend, and match the local clock', () => {
    const zones = [
      'UTC',
      'Europe/Berlin',
      'America/New_York',
      'Asia/Kathmandu',
      'Australia/Lord_Howe',
      'America/Havana',
      'America/Sao_Paulo',
      'Pacific/Apia',
    ];
    const seconds = fc.integer({ min: Date.UTC(1972, 1, 1) / 1000, max: Date.UTC(2050, 0, 1) / 1000 });
    const days = fc.integer({ min: 1, max: 40 * 86_400 });
    fc.assert(
      fc.property(
        fc.constantFrom(...zones),
        seconds,
        days,
        fc.constantFrom(...GRANULARITIES),
        (timezone, from, length, granularity) => {
          const window = { timezone, from: from * 1000, to: (from + length) * 1000 };
          const starts = bucketStarts(window, granularity, 10_000)!;
          expect(starts[0]).toBeLessThanOrEqual(window.from);
          if (starts.length > 1) expect(starts[1]).toBeGreaterThan(window.from);
          expect(starts.at(-1)).toBeLessThan(window.to);
          for (const [index, start] of starts.entries()) {
            if (index > 0) expect(start).toBeGreaterThan(starts[index - 1]!);
            const local = Temporal.Instant.fromEpochMilliseconds(start).toZonedDateTimeISO(timezone);
            if (granularity === 'week') expect(local.dayOfWeek).toBe(1);
            if (granularity === 'month') expect(local.day).toBe(1);
            if (granularity === 'hour') expect(start - (starts[index - 1] ?? start)).toBeLessThanOrEqual(3_600_000);
            else expect(local.equals(local.startOfDay())).toBe(true);
          }
        },
      ),
      { numRuns: 100 },
    );
  });
});
