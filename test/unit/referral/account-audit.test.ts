import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { account } from '../../../src/domain/referral/account/account.ts';
import { createAccountAudit } from '../../../src/domain/referral/account/account-rules.ts';
import { Recalled } from '../../../src/domain/referral/account/recall.ts';
import type { AccountEvent } from '../../../src/domain/referral/account/state.ts';
import { Rejection } from '../../../src/domain/rejection.ts';
import { oracle } from '../../support/account-oracle.ts';
import {
  accepted,
  accrued,
  attempted,
  attemptFailed,
  attemptUnsent,
  cancelled,
  cause,
  DAY,
  failed,
  NOON,
  paid,
  requested,
  retried,
  reversed,
} from '../../support/account-samples.ts';
import { commandOf, steps } from '../../support/account-steps.ts';

function problemsOf(events: readonly AccountEvent[]): string[] {
  const audit = createAccountAudit();
  return events.flatMap((event) => audit.take(event));
}

describe('the audit of an account', () => {
  it('finds no fault in random decisions, and has the balances of a plain list', () => {
    fc.assert(
      fc.property(steps(120), (taken) => {
        const audit = createAccountAudit();
        const expected = oracle();
        let state = account.initialState();
        let now = NOON;
        let id = 1;
        for (const step of taken) {
          if (step.type === 'wait') {
            now += step.ms;
            continue;
          }
          const command = commandOf(step, state, now);
          if (command === null) continue;
          const ids = Array.from({ length: command.needs?.count(state, now, new Recalled()) ?? 0 }, () => id++);
          const events = command.decide(state, now, ids, new Recalled());
          if (events instanceof Rejection) continue;
          for (const event of events) {
            expect(audit.take(event)).toEqual([]);
            expected.apply(event);
            state = account.evolve(state, event);
          }
        }
        for (const time of [now, now + DAY / 2, now + 2 * DAY]) {
          const rows = [...audit.balances(time)].map(([unit, { available, reserved, paid: out, on_hold }]) => [
            unit,
            [available, reserved, out, on_hold],
          ]);
          expect(new Map(rows as [number | null, [string, string, string, string]][])).toEqual(expected.balances(time));
        }
      }),
      { numRuns: 100 },
    );
  });

  const lock = (amount: string, source: 'auto' | 'manual' = 'auto'): AccountEvent => ({
    type: 'reward_rate_locked',
    data: { rule_id: 1, reward_type: 'fixed', amount, percent: null, unit_id: 1, source, at: NOON },
  });
  const five = [lock('5'), accrued(1, '5')];
  const onItsWay = [...five, requested(1, '5'), attempted(1)];
  const refused: AccountEvent = {
    type: 'reward_refused',
    data: { rule_id: 1, referral_id: 7, event: cause(1), reason: 'no_rate', at: NOON },
  };

  it.each<[string, readonly AccountEvent[], string]>([
    ['one order that earns twice', [...five, accrued(2, '5', { event: cause(1) })], 'rule 1 has decided on event 1'],
    ['what earns after it was refused', [lock('5'), refused, accrued(1, '5')], 'rule 1 has decided on event 1'],
    ['what is refused after it earned', [...five, refused], 'rule 1 has decided on event 1'],
    ['an id that is given twice', [...five, accrued(1, '5', { event: cause(2) })], 'accrual 1 exists already'],
    ['an accrual of nothing', [lock('0'), accrued(1, '0')], 'accrual 1 is of 0'],
    ['an accrual without a rate', [accrued(1, '5')], 'accrual 1 is at another rate than is locked'],
    ['an accrual at another rate', [lock('4'), accrued(1, '5')], 'accrual 1 is at another rate than is locked'],
    [
      'an amount that is not that of its rate',
      [lock('5'), accrued(1, '50', { rate: { reward_type: 'fixed', amount: '5', percent: null } })],
      'accrual 1 is of 50, its rate is 5',
    ],
    ['a second lock by an accrual', [lock('5'), lock('6')], 'the rate of rule 1 was locked before'],
    [
      'a hold that ends before it begins',
      [lock('5'), accrued(1, '5', { available_at: NOON - 1 })],
      'before it was earned',
    ],
    ['a time that goes back', [...five, requested(1, '5', { at: NOON - 1 })], `goes back to ${NOON - 1}`],
    ['a payout of too much', [...five, requested(1, '5.01')], 'payout 1 is of 5.01, and 5 was available'],
    ['a payout of too little', [...five, requested(1, '4')], 'payout 1 is of 4, and 5 was available'],
    [
      'a payout of what is on hold',
      [lock('5'), accrued(1, '5', { available_at: NOON + 1 }), requested(1, '5')],
      '0 was available',
    ],
    [
      'a payout of what is in another',
      [...five, requested(1, '5'), requested(2, '5')],
      'payout 2 is of 5, and 0 was available',
    ],
    [
      'a payout of what was cancelled',
      [...five, reversed(1), requested(1, '5')],
      'payout 1 is of 5, and 0 was available',
    ],
    ['a payout in another unit', [...five, requested(1, '5', { unit_id: 2 })], '0 was available'],
    [
      'a payout that is there',
      [...five, requested(1, '5'), cancelled(1), requested(1, '5')],
      'payout 1 exists already',
    ],
    ['a payment of what is not', [...five, paid(1)], 'there is no payout 1'],
    [
      'a payment of a payout that was not requested',
      [...five, requested(1, '5'), paid(1)],
      'payout_paid of payout 1, which is webhook, new',
    ],
    ['a second payment', [...onItsWay, paid(1), paid(1)], 'payout_paid of payout 1, which is webhook, paid'],
    ['an attempt that was left out', [...five, requested(1, '5'), attempted(1, 2)], 'after 0 attempts'],
    ['the end of no attempt', [...onItsWay, attemptFailed(1), accepted(1)], 'payout_accepted of payout 1'],
    ['a failure of what was paid', [...onItsWay, paid(1), failed(1)], 'payout_failed of payout 1'],
    ['a retry of what did not fail', [...onItsWay, retried(1)], 'payout_retried of payout 1'],
    ['a cancellation of what is under way', [...onItsWay, cancelled(1, true)], 'payout_cancelled of payout 1'],
    ['a cancellation unawares', [...onItsWay, failed(1), cancelled(1, false)], 'payout_cancelled of payout 1'],
    [
      'a cancellation by force of what was never sent',
      [...onItsWay, attemptUnsent(1), failed(1), cancelled(1, true)],
      'payout_cancelled of payout 1',
    ],
    ['a reversal of nothing', [reversed(1)], 'there is no accrual 1 to reverse'],
    ['a second reversal', [...five, reversed(1), reversed(1)], 'accrual 1 is cancelled already'],
    ['a paid one that is cancelled', [...onItsWay, paid(1), reversed(1)], 'accrual 1 was paid, and cancelled'],
    ['one made good that was not paid', [...five, reversed(1, 2)], 'accrual 1 was not paid, and made good'],
    [
      'a compensation that is reversed',
      [...onItsWay, paid(1), reversed(1, 2), reversed(2)],
      'accrual 2 is a compensation',
    ],
  ])('finds %s', (_, events, message) => {
    expect(problemsOf(events.slice(0, -1)).filter((problem) => problem.includes(message))).toEqual([]);
    expect(problemsOf(events).join('\n')).toContain(message);
  });
});
