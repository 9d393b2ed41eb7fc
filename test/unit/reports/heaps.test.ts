import fc from 'fast-check';
import { expect, it } from 'vitest';
import { openArrays } from '../../../src/queries/reports/arrays.ts';
import { type Group, Heaps } from '../../../src/queries/reports/heaps.ts';
import { propertyRuns } from '../../support/property-runs.ts';

/** More users than `together`, more events than a block: seeds make them, since drawn one by one they would be few. */
const asked = fc.record({
  from: fc.nat(3),
  users: fc.constantFrom(1, 2, 5, 33),
  together: fc.constantFrom(1, 2, 32),
  chunks: fc.array(fc.record({ seed: fc.nat(), size: fc.constantFrom(1, 7, 3000) }), { maxLength: 8 }),
  /** Of ten events of a chunk, those that are added. */
  added: fc.integer({ min: 1, max: 10 }),
  oneMark: fc.boolean(),
  dated: fc.boolean(),
  brokenDown: fc.boolean(),
});

interface Event {
  readonly user: number;
  readonly date: number;
  readonly mark: number;
  readonly combination: number;
}

function eventsOf({ seed, size }: { readonly seed: number; readonly size: number }, { from, to }: Group): Event[] {
  let state = seed;
  const random = (below: number) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
  // One user has most events.
  const user = () => from + random(to - from) * random(2);
  return Array.from({ length: size }, () => {
    return { user: user(), date: random(2 ** 30), mark: random(2 ** 20), combination: random(99) };
  });
}

it('have each event once, at its user, in the order in which they came, and count them before', () => {
  fc.assert(
    fc.property(asked, ({ from, users, together, chunks, added, oneMark, dated, brokenDown }) => {
      const group = { from, to: from + users };
      const arrays = openArrays();
      const heaps = new Heaps({ arrays, group, together, dated, brokenDown });
      const came: Event[] = [];
      for (const chunk of chunks) {
        const events = eventsOf(chunk, group);
        const positions = Uint32Array.from(events.keys()).filter((at) => at % 10 < added);
        heaps.add({
          positions,
          users: Uint32Array.from(events, ({ user }) => user),
          dates: Float64Array.from(events, ({ date }) => date),
          mark: oneMark ? 7 : Uint32Array.from(events, ({ mark }) => mark),
          combinations: Uint32Array.from(positions, (at) => events[at]!.combination),
        });
        for (const at of positions) came.push(events[at]!);
      }
      const expected = Array.from({ length: users }, (_, user) => {
        const own = came.filter((event) => event.user === from + user);
        return {
          dates: dated ? own.map(({ date }) => date) : [],
          marks: own.map(({ mark }) => (oneMark ? 7 : mark)),
          combinations: brokenDown ? own.map(({ combination }) => combination) : [],
        };
      });

      const counts = new Uint32Array(users);
      heaps.count(counts);
      expect([...counts]).toEqual(expected.map(({ marks }) => marks.length));
      const given = heaps.sort().flatMap(({ ends, dates, marks, combinations }) =>
        Array.from(ends, (end, user) => {
          const own = (column: Float64Array | Uint32Array) => [...column.subarray(ends[user - 1] ?? 0, end)];
          return { dates: own(dates), marks: own(marks), combinations: own(combinations) };
        }),
      );
      expect(given).toEqual(expected);
      arrays.close();
    }),
    { numRuns: propertyRuns(40) },
  );
});
