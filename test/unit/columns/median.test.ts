import fc from 'fast-check';
import { expect, it } from 'vitest';
import { openArrayPool } from '../../../src/columns/array-pool.ts';
import { type Chunk, newCodes } from '../../../src/columns/chunk.ts';
import { medianTally } from '../../../src/columns/measures/median.ts';

const LINES = 2;
const BUCKETS = 3;

/** An event with a price in hundredths; some prices are too large to be their own numbers. */
interface Event {
  readonly bucket: number;
  readonly line: number;
  readonly hundredths: number | null;
}

function chunkOf(events: readonly Event[]): Chunk {
  const texts = events.map(({ hundredths }) => (hundredths === null ? null : (hundredths / 100).toFixed(2)));
  const values = [null, ...new Set(texts.filter((text) => text !== null))];
  const codes = newCodes(values.length, events.length);
  for (const [at, text] of texts.entries()) codes[at] = values.indexOf(text);
  return { size: events.length, columns: new Map([['value_amount', { kind: 'coded', codes, values }]]) };
}

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
        const size = { lines: LINES, buckets: BUCKETS, users: 1, isShared: false };
        const arrays = openArrayPool();
        const tally = medianTally('value_amount', size, arrays, mostHeld);
        for (let from = 0; from < ordered.length; from += chunkSize) {
          const own = ordered.slice(from, from + chunkSize);
          tally.open(chunkOf(own));
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
