import type { Decision } from '../../decider.ts';
import { Rejection } from '../../rejection.ts';
import { type AccountEvent, type AccountState, accountTime, PAYOUT_STATUS } from './account.ts';
import type { Accrual } from './accruals.ts';
import { earningKey } from './earned.ts';
import { type AmountUnit, availableAt, earningOf, type Rate, type RewardItem } from './reward.ts';

export interface AccrueRewards {
  readonly items: readonly RewardItem[];
  /** Units by currency. Items that earn in a currency without a unit stay undecided. */
  readonly units: ReadonlyMap<string, AmountUnit>;
  /** One id for each item counted by {@link mayAccrue}. */
  readonly ids: readonly number[];
}

/** An upper bound of the accruals: the number of items that are neither decided nor certain to earn nothing. */
export function mayAccrue(state: AccountState, items: readonly RewardItem[]): number {
  return items.filter((item) => mayEarn(state, item)).length;
}

function mayEarn(state: AccountState, { rule, event, refusal }: RewardItem): boolean {
  return rule.reward_type !== 'external' && refusal === undefined && !state.earned.has(rule.rule_id, event);
}

/** Currencies in which an item earns something and for which the bot has no unit. */
export function newCurrencies(state: AccountState, items: readonly RewardItem[]): string[] {
  const codes = new Set<string>();
  for (const item of items) {
    const unit = item.base?.unit ?? null;
    if (unit === null || !('currency' in unit) || !mayEarn(state, item)) continue;
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
    if (state.earned.has(rule_id, event) || earned.has(key)) continue;
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

/** Whether the payout that claimed the accrual was paid. */
export function isPaid(state: AccountState, { payout_id }: Accrual): boolean {
  return payout_id !== null && state.payouts.get(payout_id)?.status === PAYOUT_STATUS.paid;
}

/** Whether a reversal of the accrual makes a compensation. A reversal that is refused makes none. */
export function isCompensated(state: AccountState, accrualId: number): boolean {
  const accrual = state.accruals.get(accrualId);
  if (accrual === undefined || accrual.compensates !== null || accrual.state !== 'live') return false;
  return isPaid(state, accrual);
}

/** Cancels an unpaid accrual; offsets a paid one by an accrual of the opposite amount. Its payout does not change. */
export function reverseAccrual(state: AccountState, command: ReverseAccrual, now: number): Decision<AccountEvent> {
  const { accrual_id, reason, compensation_id } = command;
  const accrual = state.accruals.get(accrual_id);
  if (accrual === undefined) return new Rejection('not_found', 'accrual_id', `there is no accrual ${accrual_id}`);
  const refused = (why: string): Rejection => new Rejection('conflict', 'accrual_id', `accrual ${accrual_id} ${why}`);
  if (accrual.compensates !== null) return refused('is a compensation');
  if (accrual.state !== 'live') return refused(`is ${accrual.state} already`);
  const paid = isPaid(state, accrual);
  const data = { accrual_id, reason, compensation_id: paid ? compensation_id! : null, at: accountTime(state, now) };
  return [{ type: 'accrual_reversed', data }];
}
