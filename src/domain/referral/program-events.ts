import { z } from 'zod';
import { eventType } from '../event-type.ts';

/** Stream `program-<bot>`: the rules that rewards are earned by. Amounts, percents and days are decimal text. */

const id = z.number().int().positive();
/** Decimal text without an exponent, never negative. */
const decimal = z.string().regex(/^\d+(\.\d+)?$/);

export const rewardType = z.enum(['fixed', 'percent', 'external']);
export type RewardType = z.infer<typeof rewardType>;

/** What of a rule can be changed. */
const changeable = z.object({
  name: z.string(),
  /** In normal units; for `fixed` alone. */
  amount: decimal.nullable(),
  /** For `percent` alone. */
  percent: decimal.nullable(),
  hold_days: decimal,
  active: z.boolean(),
});

export const rewardRuleCreated = eventType(
  'reward_rule_created',
  1,
  changeable.extend({
    rule_id: id,
    trigger_event_id: id,
    reward_type: rewardType,
    /** A unit of the bot; null: the event's own, or none, and so of a fixed amount in what earlier programs wrote. */
    unit_id: id.nullable(),
  }),
);

/** Only what changed. It applies to events that come after it in the bot's log. */
export const rewardRuleChanged = eventType('reward_rule_changed', 1, changeable.partial().extend({ rule_id: id }));
