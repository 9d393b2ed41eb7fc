import { type AccountEvent, earningKey } from './account.ts';

/**
 * What an event takes that no other account may have: the ids that it gives, and that its cause earns by the rule. Within
 * one account the audit finds what is taken twice (audit.ts).
 */
export function givenOnce({ type, data }: AccountEvent): string[] {
  switch (type) {
    case 'reward_accrued':
      return [`accrual ${data.accrual_id}`, `reward ${earningKey(data.rule_id, data.event)}`];
    case 'payout_requested':
      return data.payouts.map(({ payout_id }) => `payout ${payout_id}`);
    case 'accrual_reversed':
      return data.compensation_id === null ? [] : [`accrual ${data.compensation_id}`];
    default:
      return [];
  }
}
