import Big from 'big.js';
import { currencyDigits } from '../../catalog/currency.ts';
import type { Decision } from '../../decider.ts';
import type { DataOf } from '../../event-type.ts';
import { Rejection } from '../../rejection.ts';
import type { refusalReason, rewardAccrued } from '../account-events.ts';
import { decimalProblem, type RewardRule, SCALE_WITHOUT_UNIT } from '../program.ts';
import { type AccountEvent, type AccountState, accountTime, type RateLock } from './account.ts';

/** A unit that an amount can be in. */
export interface AmountUnit {
  readonly unit_id: number;
  /** Decimals of a normal unit. */
  readonly scale: number;
}

/** What a percentage is of. */
export interface RewardBase {
  /** The event's value in normal units, decimal text. */
  readonly value: string;
  /** How many of `unit` one of the value's unit is; '1' where they are the same. */
  readonly rate: string;
  /** What the reward is in: the rule's unit, else the event's; null: neither has one. */
  readonly unit: EarnedUnit | null;
}

/** A currency that the bot has no unit for yet; it gets one when something is earned in it. */
export interface NewCurrency {
  readonly currency: string;
}

type EarnedUnit = AmountUnit | NewCurrency;

export type RefusalReason = (typeof refusalReason)['options'][number];

/** An event of a referral that a rule rewards, with the rule as it stood at the event's place in the log. */
export interface RewardItem {
  readonly rule: Pick<RewardRule, 'rule_id' | 'reward_type' | 'amount' | 'percent' | 'unit_id' | 'hold_days'>;
  readonly referral_id: number;
  readonly event: DataOf<typeof rewardAccrued>['event'];
  /** For a percentage; absent, with the reason as `refusal`, where there is nothing to take it of. */
  readonly base?: RewardBase | undefined;
  readonly refusal?: Exclude<RefusalReason, 'not_positive'> | undefined;
}

export type Rate = Pick<RateLock, 'reward_type' | 'amount' | 'percent'>;

/** An amount in a unit, or why there is none. */
export type Earning =
  | { readonly amount: string; readonly unit: Pick<AmountUnit, 'unit_id'> | NewCurrency | null }
  | RefusalReason;

/**
 * What an item earns at a rate. A percentage is reckoned exactly and rounded once to the decimals of its unit, half away
 * from zero.
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

/** When what was received at `received` ceases to be on hold; milliseconds UTC. */
export function availableAt(received: number, holdDays: string): number {
  return received + new Big(holdDays).times(DAY_MS).round(0, Big.roundHalfUp).toNumber();
}

/** An individual rate: exactly one of the two, of the kind that the rule has. */
export interface SetRate {
  readonly rule: Pick<RewardRule, 'rule_id' | 'reward_type' | 'unit_id'>;
  /** Decimals of an amount in the rule's unit. */
  readonly scale: number;
  readonly amount?: string | undefined;
  readonly percent?: string | undefined;
}

/** Sets what the rule earns this referrer from now on, whether or not a rate was locked before. Zero: nothing. */
export function setRate(state: AccountState, command: SetRate, now: number): Decision<AccountEvent> {
  const { rule, scale, amount, percent } = command;
  const { rule_id, reward_type, unit_id } = rule;
  if ((amount === undefined) === (percent === undefined))
    return new Rejection('invalid', 'rate', 'give an amount or a percent, and not both');
  const [path, text] = amount === undefined ? (['percent', percent!] as const) : (['amount', amount] as const);
  if (reward_type !== (path === 'amount' ? 'fixed' : 'percent'))
    return new Rejection('invalid', path, `rule ${rule_id} is of type ${reward_type}: it takes no ${path}`);
  const problem = decimalProblem(path, text, path === 'amount' ? scale : undefined);
  if (problem !== undefined) return problem;
  const rate = { amount: null, percent: null, [path]: new Big(text).toFixed() };
  const locked = state.locks.get(rule_id);
  if (locked?.source === 'manual' && locked.amount === rate.amount && locked.percent === rate.percent) return [];
  const at = accountTime(state, now);
  return [{ type: 'reward_rate_locked', data: { rule_id, reward_type, ...rate, unit_id, source: 'manual', at } }];
}
