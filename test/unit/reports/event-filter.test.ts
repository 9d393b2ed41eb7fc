import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { Chunk } from '../../../src/projections/events/packed/chunk.ts';
import { type EventFilter, markedEvents } from '../../../src/queries/reports/event-filter.ts';
import { ALONE } from '../../../src/queries/reports/team.ts';

const SIZE = 100;
const chunk: Chunk = { size: SIZE, columns: new Map() };
const positions = fc
  .uniqueArray(fc.nat(SIZE - 1), { maxLength: SIZE / 2, size: 'max' })
  .map((found) => found.sort((a, b) => a - b));

function filterFinding(found: readonly number[]): EventFilter {
  return {
    columns: [],
    positionsIn: (_, begin, end) => Uint32Array.from(found.filter((at) => at >= begin && at < end)),
  };
}

/** For each range in turn, the positions that are added, with their marks. */
function added(steps: readonly (readonly number[])[], all: boolean, ranges: readonly (readonly [number, number])[]) {
  const select = markedEvents(steps.map(filterFinding), all ? ALONE : null);
  return ranges.map(([begin, end]) => {
    const given: [number, number][] = [];
    select(chunk, begin, end, (at, marks) => {
      for (const position of at) given.push([position, (marks as Uint32Array)[position]!]);
    });
    return given;
  });
}

it('adds each event once, in order, marked with all its steps, whatever the previous ranges were', () => {
  const steps = fc.array(positions, { minLength: 1, maxLength: 20, size: 'max' });
  const range = fc.tuple(fc.nat(SIZE), fc.nat(SIZE)).map(([a, b]) => [Math.min(a, b), Math.max(a, b)] as const);
  fc.assert(
    fc.property(steps, fc.boolean(), fc.array(range, { minLength: 1, maxLength: 4 }), (steps, all, ranges) => {
      const markOf = (at: number) =>
        steps.reduce((mark, found, step) => (found.includes(at) ? mark | (1 << step) : mark), 0);
      const expected = ranges.map(([begin, end]) =>
        Array.from({ length: end - begin }, (_, i): [number, number] => [begin + i, markOf(begin + i)]).filter(
          ([, mark]) => all || mark !== 0,
        ),
      );
      expect(added(steps, all, ranges)).toEqual(expected);
    }),
  );
});
