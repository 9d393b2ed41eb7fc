import type { RewardItem } from '../../src/domain/referral/account/reward.ts';
import type { AccountEvent } from '../../src/domain/referral/account/state.ts';

/** Events of a referrer's account and the reward items that cause them. Fields that a test does not name have defaults. */

export const NOON = Date.UTC(2025, 0, 15, 12);
export const DAY = 86_400_000;

type DataOf<T extends AccountEvent['type']> = Extract<AccountEvent, { readonly type: T }>['data'];

/** The event with this number, received at noon. */
export const cause = (index: number) => ({
  commit_id: '01900000-0000-7000-8000-000000000000',
  index,
  event_id: 100,
  date: NOON,
  received: NOON,
});

/** A fixed reward that is available at once. Its event has the accrual's number. */
export function accrued(
  accrual_id: number,
  amount: string,
  more: Partial<DataOf<'reward_accrued'>> = {},
): AccountEvent {
  const rate = { reward_type: 'fixed' as const, amount, percent: null };
  const data = { accrual_id, rule_id: 1, referral_id: 7, event: cause(accrual_id), amount, unit_id: 1, rate };
  return { type: 'reward_accrued', data: { ...data, available_at: NOON, at: NOON, ...more } };
}

/** The nonce of each request. */
export const NONCE = '00ff00ff00ff00ff';

export function requested(
  payout_id: number,
  amount: string,
  more: Partial<DataOf<'payout_requested'>> & { readonly unit_id?: number | null } = {},
): AccountEvent {
  const { unit_id = 1, ...rest } = more;
  const payouts = [{ payout_id, amount, unit_id }];
  return {
    type: 'payout_requested',
    data: { payouts, method: 'webhook', initiated_by: 'api', nonce: NONCE, at: NOON, ...rest },
  };
}

export const attempted = (payout_id: number, attempt = 1): AccountEvent => ({
  type: 'payout_attempted',
  data: { payout_id, attempt, address: 1, at: NOON },
});
export const attemptFailed = (payout_id: number, attempt = 1, next_at: number | null = NOON + 5000): AccountEvent => ({
  type: 'payout_attempt_failed',
  data: { payout_id, attempt, sent: true, status: 500, error: 'HTTP 500', next_at, at: NOON },
});
/** An attempt that ended before there was a connection. */
export const attemptUnsent = (payout_id: number, attempt = 1): AccountEvent => ({
  type: 'payout_attempt_failed',
  data: { payout_id, attempt, sent: false, status: null, error: 'refused', next_at: null, at: NOON },
});
export const accepted = (payout_id: number, attempt = 1): AccountEvent => ({
  type: 'payout_accepted',
  data: { payout_id, attempt, at: NOON },
});
export const paid = (payout_id: number, more: Partial<DataOf<'payout_paid'>> = {}): AccountEvent => ({
  type: 'payout_paid',
  data: { payout_id, by: 'webhook', status: 200, reason: null, at: NOON, ...more },
});
export const failed = (payout_id: number, more: Partial<DataOf<'payout_failed'>> = {}): AccountEvent => ({
  type: 'payout_failed',
  data: { payout_id, by: 'webhook', error: 'HTTP 500', at: NOON, ...more },
});
export const retried = (payout_id: number): AccountEvent => ({
  type: 'payout_retried',
  data: { payout_id, reason: null, at: NOON },
});
export const cancelled = (payout_id: number, forced = false): AccountEvent => ({
  type: 'payout_cancelled',
  data: { payout_id, forced, reason: null, at: NOON },
});
export const reversed = (accrual_id: number, compensation_id: number | null = null, at = NOON): AccountEvent => ({
  type: 'accrual_reversed',
  data: { accrual_id, reason: null, compensation_id, at },
});

/** An event that a rule of five dollars rewards. */
export function item(
  index: number,
  more: Partial<Omit<RewardItem, 'rule'>> & { readonly rule?: Partial<RewardItem['rule']> } = {},
) {
  const { rule, ...rest } = more;
  const fixed = { rule_id: 1, reward_type: 'fixed', amount: '5', percent: null, unit_id: 1, hold_days: '0' } as const;
  return { referral_id: 7, event: cause(index), ...rest, rule: { ...fixed, ...rule } };
}

/** An event that a rule rewards with a percentage of its value, in dollars. */
export function percentItem(index: number, percent: string, value: string, more: Partial<RewardItem> = {}): RewardItem {
  const rule = { rule_id: 2, reward_type: 'percent', amount: null, percent, unit_id: null } as const;
  return { ...item(index, { rule }), base: { value, rate: '1', unit: { unit_id: 1, scale: 2 } }, ...more };
}
