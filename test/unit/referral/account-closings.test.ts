import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { AccountCommand } from '../../../src/commands/referral/accounts.ts';
import { account, balances } from '../../../src/domain/referral/account/account.ts';
import { applyClosing, type Closing, closeBooks } from '../../../src/domain/referral/account/closing.ts';
import { ClosedPairs, hasHash, hashOf, packHashes } from '../../../src/domain/referral/account/earned.ts';
import { payoutOf } from '../../../src/domain/referral/account/payout-state.ts';
import {
  accrualLookup,
  accrualOf,
  type BlockContents,
  contentsOf,
  hasDecided,
  type Lookup,
  notRecalled,
  Recalled,
  recall,
} from '../../../src/domain/referral/account/recall.ts';
import type { AccountEvent, AccountState } from '../../../src/domain/referral/account/state.ts';
import { booksClosed } from '../../../src/domain/referral/books-events.ts';
import { Rejection } from '../../../src/domain/rejection.ts';
import { oracle } from '../../support/account-oracle.ts';
import { accrued, cause, NOON, reversed } from '../../support/account-samples.ts';
import { commandOf, steps } from '../../support/account-steps.ts';

const hashOfRevision = (revision: number): string => revision.toString(16).padStart(64, '0');
const stored = (closing: Closing): Closing =>
  booksClosed.read(JSON.parse(JSON.stringify(booksClosed.create(closing)))).data;

/** An account that closes its books, and the commits of its closed blocks. */
class ClosedAccount {
  state: AccountState = account.initialState();
  readonly closings: Closing[] = [];
  private readonly events: { readonly revision: number; readonly event: AccountEvent }[] = [];
  private revision = 0;

  append(events: readonly AccountEvent[]): void {
    this.revision++;
    for (const event of events) {
      if (event.type === 'accrual_reversed') {
        const fact = accrualOf(
          this.state,
          this.recalled([accrualLookup(this.state, event.data.accrual_id)]),
          event.data.accrual_id,
        );
        if (fact !== undefined && fact !== 'compensation') this.state.recalled.set(event.data.accrual_id, fact);
      }
      this.state = account.evolve(this.state, event);
      this.state.recalled.clear();
      this.events.push({ revision: this.revision, event });
    }
  }

  /** Closes what came since the last closing, if anything did. */
  close(): void {
    if (this.revision === (this.closings.at(-1)?.revision ?? 0)) return;
    this.closings.push(
      stored(closeBooks(this.state, { revision: this.revision, hash: hashOfRevision(this.revision) })),
    );
  }

  /** Becomes another instance that has only the closings. Call it after {@link close}. */
  restart(): void {
    this.state = account.initialState();
    for (const closing of this.closings) applyClosing(this.state, closing);
  }

  decide(command: AccountCommand, now: number, ids: readonly number[]) {
    const recalled = new Recalled();
    this.recall(recalled, command.lookups?.(this.state, recalled) ?? []);
    return {
      needs: command.needs?.count(this.state, now, recalled) ?? 0,
      decision: command.decide(this.state, now, ids, recalled),
    };
  }

  recalled(lookups: readonly Lookup[]): Recalled {
    const recalled = new Recalled();
    this.recall(recalled, lookups);
    return recalled;
  }

  private recall(recalled: Recalled, lookups: readonly Lookup[]): void {
    for (const lookup of lookups)
      for (const block of notRecalled(recalled, lookup)) recall(recalled, lookup.name, block, this.contents(block));
  }

  private contents(block: AccountState['closed'][number]): BlockContents {
    const isInside = ({ revision }: { readonly revision: number }): boolean =>
      revision > block.after.revision && revision <= block.last.revision;
    return contentsOf(
      block,
      this.events.filter(isInside).map(({ event }) => event),
    );
  }
}

const balancesOf = (state: AccountState, now: number) =>
  new Map(
    [...balances(state, now)].map(([unit, { available, reserved, paid, on_hold }]) => [
      unit,
      [available, reserved, paid, on_hold].map((each) => each.toFixed()),
    ]),
  );

