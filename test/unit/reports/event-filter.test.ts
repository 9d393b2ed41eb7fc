import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { Chunk, Column, ColumnName } from '../../../src/columns/chunk.ts';
import { type EventFilter, markedEvents } from '../../../src/columns/event-filter.ts';
import { parseCondition } from '../../../src/domain/condition/parse-condition.ts';
import { reportFields } from '../../../src/domain/reports/fields.ts';
import { eventFilterOf } from '../../../src/queries/reports/conditions.ts';
import { scanOf } from '../../support/scan-of.ts';

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
  const select = markedEvents(steps.map(filterFinding), all);
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

const VALUES = [null, 'a', 'b', 'c'];
const filters = fc.constantFrom(
  ['=', 'events.category', 'b'],
  ['!=', 'events.category', 'b'],
  ['=', 'events.category', 'unknown'],
  ['>', 'events.category', 'a'],
  ['in', 'events.category', ['a', 'c']],
);

it('finds and counts the same events with posting lists, from the second search of a column on, as without', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.nat(3), { minLength: 1, maxLength: 40 }),
      filters,
      fc.tuple(fc.nat(40), fc.nat(40)),
      async (events, filter, [from, to]) => {
        const problems: [] = [];
        const options = { catalogue: reportFields, timezone: 'UTC', path: '', problems };
        const condition = parseCondition(filter, options)!;
        const source = scanOf(6, async () => {});
        const [begin, end] = [Math.min(from, to), Math.min(Math.max(from, to), events.length)];
        const columns = new Map<ColumnName, Column>([
          ['category', { kind: 'coded', codes: Uint8Array.from(events), values: VALUES }],
        ]);
        const chunk = { size: events.length, columns };
        const searches = [];
        const counts = [];
        for (const _ of ['first', 'second', 'third']) {
          const { positionsIn, countIn } = await eventFilterOf({ eventId: null, filter: condition }, null, source);
          searches.push([...positionsIn(chunk, begin, end)]);
          if (countIn !== undefined) counts.push(countIn(chunk, begin, end));
        }
        const expected = events.flatMap((code, at) =>
          at >= begin && at < end && holds(filter, VALUES[code]!) ? [at] : [],
        );
        expect(searches).toEqual([expected, expected, expected]);
        expect(counts).toEqual(filter[0] !== '!=' ? searches.map(({ length }) => length) : []);
      },
    ),
  );
});

/** A missing value fulfils only `!=`. */
function holds([operator, , value]: readonly unknown[], category: string | null): boolean {
  if (operator === '!=') return category !== value;
  if (category === null) return false;
  if (operator === 'in') return (value as string[]).includes(category);
  return operator === '=' ? category === value : category > (value as string);
}
