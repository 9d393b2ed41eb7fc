import Big from 'big.js';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { account, balances } from '../../../src/domain/referral/account/account.ts';
import { isPaid } from '../../../src/domain/referral/account/accrue.ts';
import { historyOf } from '../../../src/domain/referral/account/history.ts';
import { type Hold, Holds } from '../../../src/domain/referral/account/holds.ts';
import { Recalled } from '../../../src/domain/referral/account/recall.ts';
import type { AccountEvent, AccountState } from '../../../src/domain/referral/account/state.ts';
import { Rejection } from '../../../src/domain/rejection.ts';
import { oracle } from '../../support/account-oracle.ts';
import { NOON } from '../../support/account-samples.ts';
import { commandOf, steps } from '../../support/account-steps.ts';

const balancesOf = (state: AccountState, now: number) =>
  new Map(
    [...balances(state, now)].map(([unit, { available, reserved, paid, on_hold }]) => [
      unit,
      [available, reserved, paid, on_hold].map((each) => each.toFixed()),
    ]),
  );

const statusesOf = (state: AccountState, now: number) =>
  new Map(
    [...state.open.accruals]
      .filter(([id]) => !state.reversals.has(id))
      .map(([id, accrual]) => [id, isPaid(state, accrual) ? 2 : accrual.available_at <= now ? 1 : 0]),
  );

describe('an account', () => {
  it('equals a plain list of all events after every step', () => {
    fc.assert(
      fc.property(steps(80), (taken) => {
        const expected = oracle();
        const commits: { revision: number; events: AccountEvent[] }[] = [];
        let state = account.initialState();
        let now = NOON;
        let nextId = 1;
        for (const step of taken) {
          if (step.type === 'wait') now += step.ms;
          else {
            const command = commandOf(step, state, now);
            const ids = Array.from({ length: command?.needs?.count(state, now, new Recalled()) ?? 0 }, () => nextId++);
            const decision = command?.decide(state, now, ids, new Recalled()) ?? [];
            if (decision instanceof Rejection) continue;
            const events = decision.map((event) => account.read(JSON.parse(JSON.stringify(account.write(event)))));
            for (const event of events) {
              expected.apply(event);
              state = account.evolve(state, event);
            }
            if (events.length > 0) commits.push({ revision: commits.length + 1, events });
          }
          expect(balancesOf(state, now)).toEqual(expected.balances(now));
          expect(statusesOf(state, now)).toEqual(expected.statuses(now));
        }
        const history = historyOf(commits, now);
        for (const { event, available } of history) if (event === 'payout_requested') expect(available).toBe('0');
        const last = new Map(history.map((row) => [row.unit_id, row]));
        for (const [unit, [available, reserved, paid, on_hold]] of expected.balances(now))
          expect(last.get(unit)).toMatchObject({ available, reserved, paid, on_hold });
        const replayed = commits.flatMap(({ events }) => events).reduce(account.evolve, account.initialState());
        expect(balancesOf(replayed, now)).toEqual(expected.balances(now));
      }),
      { numRuns: 150 },
    );
  });
});

describe('what is on hold', () => {
  it('comes out at the end of its hold, whether it was closed in between or not', () => {
    const hold = fc.record({ time: fc.nat(20), amount: fc.integer({ min: -9, max: 9 }).map(String) });
    const step = fc.record({ added: fc.array(hold), time: fc.nat(25), closed: fc.boolean() });
    fc.assert(
      fc.property(fc.array(step), (taken) => {
        const holds = new Holds();
        let rest: Hold[] = [];
        for (const { added, time, closed } of taken) {
          for (const each of added) holds.add(each);
          rest.push(...added);
          const passed = sumOf(rest.filter((each) => each.time <= time));
          expect(holds.passed(time).toFixed()).toBe(passed);
          expect(holds.take(time).toFixed()).toBe(passed);
          rest = rest.filter((each) => each.time > time);
          const sums = holds.openSums();
          if (!closed) continue;
          holds.close(
            time,
            sums.map((each) => each.time),
            sums.map((each) => each.amount),
          );
          expect(holds.passed(Number.MAX_SAFE_INTEGER).toFixed()).toBe(sumOf(rest));
        }
      }),
    );
  });
});

const sumOf = (holds: readonly Hold[]): string =>
  holds.reduce((sum, { amount }) => sum.plus(amount), new Big(0)).toFixed();
