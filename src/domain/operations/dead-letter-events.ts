import { z } from 'zod';
import { type Decision, decider } from '../decider.ts';
import { type DataOf, type EventOf, eventType } from '../event-type.ts';
import { Rejection } from '../rejection.ts';

/**
 * Stream `projection-<name of the read model>`: what operators decided about dead letters, the commits that the read model
 * cannot apply (decisions.md#commands, `dead-letter`).
 */

const letter = z.object({
  commit_id: z.string(),
  /** The version of the read model that cannot apply the commit. */
  version: z.number().int().positive(),
  error: z.string(),
});

/** The read model skips the commit, now and in every replay. */
export const deadLetterSkipped = eventType('dead_letter_skipped', 1, letter.extend({ reason: z.string() }));
/** The read model was asked to apply the commit again. */
export const deadLetterRetried = eventType('dead_letter_retried', 1, letter);

export type DeadLetter = DataOf<typeof deadLetterRetried>;
export type DeadLetterEvent = EventOf<typeof deadLetterSkipped> | EventOf<typeof deadLetterRetried>;
/** Ids of the commits that are skipped. */
export type DeadLettersState = Set<string>;

export const deadLetters = decider(
  [deadLetterSkipped, deadLetterRetried],
  (): DeadLettersState => new Set(),
  (state, event) => (event.type === 'dead_letter_skipped' ? state.add(event.data.commit_id) : state),
);

const MAX_REASON = 1000;

/** Makes the read model skip the commit forever. A commit that is skipped already keeps its first reason. */
export function skipDeadLetter(state: DeadLettersState, letter: DeadLetter, reason: string): Decision<DeadLetterEvent> {
  const text = reason.trim();
  if (text.length < 1 || text.length > MAX_REASON)
    return new Rejection('invalid', 'reason', `the reason must have 1 to ${MAX_REASON} characters`);
  if (state.has(letter.commit_id)) return [];
  return [{ type: 'dead_letter_skipped', data: { ...letter, reason: text } }];
}

/** Makes the read model apply the commit again. A commit that is skipped is skipped in every replay, so it stays skipped. */
export function retryDeadLetter(state: DeadLettersState, letter: DeadLetter): Decision<DeadLetterEvent> {
  if (state.has(letter.commit_id))
    return new Rejection('conflict', 'commit_id', `commit ${letter.commit_id} is skipped, now and in every replay`);
  return [{ type: 'dead_letter_retried', data: letter }];
}
