import fc from 'fast-check';
import { expect, test } from 'vitest';
import { MOST_PARTITIONS } from '../../../src/projections/runtime/checkpoint.ts';
import { keyOfBot, nextStretch, type Unit } from '../../../src/projections/runtime/sections.ts';

/** Which stretches of the log a builder reads for its units. */

const at = (partition: number, n: number): string => (n === 0 ? '' : `${partition}:${String(n).padStart(9, '0')}`);

interface Case {
  readonly units: Unit[];
  readonly goal: Map<number, string>;
}

const cases: fc.Arbitrary<Case> = fc
  .array(fc.record({ end: fc.integer({ min: 1, max: 9 }), sections: fc.array(fc.nat({ max: 9 }), { maxLength: 5 }) }), {
    minLength: 1,
    maxLength: 4,
  })
  .map((partitions) => ({
    goal: new Map(partitions.map(({ end }, partition) => [partition, at(partition, end)])),
    units: partitions.flatMap(({ end, sections }, partition) =>
      sections.map((n, i) => ({
        key: sections.length === 1 ? partition : partition + MOST_PARTITIONS * (i + 1),
        partition,
        position: at(partition, Math.min(n, end)),
      })),
    ),
  }));

test('stretches bring all units to the goal; each begins where all its units are, and none reads a part twice', () => {
  fc.assert(
    fc.property(cases, ({ units: first, goal }) => {
      let units = first;
      const read = new Map<number, string>();
      for (let stretch = nextStretch(units, goal); stretch !== null; stretch = nextStretch(units, goal)) {
        for (const [partition, keys] of stretch.keys) {
          const after = stretch.after.get(partition) ?? '';
          const until = stretch.until.get(partition)!;
          expect(after < until && until <= goal.get(partition)!).toBe(true);
          expect(after >= (read.get(partition) ?? '')).toBe(true);
          read.set(partition, until);
          for (const { key, position } of units) if (keys.includes(key)) expect(position).toBe(after);
        }
        const keys = new Map([...stretch.keys].flatMap(([partition, each]) => each.map((key) => [key, partition])));
        const { until } = stretch;
        units = units.map((unit) => (keys.has(unit.key) ? { ...unit, position: until.get(unit.partition)! } : unit));
      }
      for (const { partition, position } of units) expect(position).toBe(goal.get(partition));
      for (const { key, partition } of first) if (read.has(partition)) expect(key % MOST_PARTITIONS).toBe(partition);
    }),
  );
});

test('a bot is in one section of its partition, and bots are spread over all', () => {
  const keys = Array.from({ length: 1000 }, (_, i) => keyOfBot(3, 8, `bot${i}`));
  expect(keys).toEqual(Array.from({ length: 1000 }, (_, i) => keyOfBot(3, 8, `bot${i}`)));
  const counts = new Map<number, number>();
  for (const key of keys) counts.set(key, (counts.get(key) ?? 0) + 1);
  expect([...counts.keys()].sort((a, b) => a - b)).toEqual(
    Array.from({ length: 8 }, (_, i) => 3 + (i + 1) * MOST_PARTITIONS),
  );
  expect(Math.min(...counts.values())).toBeGreaterThan(60);
  expect(keyOfBot(3, 0, 'bot1')).toBe(3);
});
