import fc from 'fast-check';
import { expect, it } from 'vitest';
import { type Chunk, type Column, type ColumnName, placesOf } from '../../../src/projections/events/packed/chunk.ts';
import { openArrays } from '../../../src/queries/reports/arrays.ts';
import type { Combinations } from '../../../src/queries/reports/combinations.ts';
import { gatherTimelines, type TimelineOptions } from '../../../src/queries/reports/timelines.ts';
import type { Walk } from '../../../src/queries/reports/walk.ts';
import { propertyRuns } from '../../support/property-runs.ts';

interface Event {
  readonly user: number;
  /** Its number in the combinations; of 4 in a row one is left out, the others have marks from 1 to 3. */
  readonly utm: number;
}

const USERS = 20;
const markOf = (utm: number) => utm % 4;

const asked = fc.record({
  some: fc.array(fc.record({ user: fc.nat(USERS - 1), utm: fc.nat(9) }), { maxLength: 30 }),
  /** Many are more than fit. */
  times: fc.constantFrom(1, 3, 300),
  chunkSize: fc.constantFrom(1, 7, 4096),
  most: fc.constantFrom(1, 10, 2000, 5000, Number.POSITIVE_INFINITY),
  together: fc.constantFrom(1, 4, 16, 32),
  dated: fc.boolean(),
  brokenDown: fc.boolean(),
});

/** Adds those of mark 1 at once, then the others with what each is. */
const hits: TimelineOptions['hits'] = (chunk, begin, end, add) => {
  const marks = placesOf(chunk, 'utm_id').map(markOf);
  const all = Uint32Array.from({ length: end - begin }, (_, i) => begin + i);
  const [ones, others] = [(at: number) => marks[at] === 1, (at: number) => marks[at]! > 1];
  add(all.filter(ones), 1);
  add(all.filter(others), marks);
};

const byUtm: Combinations = {
  columns: ['utm_id'],
  number: (chunk, positions, into) => into.set(positions.map((at) => placesOf(chunk, 'utm_id')[at]!)),
  byPlace: null,
  values: [],
};

function chunksOf<E extends Event>(events: readonly E[], size: number): E[][] {
  const count = Math.ceil(events.length / size);
  return Array.from({ length: count }, (_, index) => events.slice(index * size, (index + 1) * size));
}

/** Of events whose dates are their places. */
function walkOver(events: readonly Event[], chunkSize: number): Walk {
  let date = 0;
  const chunks = chunksOf(events, chunkSize).map((own): Chunk => {
    const columns = new Map<ColumnName, Column>([
      ['user_idx', { kind: 'place', places: Uint32Array.from(own, ({ user }) => user) }],
      ['utm_id', { kind: 'place', places: Uint32Array.from(own, ({ utm }) => utm) }],
      ['date', { kind: 'number', numbers: Float64Array.from(own, () => date++) }],
    ]);
    return { size: own.length, columns };
  });
  const each = async (_: Iterable<ColumnName>, onChunk: (chunk: Chunk, begin: number, end: number) => void) => {
    for (const chunk of chunks) onChunk(chunk, 0, chunk.size);
  };
  return {
    botId: 1,
    tables: { events: 'e', users: 'u', referral: 'r' },
    query: () => Promise.reject(new Error('asks for nothing')),
    users: USERS,
    utms: [],
    events: { users: USERS, utms: 9, oldestChunk: null, each },
    arrays: openArrays(),
    checkTime() {},
  };
}

it('every hit of a user comes once, with what it is, in the order of the hits, however many fit', async () => {
  await fc.assert(
    fc.asyncProperty(asked, async ({ some, times, chunkSize, most, together, dated, brokenDown }) => {
      const events = Array.from({ length: times }, () => some).flat();
      const options = { columns: [], dated, hits, combinations: brokenDown ? byUtm : null };
      const walk = walkOver(events, chunkSize);
      const timelines = await gatherTimelines(walk, options, { most, together });

      const placed = events.map((event, date) => ({ ...event, date }));
      const inOrder = chunksOf(placed, chunkSize)
        .flatMap((own) => [own.filter(({ utm }) => markOf(utm) === 1), own.filter(({ utm }) => markOf(utm) > 1)])
        .flat();
      const expected = Array.from({ length: USERS }, (_, user) => {
        const own = inOrder.filter((event) => event.user === user);
        return {
          dates: dated ? own.map(({ date }) => date) : [],
          marks: own.map(({ utm }) => markOf(utm)),
          combinations: brokenDown ? own.map(({ utm }) => utm) : [],
        };
      }).filter(({ marks }) => marks.length > 0);
      for (const _ of ['at first', 'again']) {
        const given: typeof expected = [];
        await timelines.each(({ begin, end, dates, marks, combinations }) => {
          const [own, are, have] = [dates, marks, combinations].map((column) => [...column.subarray(begin, end)]);
          given.push({ dates: own!, marks: are!, combinations: have! });
        });
        expect(given).toEqual(expected);
      }
      walk.arrays.close();
    }),
    { numRuns: propertyRuns(60) },
  );
});
