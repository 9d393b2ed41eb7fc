import fc from 'fast-check';
import { expect, it } from 'vitest';
import { openArrayPool } from '../../../src/columns/array-pool.ts';
import { UserBins, type UserRange } from '../../../src/columns/user-bins.ts';
import { propertyRuns } from '../../support/property-runs.ts';

/** Events for more users than `usersPerBin` and more than one block. Seeds make them: fast-check would draw too few. */
const cases = fc.record({
  from: fc.nat(3),
  users: fc.constantFrom(1, 2, 5, 33),
  usersPerBin: fc.constantFrom(1, 2, 32),
  chunks: fc.array(fc.record({ seed: fc.nat(), size: fc.constantFrom(1, 7, 3000) }), { maxLength: 8 }),
  /** How many of each ten events of a chunk are added. */
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

function eventsOf({ seed, size }: { readonly seed: number; readonly size: number }, { from, to }: UserRange): Event[] {
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

it('a sort keeps each event once, at its user, in the order of adding; a count before it gives the same numbers', () => {
  fc.assert(
    fc.property(cases, ({ from, users, usersPerBin, chunks, added, oneMark, dated, brokenDown }) => {
      const range = { from, to: from + users };
      const arrays = openArrayPool();
      const bins = new UserBins({ arrays, users: range, usersPerBin, dated, brokenDown });
      const kept: Event[] = [];
      for (const chunk of chunks) {
        const events = eventsOf(chunk, range);
        const positions = Uint32Array.from(events.keys()).filter((at) => at % 10 < added);
        bins.add({
          positions,
          users: Uint32Array.from(events, ({ user }) => user),
          dates: Float64Array.from(events, ({ date }) => date),
          mark: oneMark ? 7 : Uint32Array.from(events, ({ mark }) => mark),
          combinations: Uint32Array.from(positions, (at) => events[at]!.combination),
        });
        for (const at of positions) kept.push(events[at]!);
      }
      const expected = Array.from({ length: users }, (_, user) => {
        const own = kept.filter((event) => event.user === from + user);
        return {
          dates: dated ? own.map(({ date }) => date) : [],
          marks: own.map(({ mark }) => (oneMark ? 7 : mark)),
          combinations: brokenDown ? own.map(({ combination }) => combination) : [],
        };
      });

      const counts = new Uint32Array(users);
      bins.count(counts);
      expect([...counts]).toEqual(expected.map(({ marks }) => marks.length));
      const given = bins.sort().flatMap(({ ends, dates, marks, combinations }) =>
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
