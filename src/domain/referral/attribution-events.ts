import { z } from 'zod';
import { eventType } from '../event-type.ts';

/**
 * Stream `referral-<bot>`: codes, who owns them, and who refers whom. What each of these events comes to follows from
 * their order in the bot's log, visits included (attribution.ts): the first one counts, whatever their writers knew.
 */

const userId = z.number().int().positive();
/** A /start payload: 1 to 64 of [A-Za-z0-9_-]. */
const code = z.string();

/** create-code. A code that is another's already stays that one's. */
export const referralCodeCreated = eventType('referral_code_created', 1, z.object({ code, user_id: userId }));

/** set-code-owners: in order. A code that has an owner keeps it. */
export const referralCodeOwnersSet = eventType(
  'referral_code_owners_set',
  1,
  z.object({ elements: z.array(z.object({ code, user_id: userId })).min(1) }),
);

/** mark-referral, by a code or by a referrer. */
export const referralMarked = eventType(
  'referral_marked',
  1,
  z.object({
    referral_user_id: userId,
    /** Null where the referrer is named. */
    code: code.nullable(),
    /** Null where a code is named. */
    referrer_id: userId.nullable(),
    /** The code that a referrer without one is given by this; null: it was seen to have one. */
    new_code: code.nullable(),
  }),
);
