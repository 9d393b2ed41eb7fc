import fc from 'fast-check';
import { expect, test } from 'vitest';
import { parseIso8601, parseRfc3339 } from '../../../src/domain/intake/moment.ts';

test('reads back every moment that a Date writes', () => {
  fc.assert(
    fc.property(
      fc.date({ min: new Date('0000-01-01T00:00:00Z'), max: new Date('9999-12-31T00:00:00Z'), noInvalidDate: true }),
      (date) => {
        expect(parseRfc3339(date.toISOString())).toBe(date.getTime());
        expect(parseIso8601(date.toISOString())).toBe(date.getTime());
      },
    ),
  );
});

test('a day that does not exist is no date, one that does is', () => {
  const days = fc.tuple(
    fc.integer({ min: 0, max: 9999 }),
    fc.integer({ min: 0, max: 13 }),
    fc.integer({ min: 0, max: 32 }),
  );
  fc.assert(
    fc.property(days, ([year, month, day]) => {
      const text = `${String(year).padStart(4, '0')}-${String(month).padStart(2, '0')}-${String(day).padStart(2, '0')}`;
      const date = new Date(`${text}T00:00:00Z`);
      const exists = !Number.isNaN(date.getTime()) && date.toISOString().startsWith(text);
      expect(parseIso8601(`${text}T00:00Z`)).toBe(exists ? date.getTime() : null);
    }),
  );
});

test.each([
  ['2026-01-31T12:00:00.000Z', '2026-01-31T12:00:00.000Z'],
  ['2026-01-31T12:00:00.123456+03:00', '2026-01-31T09:00:00.123Z'],
  ['2026-01-31t12:00:00.000-00:30', '2026-01-31T12:30:00.000Z'],
])('RFC 3339: %s', (text, iso) => {
  expect(new Date(parseRfc3339(text)!).toISOString()).toBe(iso);
});

test.each([
  '2026-01-31T12:00:00Z',
  '2026-01-31T12:00:00.00Z',
  '2026-01-31T12:00:00.000',
  '2026-01-31',
  '2026-01-31T24:00:00.000Z',
  '2026-01-31T12:00:60.000Z',
  '2026-01-31T12:00:00.000+24:00',
])('not RFC 3339 with milliseconds and offset: %s', (text) => {
  expect(parseRfc3339(text)).toBeNull();
});

test.each([
  ['2026-01-31T12:00', '2026-01-31T12:00:00.000Z'],
  ['2026-01-31 12:00:05', '2026-01-31T12:00:05.000Z'],
  ['2026-01-31T12:00:05,5', '2026-01-31T12:00:05.500Z'],
  ['2026-01-31T12:00+0530', '2026-01-31T06:30:00.000Z'],
  ['2026-01-31T12:00-05', '2026-01-31T17:00:00.000Z'],
])('ISO 8601: %s', (text, iso) => {
  expect(new Date(parseIso8601(text)!).toISOString()).toBe(iso);
});

test.each(['2026-01-31', '31.01.2026 12:00', '2026-W05-6T12:00', 'now', ''])(
  'not ISO 8601 date and time: %s',
  (text) => {
    expect(parseIso8601(text)).toBeNull();
  },
);
