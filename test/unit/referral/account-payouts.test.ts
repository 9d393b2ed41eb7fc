import { describe, expect, it } from 'vitest';
import { account, balances } from '../../../src/domain/referral/account/account.ts';
import { isPaid, reverseAccrual } from '../../../src/domain/referral/account/accrue.ts';
import * as payout from '../../../src/domain/referral/account/payout.ts';
import { Recalled } from '../../../src/domain/referral/account/recall.ts';
import type { AccountEvent, AccountState } from '../../../src/domain/referral/account/state.ts';
import * as samples from '../../support/account-samples.ts';
import { given } from '../../support/decider-specification.ts';

const { accepted, accrued, attempted, attemptFailed, attemptUnsent, cancelled, DAY, failed, NOON, paid } = samples;
const { NONCE, requested, retried, reversed } = samples;

const request =
  (unit_id?: number | null, now = NOON) =>
  (state: AccountState) =>
    payout.requestPayout(
      state,
      { unit_id, method: 'webhook', initiated_by: 'api', ids: [51, 52, 53], nonce: NONCE },
      now,
    );

/** Available, reserved, paid and on hold, in unit 1. */
function balance(events: readonly AccountEvent[], now = NOON): string[] {
  const { available, reserved, paid, on_hold } = balances(given(account, ...events).state(), now).get(1)!;
  return [available, reserved, paid, on_hold].map((each) => each.toFixed());
}

describe('a request', () => {
  it('takes the whole available balance, to the last digit, with one payout for each unit', () => {
    given(account, accrued(1, '0.1'), accrued(2, '0.2'), accrued(3, '7', { unit_id: null }))
      .when(request())
      .yields({
        type: 'payout_requested',
        data: {
          payouts: [
            { payout_id: 51, amount: '7', unit_id: null },
            { payout_id: 52, amount: '0.3', unit_id: 1 },
          ],
          method: 'webhook',
          initiated_by: 'api',
          nonce: NONCE,
          at: NOON,
        },
      });
    given(account, accrued(1, '0.1'), accrued(3, '7', { unit_id: null }))
      .when(request(null))
      .yields(requested(51, '7', { unit_id: null }));
    given(account, accrued(1, '0.1'), accrued(3, '7', { unit_id: null }))
      .when(request(1))
      .yields(requested(51, '0.1'));
  });

  it('takes an accrual from the millisecond at which its hold ends', () => {
    const held = accrued(1, '5', { available_at: NOON + DAY });
    given(account, held)
      .when(request(1, NOON + DAY - 1))
      .isRefused('invalid', 'user_id');
    given(account, held)
      .when(request(1, NOON + DAY))
      .yields(requested(51, '5', { at: NOON + DAY }));
  });

  it('spends nothing twice', () => {
    given(account, accrued(1, '5'), requested(51, '5')).when(request()).isRefused('invalid', 'user_id');
    given(account).when(request()).isRefused('invalid', 'user_id');
    const refusal = request()(given(account, accrued(1, '5'), requested(51, '5')).state());
    expect(refusal).toMatchObject({ message: 'no available balance' });
  });

  it('subtracts accruals that were reversed after they were paid', () => {
    const before = [accrued(1, '5'), requested(51, '5'), paid(51), reversed(1, 9)];
    expect(balance(before)).toEqual(['-5', '0', '5', '0']);
    given(account, ...before, accrued(2, '5'))
      .when(request())
      .isRefused('invalid', 'user_id');
    given(account, ...before, accrued(2, '8'))
      .when(request())
      .yields(requested(51, '3'));
  });
});

