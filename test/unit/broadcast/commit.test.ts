import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createBudget } from '../../../src/processes/broadcasts/commit.ts';

test('never claims more than a second of sending, and always at least one recipient', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 1000 }),
      fc.integer({ min: 1, max: 10 }),
      fc.array(fc.record({ answered: fc.nat(1200), slowed: fc.option(fc.nat(1000)), after: fc.nat(3000) })),
      (cap, units, steps) => {
        const budget = createBudget(cap, units);
        const most = Math.max(1, cap / units);
        let open = 0;
        let now = 0;
        for (const { answered, slowed, after } of steps) {
          now += after;
          if (slowed !== null) budget.slowed(slowed, now);
          open = Math.max(0, open - answered);
          const room = budget.room(open, now);
          open += room;
          expect(open).toBeLessThanOrEqual(Math.max(most, open - room));
          if (room > 0) expect(open).toBeLessThanOrEqual(most);
        }
        expect(budget.room(0, now)).toBeGreaterThan(0);
      },
    ),
  );
});

test('claims fewer recipients after sending was slow, and grows again by a quarter a second', () => {
  const budget = createBudget(1000, 1);
  expect(budget.room(0, 0)).toBe(750);
  budget.slowed(10, 5000);
  expect(budget.room(0, 5000)).toBe(10);
  expect(budget.room(0, 6001)).toBe(12);
  for (let now = 7002; now < 60_000; now += 1001) budget.room(0, now);
  expect(budget.room(0, 60_000)).toBe(750);
});
