import { z } from 'zod';
import { eventType } from '../event-type.ts';
import { rewardType } from './program.ts';

/**
 * Stream `account-<bot>/<user id>`: a referrer's rewards and payouts. Amounts are decimal text in normal units, times are
 * milliseconds since 1970 UTC. A unit of null: the amount has no unit.
 */

const id = z.number().int().positive();
const time = z.number().int();
const decimal = z.string().regex(/^\d+(\.\d+)?$/);
const unit = id.nullable();

/** The time of the decision. Within an account it never goes back, even if the clocks of the writers differ. */
const at = { at: time };

/** The event that earned the reward or was refused one, named by its commit and its index there. */
const cause = z.object({
  commit_id: z.string(),
  index: z.number().int().nonnegative(),
  event_id: id,
  date: time,
  received: time,
});

/** The rate of a reward: an amount if it is fixed, a percent of the event's value, neither if it is external. */
const rate = z.object({ reward_type: rewardType, amount: decimal.nullable(), percent: decimal.nullable() });

const earning = { rule_id: id, referral_id: id, event: cause };

/** Everything that the reward depends on is frozen here: no later change of a rule, rate or unit changes the reward. */
export const rewardAccrued = eventType(
  'reward_accrued',
  1,
  z.object({ accrual_id: id, ...earning, amount: decimal, unit_id: unit, available_at: time, rate, ...at }),
);

/** From here on the rule earns this referrer the rate of this event. */
export const rewardRateLocked = eventType(
  'reward_rate_locked',
  1,
  z.object({ rule_id: id, ...rate.shape, unit_id: unit, source: z.enum(['auto', 'manual']), ...at }),
);

/**
 * Why an event earned nothing: it has no value to take a percentage of, its unit is neither one of the bot's nor a
 * currency, there is no exchange rate, or the result is not above zero. It is in the log, so that it is decided only once.
 */
export const refusalReason = z.enum(['no_value', 'unknown_unit', 'no_rate', 'not_positive']);
export const rewardRefused = eventType('reward_refused', 1, z.object({ ...earning, reason: refusalReason, ...at }));

export const payoutMethod = z.enum(['webhook', 'manual']);
export const payoutInitiator = z.enum(['api', 'admin', 'auto']);

const requested = z.object({
  payouts: z.array(z.object({ payout_id: id, amount: decimal, unit_id: unit })).min(1),
  method: payoutMethod,
  initiated_by: payoutInitiator,
  ...at,
});

/**
 * One payout for each unit. Each claims all accruals of its unit that are confirmed and unclaimed at `at`. `nonce`: random
 * text in the payouts' `webhook-id`, so that a log that was restored never gives a new payout the `webhook-id` of a payout
 * that it lost. Null: version 1 did not have it.
 */
export const payoutRequested = eventType(
  'payout_requested',
  2,
  requested.extend({ nonce: z.string().min(1).nullable() }),
  { 1: requested.transform((data) => ({ ...data, nonce: null })) },
);

const attempt = z.number().int().positive();
const httpStatus = z.number().int().nullable();

/**
 * Appended before each call of the webhook. Attempts count from 1 over the payout's whole life. `address`: the number of the
 * called address, from 1, among all that the bot has set; null: version 1 did not record it.
 */
const attempted = z.object({ payout_id: id, attempt, ...at });
export const payoutAttempted = eventType(
  'payout_attempted',
  2,
  attempted.extend({ address: z.number().int().positive().nullable() }),
  { 1: attempted.transform((data) => ({ ...data, address: null })) },
);

/**
 * `status`: of the answer; null: there was none. `next_at`: when the next attempt is due; null: none will be made. `sent`:
 * whether the request may have reached the client; false: the attempt ended before there was a connection. Version 1 did
 * not record it.
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

/** The client has accepted the payout (202) and will say later whether it paid. */
export const payoutAccepted = eventType('payout_accepted', 1, z.object({ payout_id: id, attempt, ...at }));

/** Why an administrator did it; null: nothing was given. Version 1 of the events of administrators did not have it. */
const reason = { reason: z.string().nullable() };

/** `status`: of the webhook's answer; null: an administrator confirmed the payout. */
const paid = z.object({ payout_id: id, by: z.enum(['webhook', 'admin']), status: httpStatus, ...at });
export const payoutPaid = eventType('payout_paid', 2, paid.extend(reason), {
  1: paid.transform((data) => ({ ...data, reason: null })),
});

/** The payout failed for good, unless an administrator retries it. Its amount stays reserved. `error` of `admin`: the reason. */
export const payoutFailed = eventType(
  'payout_failed',
  1,
  z.object({ payout_id: id, by: z.enum(['webhook', 'admin']), error: z.string(), ...at }),
);
/** An administrator wants the next attempt now, and the delays after it to begin again. */
const retried = z.object({ payout_id: id, ...at });
export const payoutRetried = eventType('payout_retried', 2, retried.extend(reason), {
  1: retried.transform((data) => ({ ...data, reason: null })),
});
/** The payout's amount is available again, and its accruals are unclaimed. */
const cancelled = z.object({ payout_id: id, forced: z.boolean(), ...at });
export const payoutCancelled = eventType('payout_cancelled', 2, cancelled.extend(reason), {
  1: cancelled.transform((data) => ({ ...data, reason: null })),
});

/** A paid accrual is offset by a compensation of the opposite amount; an unpaid one is cancelled. */
export const accrualReversed = eventType(
  'accrual_reversed',
  1,
  z.object({ accrual_id: id, reason: z.string().nullable(), compensation_id: id.nullable(), ...at }),
);
