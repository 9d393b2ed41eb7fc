import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { planShare } from '../../../src/database/share.ts';

/** Shares in memory: who holds which part. A step is one renewal of one member. */
class Shares {
  readonly members = new Set<string>();
  readonly holders: Map<number, string>[];

  constructor(readonly parts: readonly number[]) {
    this.holders = parts.map(() => new Map());
  }

  own(share: number, member: string): Set<number> {
    return new Set([...this.holders[share]!].filter(([, holder]) => holder === member).map(([part]) => part));
  }

  renew(member: string): void {
    for (const [share, parts] of this.parts.entries()) {
      const own = this.own(share, member);
      const taken = new Set([...this.holders[share]!.keys()].filter((part) => !own.has(part)));
      const plan = planShare({ parts, shareIndex: share, members: [...this.members].sort(), self: member, own, taken });
      // A part goes from its holder to no one, and from no one to its next holder.
      expect(plan.give.length === 0 || plan.take.length === 0).toBe(true);
      for (const part of plan.give) {
        expect(own.has(part)).toBe(true);
        this.holders[share]!.delete(part);
      }
      for (const part of plan.take) {
        expect(own.has(part) || taken.has(part)).toBe(false);
        this.holders[share]!.set(part, member);
      }
    }
  }

  /** The member leaves, or its leases expire. */
  leave(member: string): void {
    this.members.delete(member);
    for (const holders of this.holders)
      for (const [part, holder] of holders) if (holder === member) holders.delete(part);
  }

  /** Two renewals of every member: who has too much gives back in the first, and who has too little takes in the second. */
  settle(): void {
    for (let round = 0; round < 2; round++) for (const member of this.members) this.renew(member);
  }
}

const NAMES = ['a', 'b', 'c', 'd', 'e'];
const step = fc.record({ do: fc.constantFrom('join', 'leave', 'renew'), who: fc.constantFrom(...NAMES) });

function spread(counts: readonly number[]): number {
  return Math.max(...counts) - Math.min(...counts);
}

describe('planShare', () => {
  test('gives every part to one member, as evenly as it can be, whatever came before', () => {
    fc.assert(
      fc.property(
        fc.array(fc.integer({ min: 1, max: 24 }), { minLength: 1, maxLength: 8 }),
        fc.array(step, { maxLength: 60 }),
        (parts, steps) => {
          const shares = new Shares(parts);
          for (const { do: what, who } of steps)
            if (what === 'join') shares.members.add(who);
            else if (what === 'leave') shares.leave(who);
            else if (shares.members.has(who)) shares.renew(who);
          shares.members.add('a');
          shares.settle();
          for (const [share, count] of parts.entries()) {
            expect(shares.holders[share]!.size).toBe(count);
            expect(spread([...shares.members].map((member) => shares.own(share, member).size))).toBeLessThanOrEqual(1);
          }
        },
      ),
    );
  });

  test('divides shares of the same size evenly in all, also shares of one part', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 24 }),
        fc.integer({ min: 1, max: 8 }),
        fc.subarray(NAMES, { minLength: 1 }),
        (size, count, names) => {
          const shares = new Shares(Array.from({ length: count }, () => size));
          for (const name of names) shares.members.add(name);
          shares.settle();
          const all = names.map((name) =>
            shares.parts.reduce((sum, _, share) => sum + shares.own(share, name).size, 0),
          );
          expect(spread(all)).toBeLessThanOrEqual(1);
        },
      ),
    );
  });

  test('moves no more parts than a newcomer is to have', () => {
    const shares = new Shares([12]);
    for (const name of ['a', 'b']) shares.members.add(name);
    shares.settle();
    const before = new Map(shares.holders[0]);
    shares.members.add('c');
    shares.settle();
    const moved = [...shares.holders[0]!].filter(([part, holder]) => before.get(part) !== holder);
    expect(moved).toHaveLength(4);
    expect(new Set(moved.map(([, holder]) => holder))).toEqual(new Set(['c']));
  });

  test('leaves parts alone when the planner is no member', () => {
    const view = { parts: 3, shareIndex: 0, members: ['b'], self: 'a', taken: new Set<number>() };
    expect(planShare({ ...view, own: new Set([2, 0]) })).toEqual({ give: [0, 2], take: [] });
    expect(planShare({ ...view, own: new Set() })).toEqual({ give: [], take: [] });
  });
});
