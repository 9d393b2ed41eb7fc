import Big from 'big.js';
import fc from 'fast-check';
import type { AccountCommand } from '../../src/commands/referral/accounts.ts';
import {
  accrueLookups,
  accrueRewards,
  isCompensated,
  mayAccrue,
  reverseAccrual,
  reverseLookups,
} from '../../src/domain/referral/account/accrue.ts';
import * as payout from '../../src/domain/referral/account/payout.ts';
import { type RewardItem, setRate } from '../../src/domain/referral/account/reward.ts';
import type { AccountState } from '../../src/domain/referral/account/state.ts';
import { cause, DAY } from './account-samples.ts';

/** Random commands on an account, including commands that the account refuses. */

export type Step =
  | { readonly type: 'accrue'; readonly items: readonly Earning[] }
  | { readonly type: 'wait'; readonly ms: number }
  | { readonly type: 'payout'; readonly unit: number | null | undefined; readonly manual: boolean }
  /** `pick`: index of the payout (or accrual), counted from the last. */
  | { readonly type: 'deliver'; readonly what: Delivery; readonly pick: number }
  | { readonly type: 'reverse'; readonly pick: number }
  | { readonly type: 'rate'; readonly rule: number; readonly value: number };

/** `edits`: number of earlier edits of the rule; each edit raised its rate by a tenth. */
interface Earning {
  readonly event: number;
  readonly rule: number;
  readonly value: number;
  readonly edits: number;
}

const DELIVERIES = [
  'attempt',
  'paid',
  'accepted',
  'failed once',
  'failed',
  'confirm',
  'retry',
  'cancel',
  'force',
] as const;
type Delivery = (typeof DELIVERIES)[number];

/** Two fixed rules and two percentages, with and without holds, in two units and without one. */
export const RULES: readonly RewardItem['rule'][] = [
  { rule_id: 1, reward_type: 'fixed', amount: '0.1', percent: null, unit_id: 1, hold_days: '0' },
  { rule_id: 2, reward_type: 'fixed', amount: '0.2', percent: null, unit_id: 1, hold_days: '0.5' },
  { rule_id: 3, reward_type: 'percent', amount: null, percent: '2.9', unit_id: 2, hold_days: '1' },
  { rule_id: 4, reward_type: 'percent', amount: null, percent: '33.3', unit_id: null, hold_days: '0.00000002' },
];
const UNITS = [undefined, undefined, { unit_id: 2, scale: 0 }, null] as const;

export const steps = (maxLength: number): fc.Arbitrary<Step[]> => {
  const rule = fc.nat({ max: RULES.length - 1 });
  const pick = fc.nat({ max: 5 });
  return fc.array(
    fc.oneof(
      {
        weight: 3,
        arbitrary: fc.record({
          type: fc.constant('accrue' as const),
          items: fc.array(
            fc.record({
              event: fc.nat({ max: 60 }),
              rule,
              value: fc.integer({ min: -5, max: 900 }),
              edits: fc.nat({ max: 3 }),
            }),
            { minLength: 1, maxLength: 4 },
          ),
        }),
      },
      {
        weight: 2,
        arbitrary: fc.record({
          type: fc.constant('wait' as const),
          ms: fc.oneof(fc.nat(3), fc.nat(DAY), fc.constant(DAY / 2)),
        }),
      },
      {
        weight: 3,
        arbitrary: fc.record({
          type: fc.constant('payout' as const),
          unit: fc.constantFrom(undefined, undefined, null, 1, 2),
          manual: fc.boolean(),
        }),
      },
      {
        weight: 7,
        arbitrary: fc.record({ type: fc.constant('deliver' as const), what: fc.constantFrom(...DELIVERIES), pick }),
      },
      { weight: 2, arbitrary: fc.record({ type: fc.constant('reverse' as const), pick }) },
      {
        weight: 1,
        arbitrary: fc.record({ type: fc.constant('rate' as const), rule, value: fc.integer({ min: 0, max: 50 }) }),
      },
    ),
    // Short lists never reach a cancelled payout whose accruals another payout claims.
    { maxLength, size: 'max' },
  );
};

