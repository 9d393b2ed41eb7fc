import { Temporal } from 'temporal-polyfill';
import { expect, it } from 'vitest';
import { isoWithOffset } from '../../../src/domain/local-time.ts';

const DAY_MS = 86_400_000;

it.each(['UTC', 'Europe/Berlin', 'America/St_Johns', 'Australia/Lord_Howe', 'Asia/Kathmandu'])(
  'a time is formatted as Temporal does, in any order, on both sides of each clock change: %s',
  (timeZone) => {
    const years = [1946, 1970, 2026, 12_000, -300, 1847, 1900].map((year) => Date.UTC(year, 0, 1, 0, 30, 59, 999));
    const times = years.flatMap((start) => Array.from({ length: 400 }, (_, i) => start + i * DAY_MS));
    const expected = times.map((ms) =>
      Temporal.Instant.fromEpochMilliseconds(ms).toString({ timeZone, smallestUnit: 'second' }),
    );
    const shown = (all: readonly number[]) => all.map((ms) => isoWithOffset(ms, timeZone));
    expect(shown(times)).toEqual(expected);
    expect(shown(times.toReversed())).toEqual(expected.toReversed());
  },
);