const one = [accrued(1, '5'), requested(51, '5')];
const manual = [accrued(1, '5'), requested(51, '5', { method: 'manual' })];
/** Every state that a payout can be in, by what led to it. */
const STATES: Readonly<Record<string, readonly AccountEvent[]>> = {
  'webhook 0': one,
  'webhook 1, under way': [...one, attempted(51)],
  'webhook 1, failed once': [...one, attempted(51), attemptFailed(51)],
  'webhook 1, accepted': [...one, attempted(51), accepted(51)],
  'webhook 2': [...one, attempted(51), paid(51)],
  'webhook 3, never attempted': [...one, failed(51)],
  'webhook 3, attempted': [...one, attempted(51), attemptFailed(51, 1, null), failed(51)],
  'webhook 3, no attempt was sent': [...one, attempted(51), attemptUnsent(51), failed(51)],
  'webhook 3, one of two attempts was sent': [
    ...one,
    ...[attempted(51), attemptFailed(51), attempted(51, 2), attemptUnsent(51, 2), failed(51)],
  ],
  'webhook 3, an attempt was cut off': [...one, attempted(51), attempted(51, 2), attemptUnsent(51, 2), failed(51)],
  'webhook 0, retried': [...one, attempted(51), attemptFailed(51, 1, null), failed(51), retried(51)],
  'webhook 4': [...one, failed(51), cancelled(51)],
  'manual 0': manual,
  'manual 2': [...manual, paid(51, { by: 'admin', status: null })],
  'manual 4': [...manual, cancelled(51)],
};
type Change = (state: AccountState) => ReturnType<typeof payout.requestPayout>;
const ACTIONS: Readonly<Record<string, Change>> = {
  attempt: (state) => payout.attemptPayout(state, { payout_id: 51, address: 1 }, NOON),
  'attempt fails': (state) => {
    const failure = { attempt: 1, sent: true, status: 500, error: 'HTTP 500', next_at: NOON + 5000 };
    return payout.failAttempt(state, { payout_id: 51, ...failure }, NOON);
  },
  'last attempt fails': (state) => {
    const failure = { attempt: 1, sent: true, status: 500, error: 'HTTP 500', next_at: null };
    return payout.failAttempt(state, { payout_id: 51, ...failure }, NOON);
  },
  '202': (state) => payout.acceptPayout(state, { payout_id: 51, attempt: 1 }, NOON),
  '200': (state) => payout.payoutDelivered(state, { payout_id: 51, status: 200 }, NOON),
  'give up': (state) => payout.giveUpPayout(state, { payout_id: 51, error: 'HTTP 500' }, NOON),
  confirm: (state) => payout.confirmPayout(state, { payout_id: 51 }, NOON),
  fail: (state) => payout.failPayout(state, { payout_id: 51 }, NOON),
  retry: (state) => payout.retryPayout(state, { payout_id: 51 }, NOON),
  cancel: (state) => payout.cancelPayout(state, { payout_id: 51, force: false }, NOON),
  'cancel by force': (state) => payout.cancelPayout(state, { payout_id: 51, force: true }, NOON),
};
const byAdmin = { by: 'admin', status: null } as const;
/** The allowed actions in each state, with their events; all others are refused. */
const ALLOWED: Readonly<Record<string, Readonly<Record<string, readonly AccountEvent[]>>>> = {
  'webhook 0': {
    attempt: [attempted(51)],
    'give up': [failed(51)],
    retry: [retried(51)],
    cancel: [cancelled(51)],
    'cancel by force': [cancelled(51)],
  },
  'webhook 1, under way': {
    attempt: [attempted(51, 2)],
    'attempt fails': [attemptFailed(51)],
    'last attempt fails': [attemptFailed(51, 1, null), failed(51)],
    '202': [accepted(51)],
    '200': [paid(51)],
    'give up': [failed(51)],
  },
  'webhook 1, failed once': {
    attempt: [attempted(51, 2)],
    '200': [paid(51)],
    'give up': [failed(51)],
    retry: [retried(51)],
  },
  'webhook 1, accepted': {
    '200': [paid(51)],
    confirm: [paid(51, byAdmin)],
    fail: [failed(51, { by: 'admin', error: 'failed by an administrator' })],
  },
  'webhook 2': {},
  'webhook 3, never attempted': {
    retry: [retried(51)],
    cancel: [cancelled(51)],
    'cancel by force': [cancelled(51)],
  },
  'webhook 3, attempted': { retry: [retried(51)], 'cancel by force': [cancelled(51, true)] },
  'webhook 3, no attempt was sent': {
    retry: [retried(51)],
    cancel: [cancelled(51)],
    'cancel by force': [cancelled(51)],
  },
  'webhook 3, one of two attempts was sent': { retry: [retried(51)], 'cancel by force': [cancelled(51, true)] },
  'webhook 3, an attempt was cut off': { retry: [retried(51)], 'cancel by force': [cancelled(51, true)] },
  'webhook 0, retried': {
    attempt: [attempted(51, 2)],
    'give up': [failed(51)],
    retry: [retried(51)],
    'cancel by force': [cancelled(51, true)],
  },
  'webhook 4': {},
  'manual 0': { confirm: [paid(51, byAdmin)], cancel: [cancelled(51)], 'cancel by force': [cancelled(51)] },
  'manual 2': {},
  'manual 4': {},
};

