import { currencyDigits } from '../../domain/catalog/currency.ts';
import type { RewardBase, RewardItem } from '../../domain/referral/account/reward.ts';
import type { EarningRow } from '../../queries/referral/earnings.ts';

/** What an account is asked to decide on. */
export function rewardItem(row: EarningRow): RewardItem {
  const { rule_id, reward_type, amount, percent, hold_days, rule_unit_id, referral_id } = row;
  const { commit_id, idx: index, event_id, date, date_received: received } = row;
  return {
    rule: { rule_id, reward_type, amount, percent, unit_id: rule_unit_id, hold_days },
    referral_id,
    event: { commit_id, index, event_id, date, received },
    ...(reward_type === 'percent' ? baseOf(row) : {}),
  };
}

/** What a percentage is of: in the rule's unit, if it has one, else in the event's. */
function baseOf(row: EarningRow): Pick<RewardItem, 'base' | 'refusal'> {
  const { value, unit, rule_unit, rule_unit_id, rule_scale, rate } = row;
  if (value === null) return { refusal: unit === null ? 'no_value' : 'unknown_unit' };
  if (rule_unit_id === null) {
    const own = eventUnit(row);
    return own === undefined ? { refusal: 'unknown_unit' } : { base: { value, rate: '1', unit: own } };
  }
  // A value without a unit is taken to be in the rule's.
  const factor = unit === null || unit === rule_unit ? '1' : rate;
  if (factor === null) return { refusal: 'no_rate' };
  return { base: { value, rate: factor, unit: { unit_id: rule_unit_id, scale: rule_scale! } } };
}

/** A unit of the bot, else a currency; null: the event has no unit; undefined: it is neither. */
function eventUnit({ unit, event_unit_id, event_scale }: EarningRow): RewardBase['unit'] | undefined {
  if (unit === null) return null;
  if (event_unit_id !== null) return { unit_id: event_unit_id, scale: event_scale! };
  return currencyDigits(unit) === undefined ? undefined : { currency: unit };
}