function itemOf({ event, rule: index, value, edits }: Earning, now: number): RewardItem {
  const { amount, percent, ...rule } = RULES[index]!;
  const edited = (rate: string | null) => (rate === null ? null : new Big(edits).div(10).plus(rate).toFixed());
  const unit = UNITS[index];
  const base = unit === undefined ? undefined : { value: String(value), rate: '1.07', unit };
  return {
    rule: { ...rule, amount: edited(amount), percent: edited(percent) },
    referral_id: 7,
    event: { ...cause(event), received: now - (event % 3) },
    base,
  };
}

/**
 * The command of a step in the current state of the account, which has no closing; null if the account has no matching payout or accrual.
 */
export function commandOf(
  step: Exclude<Step, { type: 'wait' }>,
  state: AccountState,
  now: number,
): AccountCommand | null {
  switch (step.type) {
    case 'accrue': {
      const items = step.items.map((item) => itemOf(item, now));
      return {
        lookups: (seen, recalled) => accrueLookups(seen, recalled, items),
        needs: { kind: 'accrual', count: (seen, _at, recalled) => mayAccrue(seen, recalled, items) },
        decide: (seen, at, ids, recalled) => accrueRewards(seen, recalled, { items, ids, units: new Map() }, at),
      };
    }
    case 'payout': {
      const { unit: unit_id, manual } = step;
      const request = { unit_id, method: manual ? 'manual' : 'webhook', initiated_by: 'api' } as const;
      return {
        needs: { kind: 'payout', count: (seen, at) => payout.payable(seen, unit_id, at).length },
        decide: (seen, at, ids) => payout.requestPayout(seen, { ...request, ids, nonce: 'n' }, at),
      };
    }
    case 'reverse': {
      const accrual_id = picked([...state.open.accruals.keys()], step.pick);
      if (accrual_id === undefined) return null;
      return {
        lookups: (seen) => reverseLookups(seen, accrual_id),
        needs: {
          kind: 'accrual',
          count: (seen, _at, recalled) => (isCompensated(seen, recalled, accrual_id) ? 1 : 0),
        },
        decide: (seen, at, [compensation_id], recalled) =>
          reverseAccrual(seen, recalled, { accrual_id, reason: null, compensation_id }, at),
      };
    }
    case 'rate': {
      const rule = RULES[step.rule]!;
      const value = (step.value / 10).toString();
      const rate = rule.reward_type === 'fixed' ? { amount: value } : { percent: value };
      return { decide: (seen, at) => setRate(seen, { rule, scale: 2, ...rate }, at) };
    }
    case 'deliver': {
      const payout_id = picked([...state.payouts.keys()], step.pick);
      return payout_id === undefined ? null : { decide: delivery(step.what, payout_id) };
    }
  }
}

function delivery(what: Delivery, payout_id: number): AccountCommand['decide'] {
  return (state, now) => {
    const attempt = state.payouts.get(payout_id)!.attempts;
    const failed = { payout_id, attempt, sent: true, status: 503, error: 'HTTP 503' };
    switch (what) {
      case 'attempt':
        return payout.attemptPayout(state, { payout_id, address: 1 }, now);
      case 'paid':
        return payout.payoutDelivered(state, { payout_id, status: 204 }, now);
      case 'accepted':
        return payout.acceptPayout(state, { payout_id, attempt }, now);
      case 'failed once':
        return payout.failAttempt(state, { ...failed, next_at: now + 5000 }, now);
      case 'failed':
        return payout.failAttempt(state, { ...failed, next_at: null }, now);
      case 'confirm':
        return payout.confirmPayout(state, { payout_id }, now);
      case 'retry':
        return payout.retryPayout(state, { payout_id }, now);
      default:
        return payout.cancelPayout(state, { payout_id, force: what === 'force' }, now);
    }
  };
}

function picked<T>(all: readonly T[], pick: number): T | undefined {
  return all.at(-1 - (pick % all.length));
}