describe('a payout', () => {
  const cases = Object.keys(STATES).flatMap((state) => Object.keys(ACTIONS).map((action) => [state, action] as const));
  it.each(cases)('%s: %s', (state, action) => {
    const decided = given(account, ...STATES[state]!).when(ACTIONS[action]!);
    const expected = ALLOWED[state]![action];
    if (expected === undefined) decided.isRefused('conflict', 'payout_id');
    else decided.yields(...expected);
  });

  it.each(Object.keys(ACTIONS))('that is not there: %s', (action) => {
    given(account, accrued(1, '5')).when(ACTIONS[action]!).isRefused('not_found', 'payout_id');
  });

  it.each<[string, string[]]>([
    ['webhook 0', ['0', '5', '0', '0']],
    ['webhook 1, under way', ['0', '5', '0', '0']],
    ['webhook 2', ['0', '0', '5', '0']],
    ['webhook 3, attempted', ['0', '5', '0', '0']],
    ['webhook 4', ['5', '0', '0', '0']],
  ])('%s: balance %j', (state, expected) => {
    expect(balance(STATES[state]!)).toEqual(expected);
  });

  it('attempted by an earlier version is cancelled only by force, since that version did not record whether anything was sent', () => {
    const data = { payout_id: 51, attempt: 1, status: null, error: 'refused', next_at: null, at: NOON };
    const event = account.read({ type: 'payout_attempt_failed', v: 1, data });
    const decided = given(account, ...one, attempted(51), event, failed(51)).when(ACTIONS['cancel']!);
    decided.isRefused('conflict', 'payout_id');
  });

  it('stays open when an earlier attempt turns out to have failed', () => {
    given(account, ...one, attempted(51), attempted(51, 2))
      .when(ACTIONS['attempt fails']!)
      .isRefused('conflict', 'payout_id');
  });

  it('frees its accruals when it is cancelled, and the next claims them', () => {
    const events = [...one, failed(51), cancelled(51), accrued(2, '1'), requested(52, '6'), paid(52)];
    const state = given(account, ...events).state();
    expect([1, 2].map((id) => isPaid(state, state.open.accruals.get(id)!))).toEqual([true, true]);
  });
});

describe('a reversal', () => {
  const reverse =
    (accrual_id: number, now = NOON) =>
    (state: AccountState) =>
      reverseAccrual(state, new Recalled(), { accrual_id, reason: null, compensation_id: 9 }, now);

  it.each<[string, AccountEvent[], AccountEvent, string[]]>([
    ['on hold', [accrued(1, '5', { available_at: NOON + DAY })], reversed(1), ['0', '0', '0', '0']],
    ['confirmed', [accrued(1, '5'), accrued(2, '3')], reversed(1), ['3', '0', '0', '0']],
    ['inside an open payout', one, reversed(1), ['-5', '5', '0', '0']],
    ['in a payout that failed', [...one, failed(51)], reversed(1), ['-5', '5', '0', '0']],
    ['in one that was cancelled', [...one, failed(51), cancelled(51)], reversed(1), ['0', '0', '0', '0']],
    ['paid', [...one, attempted(51), paid(51)], reversed(1, 9), ['-5', '0', '5', '0']],
  ])('of an accrual %s', (_, before, event, expected) => {
    given(account, ...before)
      .when(reverse(1))
      .yields(event);
    expect(balance([...before, event])).toEqual(expected);
    given(account, ...before, event)
      .when(reverse(1))
      .isRefused('conflict', 'accrual_id');
  });

  it('of a compensation or of an unknown accrual is refused', () => {
    given(account, ...one, attempted(51), paid(51), reversed(1, 9))
      .when(reverse(9))
      .isRefused('conflict', 'accrual_id');
    given(account, accrued(1, '5')).when(reverse(2)).isRefused('not_found', 'accrual_id');
  });

  it('of an accrual whose hold has ended lowers the available balance', () => {
    const held = accrued(1, '5', { available_at: NOON + DAY });
    const later = accrued(2, '1', { available_at: NOON + DAY, at: NOON + DAY });
    expect(balance([held, reversed(1, null, NOON + DAY - 1)], NOON + DAY)).toEqual(['0', '0', '0', '0']);
    expect(balance([held, later], NOON + DAY)).toEqual(['6', '0', '0', '0']);
    expect(balance([held, later, reversed(1, null, NOON + DAY)], NOON + DAY)).toEqual(['1', '0', '0', '0']);
  });
});
