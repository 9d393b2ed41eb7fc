import fc from 'fast-check';
import { expect, it } from 'vitest';
import { openArrayPool } from '../../../src/columns/array-pool.ts';
import { type Chunk, type Column, type ColumnName, indexesOf } from '../../../src/columns/chunk.ts';
import type { Combinations } from '../../../src/columns/combinations.ts';
import type { ScanSource } from '../../../src/columns/event-source.ts';
import { gatherTimelines, type TimelineOptions } from '../../../src/columns/timelines.ts';
import { propertyRuns } from '../../support/property-runs.ts';

interface Event {
  readonly user: number;
  /** The number of its combination. One of four is left out; the others have the marks 1 to 3. */
  readonly utm: number;
}

const USERS = 20;
const markOf = (utm: number) => utm % 4;

const cases = fc.record({
  some: fc.array(fc.record({ user: fc.nat(USERS - 1), utm: fc.nat(9) }), { maxLength: 20, size: 'max' }),
  /** How often the events are repeated: 300 times are more than fit. */
  times: fc.constantFrom(1, 3, 300),
  chunkSize: fc.constantFrom(1, 7, 4096),
  maxEvents: fc.constantFrom(1, 10, 2000, 5000, Number.POSITIVE_INFINITY),
  usersPerBin: fc.constantFrom(1, 4, 16, 32),
  dated: fc.boolean(),
  brokenDown: fc.boolean(),
});

/** Adds first the events of mark 1, with one mark for all, then the others with a mark each. */
const select: TimelineOptions['select'] = (chunk, begin, end, add) => {
  const marks = indexesOf(chunk, 'utm_id').map(markOf);
  const all = Uint32Array.from({ length: end - begin }, (_, i) => begin + i);
  const [ones, others] = [(at: number) => marks[at] === 1, (at: number) => marks[at]! > 1];
  add(all.filter(ones), 1);
  add(all.filter(others), marks);
};

const byUtm: Combinations = {
  columns: ['utm_id'],
  number: (chunk, positions, into) => into.set(positions.map((at) => indexesOf(chunk, 'utm_id')[at]!)),
  byIndex: null,
  values: [],
};

function chunksOf<E extends Event>(events: readonly E[], size: number): E[][] {
  const count = Math.ceil(events.length / size);
  return Array.from({ length: count }, (_, index) => events.slice(index * size, (index + 1) * size));
}

/** A scan of events. Their dates are their indexes. */
function scanOfEvents(events: readonly Event[], chunkSize: number): ScanSource {
  let date = 0;
  const chunks = chunksOf(events, chunkSize).map((own): Chunk => {
    const columns = new Map<ColumnName, Column>([
      ['user_idx', { kind: 'index', indexes: Uint32Array.from(own, ({ user }) => user) }],
      ['utm_id', { kind: 'index', indexes: Uint32Array.from(own, ({ utm }) => utm) }],
      ['date', { kind: 'number', numbers: Float64Array.from(own, () => date++) }],
    ]);
    return { size: own.length, columns };
  });
  const each = async (_: Iterable<ColumnName>, onChunk: (chunk: Chunk, begin: number, end: number) => void) => {
    for (const chunk of chunks) onChunk(chunk, 0, chunk.size);
  };
  return { events: { users: USERS, each }, arrays: openArrayPool() };
}

it('gives each selected event of a user once, with its mark, in the order of selection, whatever the limits are', async () => {
  await fc.assert(
    fc.asyncProperty(cases, async ({ some, times, chunkSize, maxEvents, usersPerBin, dated, brokenDown }) => {
      const events = Array.from({ length: times }, () => some).flat();
      const options = { columns: [], dated, select, combinations: brokenDown ? byUtm : null };
      const scan = scanOfEvents(events, chunkSize);
      const timelines = await gatherTimelines(scan, options, { maxEvents, usersPerBin });

      const placed = events.map((event, date) => ({ ...event, date }));
      const inOrder = chunksOf(placed, chunkSize)
        .flatMap((own) => [own.filter(({ utm }) => markOf(utm) === 1), own.filter(({ utm }) => markOf(utm) > 1)])
        .flat();
      const expected = Array.from({ length: USERS }, (_, user) => {
        const own = inOrder.filter((event) => event.user === user);
        return {
          user,
          dates: dated ? own.map(({ date }) => date) : [],
          marks: own.map(({ utm }) => markOf(utm)),
          combinations: brokenDown ? own.map(({ utm }) => utm) : [],
        };
      }).filter(({ marks }) => marks.length > 0);
      for (const _ of ['first call', 'second call']) {
        const given: typeof expected = [];
        await timelines.each(({ user, begin, end, dates, marks, combinations }) => {
          const [own, are, have] = [dates, marks, combinations].map((column) => [...column.subarray(begin, end)]);
          given.push({ user, dates: own!, marks: are!, combinations: have! });
        });
        expect(given).toEqual(expected);
      }
      scan.arrays.close();
    }),
    { numRuns: propertyRuns(60) },
  );
});
