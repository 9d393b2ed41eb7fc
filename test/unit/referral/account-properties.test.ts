import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type AccountEvent, type AccountState, account } from '../../../src/domain/referral/account/account.ts';
import { isPaid } from '../../../src/domain/referral/account/accrue.ts';
import { balances } from '../../../src/domain/referral/account/balance.ts';
import { historyOf } from '../../../src/domain/referral/account/history.ts';
import { Holds } from '../../../src/domain/referral/account/holds.ts';
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
    [...state.accruals]
      .filter(([, accrual]) => accrual.state === 'live')
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
            const ids = Array.from({ length: command?.needs?.count(state, now) ?? 0 }, () => nextId++);
            const decision = command?.decide(state, now, ids) ?? [];
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
  it('comes out at the end of the hold, the earliest first', () => {
    fc.assert(
      fc.property(fc.array(fc.nat(20)), fc.array(fc.nat(25)), (times, asked) => {
        const holds = new Holds((row) => times[row]!);
        let rest = [...times];
        for (const row of times.keys()) holds.add(row);
        for (const time of asked) {
          const passed = rest.filter((end) => end <= time).sort((a, b) => a - b);
          const ends = holds.passed(time).map((row) => times[row]!);
          expect(ends.sort((a, b) => a - b)).toEqual(passed);
          expect(holds.take(time).map((row) => times[row])).toEqual(passed);
          rest = rest.filter((end) => end > time);
        }
      }),
    );
  });
});
