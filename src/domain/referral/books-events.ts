import { z } from 'zod';
import { eventType } from '../event-type.ts';
import { payoutInitiator, payoutMethod } from './account-events.ts';
import { rewardType } from './program.ts';

/**
 * Stream `books-<bot>/<user id>`: the closings of an account's books. Each covers a block of the commits of
 * `account-<bot>/<user id>`, from the closing before up to a revision, and equals the fold of these commits. A closing of
 * every block together is the state of the account, so no decision
 * folds a closed block again (docs/adr/0033-accounts-close-their-books.md).
 */

const id = z.number().int().positive();
const count = z.number().int().nonnegative();
const time = z.number().int();
const decimal = z.string().regex(/^-?\d+(\.\d+)?$/);
const unit = id.nullable();

/** Sums of a unit over the whole account, after the block. */
const unitSums = z.object({
  unit_id: unit,
  /** Accruals that are not cancelled, not on hold and on hold. */
  confirmed: decimal,
  held: decimal,
  /** Payouts that are neither paid nor cancelled, and paid ones. */
  reserved: decimal,
  paid: decimal,
});

/** A payout as it is after the block (account/state.ts). */
const payout = z.object({
  payout_id: id,
  unit_id: unit,
  amount: decimal,
  method: payoutMethod,
  initiated_by: payoutInitiator,
  requested_at: time,
  count,
  taken_over_by: id.nullable(),
  status: z.literal([0, 1, 2, 3, 4]),
  attempts: count,
  unsent: count,
  attempt: z.enum(['open', 'failed', 'accepted']).nullable(),
  asked_at: time,
  failures: count,
  attempted_at: time.nullable(),
  address: id.nullable(),
  next_at: time.nullable(),
  processed_at: time.nullable(),
  error: z.string().nullable(),
});

/** Amounts that the block has put on hold, or taken back from a hold, beyond its end. */
const holds = z.object({
  unit_id: unit,
  /** Ends of holds, ascending: the first in ms since 1970 UTC, each other one in ms since the one before. */
  times: z.array(time),
  /** The sum of each. */
  amounts: z.array(decimal),
});

export const booksClosed = eventType(
  'books_closed',
  1,
  z.object({
    /** The last commit of the block in the account's stream. */
    revision: id,
    hash: z.string().regex(/^[0-9a-f]{64}$/),
    /** Time of the account's last event. */
    at: time,
    /** Number of accruals of the whole account, compensations included. */
    count,
    units: z.array(unitSums),
    /** Locked rates of the whole account. */
    locks: z.array(
      z.object({
        rule_id: id,
        reward_type: rewardType,
        amount: decimal.nullable(),
        percent: decimal.nullable(),
        unit_id: unit,
        source: z.enum(['auto', 'manual']),
        at: time,
      }),
    ),
    /** The lowest and the highest id of the block's accruals; null: it has none. */
    ids: z.tuple([id, id]).nullable(),
    /** Hashes of the pairs of rule and event that the block decided on: 6 bytes each (account/earned.ts), in base64. */
    earned: z.base64(),
    holds: z.array(holds),
    /** The payouts that the block has requested or changed. */
    payouts: z.array(payout),
    /** The accruals that the block has cancelled, and the accruals that it has compensated. */
    cancelled: z.array(id),
    reversed: z.array(id),
  }),
);
