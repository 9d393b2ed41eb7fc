import { z } from 'zod';
import { eventType } from '../event-type.ts';
import { rewardType } from './program.ts';

/**
 * Stream `account-<bot>/<user id>`: what a referrer has earned, and what became of it. Amounts are decimal text in normal
 * units, times milliseconds since 1970 UTC. A unit of null: amounts without a unit.
 */

const id = z.number().int().positive();
const time = z.number().int();
const decimal = z.string().regex(/^\d+(\.\d+)?$/);
const unit = id.nullable();

/** When it was decided. It never goes back within an account, whatever the clocks of its writers do. */
const at = { at: time };

/** The event that earned (or did not): named by its commit and its index there. */
const cause = z.object({
  commit_id: z.string(),
  index: z.number().int().nonnegative(),
  event_id: id,
  date: time,
  received: time,
});

/** What a reward is reckoned by: an amount where it is fixed, a percent of the event's value, neither where external. */
const rate = z.object({ reward_type: rewardType, amount: decimal.nullable(), percent: decimal.nullable() });

const earning = { rule_id: id, referral_id: id, event: cause };

/** All that the reward depends on is frozen here: no later change of a rule, rate or unit moves it. */
export const rewardAccrued = eventType(
  'reward_accrued',
  1,
  z.object({ accrual_id: id, ...earning, amount: decimal, unit_id: unit, available_at: time, rate, ...at }),
);

/** From here on the rule earns this referrer what stands here. */
export const rewardRateLocked = eventType(
  'reward_rate_locked',
  1,
  z.object({ rule_id: id, ...rate.shape, unit_id: unit, source: z.enum(['auto', 'manual']), ...at }),
);

/**
 * Why an event earned nothing: it has no value to take a percentage of, its unit is neither one of the bot's nor a
 * currency, there is no rate, or what comes out is not above zero. In the log, so that it is never decided anew.
 */
export const refusalReason = z.enum(['no_value', 'unknown_unit', 'no_rate', 'not_positive']);
export const rewardRefused = eventType('reward_refused', 1, z.object({ ...earning, reason: refusalReason, ...at }));

export const payoutMethod = z.enum(['webhook', 'manual']);
export const payoutInitiator = z.enum(['api', 'admin', 'auto']);

/** One payout for each unit. Which accruals they claim follows: all of the unit that are confirmed and unclaimed at `at`. */
export const payoutRequested = eventType(
  'payout_requested',
  1,
  z.object({
    payouts: z.array(z.object({ payout_id: id, amount: decimal, unit_id: unit })).min(1),
    method: payoutMethod,
    initiated_by: payoutInitiator,
    ...at,
  }),
);

const attempt = z.number().int().positive();
const httpStatus = z.number().int().nullable();

/**
 * Before each call of the webhook. Attempts count from 1 over the payout's whole life. `address`: which of the addresses that
 * the bot has set so far is called, from 1; null: version 1 did not note it.
 */
const attempted = z.object({ payout_id: id, attempt, ...at });
export const payoutAttempted = eventType(
  'payout_attempted',
  2,
  attempted.extend({ address: z.number().int().positive().nullable() }),
  { 1: attempted.transform((data) => ({ ...data, address: null })) },
);

/**
 * `status`: of the answer, null where there was none; `next_at`: when the next attempt is due, null: none will be made.
 * `sent`: whether the client may have been told; false: it ended before there was a connection. Version 1 did not note it.
 */
const attemptFailed = z.object({
  payout_id: id,
  attempt,
  status: httpStatus,
  error: z.string(),
  next_at: time.nullable(),
  ...at,
});
export const payoutAttemptFailed = eventType('payout_attempt_failed', 2, attemptFailed.extend({ sent: z.boolean() }), {
  1: attemptFailed.transform((data) => ({ ...data, sent: true })),
});

/** The client has taken it up (202) and will say later what became of it. */
export const payoutAccepted = eventType('payout_accepted', 1, z.object({ payout_id: id, attempt, ...at }));

/** `status`: of the webhook's answer; null: an administrator said so. */
export const payoutPaid = eventType(
  'payout_paid',
  1,
  z.object({ payout_id: id, by: z.enum(['webhook', 'admin']), status: httpStatus, ...at }),
);

/** For good, unless an administrator retries it. Its amount stays reserved. */
export const payoutFailed = eventType(
  'payout_failed',
  1,
  z.object({ payout_id: id, by: z.enum(['webhook', 'admin']), error: z.string(), ...at }),
);
/** An administrator wants the next attempt now, and the delays after it to begin anew. */
export const payoutRetried = eventType('payout_retried', 1, z.object({ payout_id: id, ...at }));
/** Its amount is available again, its accruals are free. */
export const payoutCancelled = eventType(
  'payout_cancelled',
  1,
  z.object({ payout_id: id, forced: z.boolean(), ...at }),
);

/** What was paid already is made good by a compensation of the opposite amount; what was not is cancelled. */
export const accrualReversed = eventType(
  'accrual_reversed',
  1,
  z.object({ accrual_id: id, reason: z.string().nullable(), compensation_id: id.nullable(), ...at }),
);
