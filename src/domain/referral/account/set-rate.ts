import Big from 'big.js';
import type { Decision } from '../../decider.ts';
import { Rejection } from '../../rejection.ts';
import { decimalProblem, type RewardRule } from '../program.ts';
import { type AccountEvent, type AccountState, accountTime } from './account.ts';

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
