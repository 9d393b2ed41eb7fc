import Big from 'big.js';
import { currencyDigits } from '../../catalog/checks.ts';
import type { Decision } from '../../decider.ts';
import type { DataOf } from '../../event-type.ts';
import { Rejection } from '../../rejection.ts';
import type { refusalReason, rewardAccrued } from '../account-events.ts';
import { decimalProblem, percentProblem, type RewardRule, SCALE_WITHOUT_UNIT } from '../program.ts';
import { type AccountEvent, type AccountState, accountTime, type RateLock } from './state.ts';

/** A unit of amounts. */
export interface AmountUnit {
  readonly unit_id: number;
  /** Decimals of a normal unit. */
  readonly scale: number;
}

/** The base of a percentage. */
export interface RewardBase {
  /** The event's value in normal units, decimal text. */
  readonly value: string;
  /** Exchange rate from the value's unit to `unit`; '1' if they are the same. */
  readonly rate: string;
  /** Unit of the reward: the rule's unit, else the event's; null: neither has one. */
  readonly unit: EarnedUnit | null;
}

/** A currency for which the bot has no unit yet. The unit is created when a reward is earned in it. */
interface NewCurrency {
  readonly currency: string;
}

type EarnedUnit = AmountUnit | NewCurrency;

type RefusalReason = (typeof refusalReason)['options'][number];

/** A referral's event that a rule rewards, with the rule's state at the event's place in the log. */
export interface RewardItem {
  readonly rule: Pick<RewardRule, 'rule_id' | 'reward_type' | 'amount' | 'percent' | 'unit_id' | 'hold_days'>;
  readonly referral_id: number;
  readonly event: DataOf<typeof rewardAccrued>['event'];
  /** Base of a percentage. If the event has none, it is absent and `refusal` has the reason. */
  readonly base?: RewardBase | undefined;
  readonly refusal?: Exclude<RefusalReason, 'not_positive'> | undefined;
}

export type Rate = Pick<RateLock, 'reward_type' | 'amount' | 'percent'>;

/** An amount in a unit, or the reason why there is none. */
export type Earning =
  | { readonly amount: string; readonly unit: Pick<AmountUnit, 'unit_id'> | NewCurrency | null }
  | RefusalReason;

/**
 * Returns the earning of an item at a rate. A percentage is computed exactly and rounded once, to the decimals of its
 * unit, half away from zero.
 */
export function earningOf(
  { rule, base, refusal }: Pick<RewardItem, 'rule' | 'base' | 'refusal'>,
  { percent, amount }: Pick<Rate, 'percent' | 'amount'>,
): Earning {
  if (refusal !== undefined) return refusal;
  if (amount !== null) {
    if (new Big(amount).lte(0)) return 'not_positive';
    return { amount, unit: rule.unit_id === null ? null : { unit_id: rule.unit_id } };
  }
  if (base === undefined) return 'no_value';
  const { value, rate, unit } = base;
  const exact = new Big(value).times(rate).times(percent!).times(HUNDREDTH);
  const rounded = exact.round(scaleOf(unit), Big.roundHalfUp);
  return rounded.gt(0) ? { amount: rounded.toFixed(), unit } : 'not_positive';
}

/** Decimals of an amount in the unit. */
function scaleOf(unit: EarnedUnit | null): number {
  if (unit === null) return SCALE_WITHOUT_UNIT;
  return 'scale' in unit ? unit.scale : currencyDigits(unit.currency)!;
}

const HUNDREDTH = '0.01';
const DAY_MS = '86400000';

/** End of the hold of a reward whose event was received at `received`; milliseconds UTC. */
export function availableAt(received: number, holdDays: string): number {
  return received + new Big(holdDays).times(DAY_MS).round(0, Big.roundHalfUp).toNumber();
}

/** An individual rate: either an amount or a percent, whichever the rule's type has. */
export interface SetRate {
  readonly rule: Pick<RewardRule, 'rule_id' | 'reward_type' | 'unit_id'>;
  /** Decimals of an amount in the rule's unit. */
  readonly scale: number;
  readonly amount?: string | undefined;
  readonly percent?: string | undefined;
}

/** Sets the rate that the rule earns this referrer from now on, even if a rate was locked before. Zero earns nothing. */
export function setRate(state: AccountState, command: SetRate, now: number): Decision<AccountEvent> {
  const { rule, scale, amount, percent } = command;
  const { rule_id, reward_type, unit_id } = rule;
  if ((amount === undefined) === (percent === undefined))
    return new Rejection('invalid', 'rate', 'give an amount or a percent, and not both');
  const [path, text] = amount === undefined ? (['percent', percent!] as const) : (['amount', amount] as const);
  if (reward_type !== (path === 'amount' ? 'fixed' : 'percent'))
    return new Rejection('invalid', path, `rule ${rule_id} is of type ${reward_type}: it takes no ${path}`);
  const problem = decimalProblem(path, text, path === 'amount' ? scale : undefined) ?? percentProblem(percent);
  if (problem !== undefined) return problem;
  const rate = { amount: null, percent: null, [path]: new Big(text).toFixed() };
  const locked = state.locks.get(rule_id);
  if (locked?.source === 'manual' && locked.amount === rate.amount && locked.percent === rate.percent) return [];
  const at = accountTime(state, now);
  return [{ type: 'reward_rate_locked', data: { rule_id, reward_type, ...rate, unit_id, source: 'manual', at } }];
}