describe('an account that closes its books', () => {
  it('decides as one that never does, wherever it closes them', () => {
    const cut = fc.constantFrom('none', 'none', 'none', 'close', 'restart');
    fc.assert(
      fc.property(steps(80), fc.array(cut, { minLength: 80, maxLength: 80 }), (taken, cuts) => {
        const expected = oracle();
        let whole = account.initialState();
        const closed = new ClosedAccount();
        let now = NOON;
        let nextId = 1;
        for (const [index, step] of taken.entries()) {
          if (cuts[index] !== 'none') closed.close();
          if (cuts[index] === 'restart') closed.restart();
          if (step.type === 'wait') {
            now += step.ms;
            continue;
          }
          const command = commandOf(step, whole, now);
          if (command === null) continue;
          const needs = command.needs?.count(whole, now, new Recalled()) ?? 0;
          const ids = Array.from({ length: needs }, () => nextId++);
          const decision = command.decide(whole, now, ids, new Recalled());
          expect(closed.decide(command, now, ids)).toEqual({ needs, decision });
          if (decision instanceof Rejection || decision.length === 0) continue;
          for (const event of decision) {
            expected.apply(event);
            whole = account.evolve(whole, event);
          }
          closed.append(decision);
          expect(balancesOf(closed.state, now)).toEqual(balancesOf(whole, now));
        }
        expect(balancesOf(closed.state, now)).toEqual(expected.balances(now));
        expect(closed.state.payouts).toEqual(whole.payouts);
        expect(closed.state.reversals).toEqual(whole.reversals);
        const live = [...expected.statuses(now).keys()];
        const open = [...whole.open.accruals].filter(
          ([id, { compensates }]) => live.includes(id) && compensates === null,
        );
        for (const [id, accrual] of open) {
          const fact = accrualOf(closed.state, closed.recalled([accrualLookup(closed.state, id)]), id);
          expect(fact).toEqual(accrual);
          for (const state of [whole, closed.state])
            expect(payoutOf(state, accrual)?.payout_id ?? null).toBe(expected.payouts().get(id));
        }
      }),
      { numRuns: 200 },
    );
  });

  it('makes the same closings, whether it was folded from the closings before or from the first commit', () => {
    const closed = new ClosedAccount();
    const again = new ClosedAccount();
    for (const each of [closed, again]) {
      each.append([accrued(1, '5'), accrued(2, '3', { available_at: NOON + 9 })]);
      each.close();
      if (each === again) each.restart();
      each.append([
        reversed(2),
        accrued(3, '1', { available_at: NOON + 9 }),
        accrued(4, '2', { available_at: NOON + 5 }),
      ]);
      each.close();
    }
    expect(again.closings).toEqual(closed.closings);
    expect(closed.closings[1]).toMatchObject({
      revision: 2,
      count: 4,
      ids: [3, 4],
      units: [{ unit_id: 1, confirmed: '5', held: '3', reserved: '0', paid: '0' }],
      // The hold of a cancelled accrual is taken back at its end.
      holds: [{ unit_id: 1, times: [NOON + 5, 4], amounts: ['2', '-2'] }],
      cancelled: [2],
      reversed: [],
    });
  });

  it('refuses a pair of a closed block only after the block was read', () => {
    const closed = new ClosedAccount();
    closed.append([accrued(1, '5')]);
    closed.close();
    const { state } = closed;
    // As if the hash of another pair was the same.
    const hashes = [hashOf('1:x:7'), hashOf('1:x:8')];
    Object.assign(state.closed[0]!, { earned: packHashes(hashes) });
    state.closedPairs.add(packHashes(hashes));
    expect(hasDecided(state, new Recalled(), 1, { commit_id: 'x', index: 7 })).toBe(true);
    const lookup: Lookup = { name: 'earned 1:x:7', blocks: state.closed };
    expect(hasDecided(state, closed.recalled([lookup]), 1, { commit_id: 'x', index: 7 })).toBe(false);
    expect(hasDecided(state, new Recalled(), 1, cause(1))).toBe(false);
  });
});

describe('packed hashes', () => {
  it('have the hashes that were packed, and no other, in each block and in all together', () => {
    const hash = fc.oneof(
      fc.nat(20),
      fc.maxSafeInteger().map((n) => Math.abs(n) % 2 ** 48),
    );
    fc.assert(
      fc.property(fc.array(fc.array(hash), { size: 'medium' }), fc.array(hash), (blocks, asked) => {
        const pairs = new ClosedPairs();
        const known = new Set<number>();
        for (const block of blocks) {
          const packed = packHashes(block);
          expect(packed).toHaveLength(block.length * 6);
          pairs.add(packed);
          for (const each of block) known.add(each);
          for (const each of [...block, ...asked]) {
            expect(hasHash(packed, each)).toBe(block.includes(each));
            expect(pairs.has(each)).toBe(known.has(each));
          }
        }
      }),
    );
  });
});
