import { createHash } from 'node:crypto';
import Big from 'big.js';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type AccountEvent, type AccountState, account } from '../../../src/domain/referral/account/account.ts';
import { Decimals } from '../../../src/domain/referral/account/decimals.ts';
import { Earned, earningKey } from '../../../src/domain/referral/account/earned.ts';
import { decodeAccount, encodeAccount, SNAPSHOT_VERSION } from '../../../src/domain/referral/account/snapshot.ts';
import { Rejection } from '../../../src/domain/rejection.ts';
import {
  accrued,
  attempted,
  attemptFailed,
  cancelled,
  cause,
  DAY,
  NOON,
  paid,
  requested,
  reversed,
} from '../../support/account-samples.ts';
import { commandOf, type Step, steps } from '../../support/account-steps.ts';

const foldOf = (events: readonly AccountEvent[]): AccountState => events.reduce(account.evolve, account.initialState());
const hashOf = (state: AccountState): string => createHash('sha256').update(encodeAccount(state)).digest('hex');
const restored = (state: AccountState): AccountState => decodeAccount(encodeAccount(state));

describe('an account from a snapshot', () => {
  it('decides as one from all events, whenever the snapshot was taken', () => {
    fc.assert(
      fc.property(steps(60), fc.nat(60), (taken, cut) => {
        const events: AccountEvent[] = [];
        let whole = account.initialState();
        let tailed = account.initialState();
        let now = NOON;
        let nextId = 1;
        const decided = (state: AccountState, step: Exclude<Step, { type: 'wait' }>, ids: readonly number[]) => {
          const command = commandOf(step, state, now);
          return { needs: command?.needs?.count(state, now) ?? 0, decision: command?.decide(state, now, ids) ?? [] };
        };
        for (const [index, step] of taken.entries()) {
          if (index === cut) tailed = restored(tailed);
          if (step.type === 'wait') {
            now += step.ms;
            continue;
          }
          const { needs } = decided(whole, step, []);
          const ids = Array.from({ length: needs }, () => nextId++);
          const { decision } = decided(whole, step, ids);
          expect(decided(tailed, step, ids)).toEqual({ needs, decision });
          if (decision instanceof Rejection) continue;
          for (const event of decision) {
            events.push(event);
            whole = account.evolve(whole, event);
            tailed = account.evolve(tailed, event);
          }
        }
        expect(hashOf(tailed)).toBe(hashOf(whole));
        expect(hashOf(foldOf(events))).toBe(hashOf(whole));
      }),
      { numRuns: 60 },
    );
  });

  it('has what the account had when it was taken, not what came later', () => {
    const state = foldOf([accrued(1, '5'), accrued(2, '3', { available_at: NOON + DAY })]);
    const bytes = encodeAccount(state);
    const before = new Uint8Array(bytes);
    account.evolve(state, requested(51, '5'));
    expect(bytes).toEqual(before);
    expect([...decodeAccount(bytes).accruals.values()].map(({ payout_id }) => payout_id)).toEqual([null, null]);
  });

  it('has other bytes only in another version', () => {
    const events = [
      accrued(1, '5'),
      accrued(2, '0.35', { unit_id: null }),
      accrued(3, '123456789012345678.9', { available_at: NOON + DAY, event: { ...cause(3), commit_id: 'Not-a-uuid' } }),
      requested(51, '5'),
      attempted(51),
      attemptFailed(51),
      paid(51),
      reversed(1, 4),
      accrued(5, '7'),
      requested(52, '2', { method: 'manual' }),
      cancelled(52),
      reversed(3),
    ];
    const hash = hashOf(foldOf(events));
    // If this fails: raise SNAPSHOT_VERSION, and put the new hash here.
    expect({ version: SNAPSHOT_VERSION, hash }).toEqual({
      version: 1,
      hash: '2d4236bb390e1904048f333cde9b2f8fa81d8939f6225521aa5f613123c277e1',
    });
  });
});

describe('the columns of an account', () => {
  it('keep the digits of every decimal, and their exact sum', () => {
    const decimal = fc.oneof(
      fc.stringMatching(/^-?(0|[1-9]\d{0,3})(\.\d{1,6})?$/),
      fc.stringMatching(/^-?\d{1,30}(\.\d{1,20})?$/),
    );
    fc.assert(
      fc.property(fc.array(decimal), (texts) => {
        const decimals = new Decimals();
        for (const text of texts) decimals.push(text);
        expect([...texts.keys()].map((index) => decimals.at(index))).toEqual(texts);
        const sum = texts.reduce((all, text) => all.plus(text), new Big(0));
        expect(decimals.sum(texts.keys()).eq(sum)).toBe(true);
      }),
    );
    const large = new Decimals();
    for (let n = 0; n < 30; n++) large.push('999999999999999');
    expect(large.sum(Array.from({ length: 30 }, (_, n) => n)).toFixed()).toBe('29999999999999970');
  });

  it('find each pair of rule and event, and no other', () => {
    const uuid = fc.oneof(fc.uuid(), fc.constantFrom('x', '01900000-0000-7000-8000-00000000000A', ''));
    const pair = fc.record({
      rule: fc.oneof(fc.nat(3), fc.constantFrom(2 ** 32 - 1, 2 ** 32, 2 ** 40)),
      event: fc.record({ commit_id: uuid, index: fc.oneof(fc.nat(3), fc.constantFrom(2 ** 32 - 1, 2 ** 32)) }),
    });
    fc.assert(
      fc.property(fc.array(pair), fc.array(pair), fc.nat(20), (added, asked, late) => {
        const earned = new Earned();
        const expected = new Set<string>();
        for (const [index, { rule, event }] of added.entries()) {
          // A look-up makes the table, so later pairs are added to it.
          if (index === late) earned.has(rule, event);
          if (!expected.has(earningKey(rule, event))) earned.add(rule, event);
          expected.add(earningKey(rule, event));
        }
        expect(earned.size).toBe(expected.size);
        for (const { rule, event } of [...added, ...asked])
          expect(earned.has(rule, event)).toBe(expected.has(earningKey(rule, event)));
      }),
    );
  });
});
