import Big from 'big.js';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { openArrayPool } from '../../../src/columns/array-pool.ts';
import { type Chunk, newCodes } from '../../../src/columns/chunk.ts';
import { MedianTally } from '../../../src/columns/measures/median.ts';

const LINES = 2;
const BUCKETS = 3;

/** An event with a price in hundredths. */
interface Event {
  readonly bucket: number;
  readonly line: number;
  readonly hundredths: number | null;
}

function chunkOf(texts: readonly (string | null)[]): Chunk {
  const values = [null, ...new Set(texts.filter((text) => text !== null))];
  const codes = newCodes(values.length, texts.length);
  for (const [at, text] of texts.entries()) codes[at] = values.indexOf(text);
  return { size: texts.length, columns: new Map([['value_amount', { kind: 'coded', codes, values }]]) };
}

const textOf = ({ hundredths }: Event) => (hundredths === null ? null : (hundredths / 100).toFixed(2));

/** By a sort. Null: there are no values. */
function expected(events: readonly Event[]): number | null {
  const sorted = events.flatMap(({ hundredths }) => hundredths ?? []).sort((a, b) => a - b);
  if (sorted.length === 0) return null;
  return (sorted[Math.ceil(sorted.length / 2) - 1]! + sorted[Math.floor(sorted.length / 2)]!) / 200;
}

const low = fc.option(fc.nat({ max: 300 }), { freq: 5 });
const high = fc.nat({ max: 200_000_000 });
const eventsWith = (hundredths: fc.Arbitrary<number | null>) =>
  fc.array(fc.record({ line: fc.nat(LINES - 1), bucket: fc.nat(BUCKETS - 1), hundredths }), {
    maxLength: 40,
    size: 'max',
  });
const events = fc.oneof(eventsWith(low), eventsWith(fc.oneof({ weight: 9, arbitrary: low }, high)));

it('gives the medians of buckets and of all, as a sort does, however few values are held', () => {
  fc.assert(
    fc.property(
      events,
      fc.constantFrom(0, 2, 5, 1000),
      fc.integer({ min: 1, max: 9 }),
      (given, mostHeld, chunkSize) => {
        const ordered = given.toSorted((a, b) => a.bucket - b.bucket);
        const size = { lines: LINES, buckets: BUCKETS, users: 1 };
        const arrays = openArrayPool();
        const tally = new MedianTally('value_amount', size, arrays, mostHeld);
        for (let from = 0; from < ordered.length; from += chunkSize) {
          const own = ordered.slice(from, from + chunkSize);
          tally.open(chunkOf(own.map(textOf)));
          for (const [at, { bucket, line }] of own.entries())
            tally.add(bucket, Uint32Array.of(at), Uint32Array.of(line), 0, 1);
        }
        const values = tally.values();
        const shown = (line: number, bucket: number | null) => {
          const text = values(line, bucket);
          return text === null ? null : Number(text);
        };
        for (let line = 0; line < LINES; line++) {
          const ofLine = ordered.filter((each) => each.line === line);
          expect(shown(line, null)).toBe(expected(ofLine));
          for (let bucket = 0; bucket < BUCKETS; bucket++)
            expect(shown(line, bucket)).toBe(expected(ofLine.filter((each) => each.bucket === bucket)));
        }
      },
    ),
  );
});

/** Of any length and any number of decimals. */
const decimal = fc
  .tuple(
    fc.constantFrom('', '-'),
    fc.constantFrom(1, 3, 14, 25),
    fc.constantFrom(0, 0, 1, 3, 12),
    fc.bigInt(1n, 10n ** 40n),
  )
  .map(([sign, wholes, decimals, seed]) => {
    const digits = String(seed).padStart(40, '7');
    const fraction = digits.slice(0, decimals);
    return `${sign}${BigInt(digits.slice(-wholes))}${fraction && '.'}${fraction}`;
  });
const integer = fc.oneof(fc.integer({ min: -20, max: 20 }), fc.maxSafeInteger()).map(String);

it('gives exact medians of decimals of different scales and lengths, chunk by chunk', () => {
  const seen = { long: 0, short: 0 };
  const chunks = fc.array(
    fc.tuple(
      fc.nat(BUCKETS - 1),
      fc.oneof(fc.array(integer, { minLength: 1, maxLength: 9 }), fc.array(decimal, { minLength: 1, maxLength: 9 })),
    ),
    { minLength: 1, maxLength: 6 },
  );
  fc.assert(
    fc.property(chunks, fc.constantFrom(0, 3, 1000), (given, mostHeld) => {
      const ordered = given.toSorted(([a], [b]) => a - b);
      const tally = new MedianTally(
        'value_amount',
        { lines: 1, buckets: BUCKETS, users: 1 },
        openArrayPool(),
        mostHeld,
      );
      for (const [bucket, texts] of ordered) {
        tally.open(chunkOf(texts));
        tally.add(bucket, Uint32Array.from(texts.keys()), null, 0, texts.length);
      }
      const values = tally.values();
      const check = (bucket: number | null) => {
        const own = ordered.flatMap(([of, texts]) => (bucket === null || of === bucket ? texts : []));
        seen[own.some((text) => text.length > 17) ? 'long' : 'short']++;
        const sorted = own.map((text) => new Big(text)).sort((a, b) => a.cmp(b));
        const [low, high] = [sorted[Math.ceil(own.length / 2) - 1], sorted[Math.floor(own.length / 2)]];
        const wanted = low === undefined ? null : low.plus(high!).times(0.5).toFixed();
        expect(values(0, bucket)).toBe(wanted === '-0' ? '0' : wanted);
      };
      for (const bucket of [null, 0, 1, 2]) check(bucket);
    }),
  );
  expect(Math.min(seen.long, seen.short)).toBeGreaterThan(20);
});
