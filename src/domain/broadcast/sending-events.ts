import { z } from 'zod';
import { eventType } from '../event-type.ts';

/**
 * Events of sending, on `sending-<bot>/<broadcast id>`. A recipient is named by its place in the frozen audience, from 0.
 * Places are stored as ranges `[first, last]`, both included, ascending.
 */

const int = z.number().int();
const broadcast_id = int.positive();
const claim = int.positive();
const range = z.tuple([int.nonnegative(), int.nonnegative()]);
export type Range = z.infer<typeof range>;
const recipients = z.array(range).min(1);

/**
 * Recipients that will be called next; in the log before the first call. If the sender dies, no sender calls them again,
 * unless the log says that nothing was sent.
 */
export const batchClaimed = eventType(
  'batch_claimed',
  1,
  z.object({
    broadcast_id,
    launch: int.positive(),
    /** 1, 2, 3… within the broadcast. */
    claim,
    /** The run of the instance that sends. */
    sender: z.string().min(1),
    recipients,
  }),
);

/** `returned`: certainly not sent; the recipient counts as never attempted. `unknown`: may or may not have been sent. */
export const OUTCOMES = ['delivered', 'not_delivered', 'unknown', 'returned'] as const;

const outcome = z.object({
  outcome: z.enum(OUTCOMES),
  /** The reason, in the platform's words if it gave any; null: delivered or returned. */
  reason: z.string().nullable(),
  /** The platform refused the message itself, for any recipient. */
  of_message: z.boolean().optional(),
  /** The variant that was sent or refused, by index; absent: the broadcast has one message. */
  variant: int.nonnegative().optional(),
  /** No call was made, since the outcome was known before. */
  without_call: z.boolean().optional(),
  recipients,
});
export type Outcome = z.infer<typeof outcome>;

/**
 * Outcomes of recipients of a claim. Those without an outcome are still being sent to. A claim is over with its last
 * outcome.
 */
export const batchAnswered = eventType(
  'batch_answered',
  1,
  z.object({
    broadcast_id,
    claim,
    outcomes: z.array(outcome).min(1),
    /** Files that were sent by URL, and the ids by which the platform has them now. */
    files: z.array(z.object({ url: z.string(), file_id: z.string() })).optional(),
  }),
);

/** The sender is gone: the recipients of the claim that have no outcome may have been sent to, and will not be again. */
export const batchAbandoned = eventType('batch_abandoned', 1, z.object({ broadcast_id, claim, recipients }));

/**
 * The launch begins, perhaps with another message. Recipients whose calls the platform refused because of the message
 * itself (`of_message`) in earlier launches count as never attempted.
 */
export const recipientsReopened = eventType(
  'recipients_reopened',
  1,
  z.object({ broadcast_id, launch: int.positive(), recipients }),
);

/** Users of the bot that the platform calls unreachable. */
export const usersUnreachable = eventType(
  'users_unreachable',
  1,
  z.object({
    users: z.array(z.object({ user_id: int.positive(), user_status: z.enum(['blocked', 'deactivated']) })).min(1),
  }),
);

/** Nothing is sent before `until` (milliseconds since 1970 UTC); null: until the platform can be reached again. */
export const sendingPaused = eventType(
  'sending_paused',
  1,
  z.object({
    broadcast_id,
    launch: int.positive(),
    until: int.nullable(),
    /** The platform told this broadcast to slow down, so that the gaps between sends grow. */
    limited: z.boolean(),
    /** The error that the owner sees during the pause. */
    error: z.string().nullable(),
  }),
);
/** The reason for the pause is over. */
export const sendingResumed = eventType('sending_resumed', 1, z.object({ broadcast_id }));

/** Places in an audience as ranges `[first, last]`, both included. */

/** @param places ascending, each once */
export function toRanges(places: readonly number[]): Range[] {
  const ranges: Range[] = [];
  for (const place of places) {
    const last = ranges.at(-1);
    if (last !== undefined && last[1] === place - 1) last[1] = place;
    else ranges.push([place, place]);
  }
  return ranges;
}

export function* placesOf(ranges: readonly Range[]): Generator<number> {
  for (const [first, last] of ranges) for (let place = first; place <= last; place++) yield place;
}
