import type { Decision } from '../../decider.ts';
import { Rejection } from '../../rejection.ts';
import { earningKey } from './earned.ts';
import { payoutOf } from './payout-state.ts';
import { accrualLookup, accrualOf, hasDecided, type Lookup, pairLookup, type Recalled } from './recall.ts';
import { type AmountUnit, availableAt, earningOf, type Rate, type RewardItem } from './reward.ts';
import { type AccountEvent, type AccountState, type Accrual, accountTime, PAYOUT_STATUS } from './state.ts';

export interface AccrueRewards {
  readonly items: readonly RewardItem[];
  /** Units by currency. Items that earn in a currency without a unit stay undecided. */
  readonly units: ReadonlyMap<string, AmountUnit>;
  /** One id for each item counted by {@link mayAccrue}. */
  readonly ids: readonly number[];
}

/** Names that a decision on the items looks for in closed blocks: the pairs of rule and event. */
export function accrueLookups(state: AccountState, recalled: Recalled, items: readonly RewardItem[]): Lookup[] {
  return items.map(({ rule, event }) => pairLookup(state, recalled, rule.rule_id, event));
}

/** An upper bound of the accruals: the number of items that are neither decided nor certain to earn nothing. */
export function mayAccrue(state: AccountState, recalled: Recalled, items: readonly RewardItem[]): number {
  return items.filter((item) => mayEarn(state, recalled, item)).length;
}

function mayEarn(state: AccountState, recalled: Recalled, { rule, event, refusal }: RewardItem): boolean {
  if (rule.reward_type === 'external' || refusal !== undefined) return false;
  return !hasDecided(state, recalled, rule.rule_id, event);
}

/** Currencies in which an item earns something and for which the bot has no unit. */
export function newCurrencies(state: AccountState, recalled: Recalled, items: readonly RewardItem[]): string[] {
  const codes = new Set<string>();
  for (const item of items) {
    const unit = item.base?.unit ?? null;
    if (unit === null || !('currency' in unit) || !mayEarn(state, recalled, item)) continue;
    const rate = state.locks.get(item.rule.rule_id) ?? item.rule;
    if (typeof earningOf(item, rate) !== 'string') codes.add(unit.currency);
  }
  return [...codes];
}

function inUnit<Base extends NonNullable<RewardItem['base']>>(base: Base, units: AccrueRewards['units']): Base {
  const { unit } = base;
  return unit !== null && 'currency' in unit ? { ...base, unit: units.get(unit.currency) ?? unit } : base;
}

/**
 * Decides on each pair of rule and event once: it earns or is refused. The first accrual by a rule locks the rule's rate in
 * the same append; an external reward locks it without an accrual.
 */
export function accrueRewards(
  state: AccountState,
  recalled: Recalled,
  { items, units, ids }: AccrueRewards,
  now: number,
): Decision<AccountEvent> {
  const at = accountTime(state, now);
  const events: AccountEvent[] = [];
  const earned = new Set<string>();
  const locks = new Map<number, Rate>();
  let used = 0;
  for (const item of items) {
    const { rule, referral_id, event, base, refusal } = item;
    const { rule_id, reward_type, unit_id } = rule;
    const key = earningKey(rule_id, event);
    if (earned.has(key) || hasDecided(state, recalled, rule_id, event)) continue;
    const locked = locks.get(rule_id) ?? state.locks.get(rule_id);
    const { amount, percent } = locked ?? rule;
    const rate: Rate = { reward_type, amount, percent };
    const lock = (): void => {
      if (locked !== undefined) return;
      locks.set(rule_id, rate);
      events.push({ type: 'reward_rate_locked', data: { rule_id, ...rate, unit_id, source: 'auto', at } });
    };
    if (reward_type === 'external') {
      lock();
      continue;
    }
    const earning = earningOf({ rule, base: base && inUnit(base, units), refusal }, rate);
    const unit = typeof earning === 'string' ? null : earning.unit;
    if (unit !== null && 'currency' in unit) continue;
    earned.add(key);
    if (typeof earning === 'string') {
      events.push({ type: 'reward_refused', data: { rule_id, referral_id, event, reason: earning, at } });
      continue;
    }
    lock();
    events.push({
      type: 'reward_accrued',
      data: {
        accrual_id: ids[used++]!,
        rule_id,
        referral_id,
        event,
        amount: earning.amount,
        unit_id: unit?.unit_id ?? null,
        available_at: availableAt(event.received, rule.hold_days),
        rate,
        at,
      },
    });
  }
  return events;
}

export interface ReverseAccrual {
  readonly accrual_id: number;
  readonly reason: string | null;
  /** Used if {@link isCompensated}. */
  readonly compensation_id?: number | undefined;
}

/** Names that the reversal of an accrual looks for in closed blocks. */
export function reverseLookups(state: AccountState, accrualId: number): Lookup[] {
  return [accrualLookup(state, accrualId)];
}

/** Whether the payout that has the accrual was paid. */
export function isPaid(state: AccountState, accrual: Accrual): boolean {
  return payoutOf(state, accrual)?.status === PAYOUT_STATUS.paid;
}

/** Whether a reversal of the accrual makes a compensation. A reversal that is refused makes none. */
export function isCompensated(state: AccountState, recalled: Recalled, accrualId: number): boolean {
  const accrual = accrualOf(state, recalled, accrualId);
  if (accrual === undefined || accrual === 'compensation' || state.reversals.has(accrualId)) return false;
  return isPaid(state, accrual);
}

/** Cancels an unpaid accrual; offsets a paid one by an accrual of the opposite amount. Its payout does not change. */
export function reverseAccrual(
  state: AccountState,
  recalled: Recalled,
  command: ReverseAccrual,
  now: number,
): Decision<AccountEvent> {
  const { accrual_id, reason, compensation_id } = command;
  const accrual = accrualOf(state, recalled, accrual_id);
  if (accrual === undefined) return new Rejection('not_found', 'accrual_id', `there is no accrual ${accrual_id}`);
  const refused = (why: string): Rejection => new Rejection('conflict', 'accrual_id', `accrual ${accrual_id} ${why}`);
  if (accrual === 'compensation') return refused('is a compensation');
  const reversal = state.reversals.get(accrual_id);
  if (reversal !== undefined) return refused(`is ${reversal} already`);
  const paid = isPaid(state, accrual);
  const data = { accrual_id, reason, compensation_id: paid ? compensation_id! : null, at: accountTime(state, now) };
  return [{ type: 'accrual_reversed', data }];
}
