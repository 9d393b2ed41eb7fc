import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { Chunk } from '../../../src/projections/events/packed/chunk.ts';
import { hitsOf, type Selector } from '../../../src/queries/reports/selector.ts';

const SIZE = 100;
const chunk: Chunk = { size: SIZE, columns: new Map() };
const positions = fc.uniqueArray(fc.nat(SIZE - 1)).map((found) => found.sort((a, b) => a - b));

function selectorOf(found: readonly number[]): Selector {
  return { columns: [], on: (_, begin, end) => Uint32Array.from(found.filter((at) => at >= begin && at < end)) };
}

/** What is added of each stretch in turn: positions with their marks. */
function added(steps: readonly (readonly number[])[], all: boolean, stretches: readonly (readonly [number, number])[]) {
  const hits = hitsOf(steps.map(selectorOf), all);
  return stretches.map(([begin, end]) => {
    const given: [number, number][] = [];
    hits(chunk, begin, end, (at, marks) => {
      for (const position of at) given.push([position, (marks as Uint32Array)[position]!]);
    });
    return given;
  });
}

it('events come once, in their order, marked with all the steps that they are, whatever came before', () => {
  const steps = fc.array(positions, { minLength: 1, maxLength: 20 });
  const stretch = fc.tuple(fc.nat(SIZE), fc.nat(SIZE)).map(([a, b]) => [Math.min(a, b), Math.max(a, b)] as const);
  fc.assert(
    fc.property(steps, fc.boolean(), fc.array(stretch, { minLength: 1, maxLength: 4 }), (steps, all, stretches) => {
      const markOf = (at: number) =>
        steps.reduce((mark, found, step) => (found.includes(at) ? mark | (1 << step) : mark), 0);
      const expected = stretches.map(([begin, end]) =>
        Array.from({ length: end - begin }, (_, i): [number, number] => [begin + i, markOf(begin + i)]).filter(
          ([, mark]) => all || mark !== 0,
        ),
      );
      expect(added(steps, all, stretches)).toEqual(expected);
    }),
  );
});
