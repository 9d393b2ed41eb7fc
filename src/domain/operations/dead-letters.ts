import { z } from 'zod';
import { type Decision, decider } from '../decider.ts';
import { type DataOf, type EventOf, eventType } from '../event-type.ts';
import { Rejection } from '../rejection.ts';

/**
 * What operators decided about commits that a read model could not take (decisions.md#commands, `dead-letter`). The
 * stream is `projection-<name of the read model>`.
 */

const letter = z.object({
  commit_id: z.string(),
  /** The version of the read model that could not take it. */
  version: z.number().int().positive(),
  error: z.string(),
});

/** The read model goes on without the commit, now and in every replay. */
export const deadLetterSkipped = eventType('dead_letter_skipped', 1, letter.extend({ reason: z.string() }));
/** It was asked to take the commit once more. */
export const deadLetterRetried = eventType('dead_letter_retried', 1, letter);

/** Stream `projection-<name>`: what operators decided about commits that the read model could not take. */

export type DeadLetter = DataOf<typeof deadLetterRetried>;
export type DeadLetterEvent = EventOf<typeof deadLetterSkipped> | EventOf<typeof deadLetterRetried>;
/** Commits that are skipped, by id. */
export type DeadLettersState = Set<string>;

export const deadLetters = decider(
  [deadLetterSkipped, deadLetterRetried],
  (): DeadLettersState => new Set(),
  (state, event) => (event.type === 'dead_letter_skipped' ? state.add(event.data.commit_id) : state),
);

const MAX_REASON = 1000;

/** The read model goes on without the commit, for ever; what is skipped already stays as it was decided first. */
export function skipDeadLetter(state: DeadLettersState, letter: DeadLetter, reason: string): Decision<DeadLetterEvent> {
  const text = reason.trim();
  if (text.length < 1 || text.length > MAX_REASON)
    return new Rejection('invalid', 'reason', `the reason must have 1 to ${MAX_REASON} characters`);
  if (state.has(letter.commit_id)) return [];
  return [{ type: 'dead_letter_skipped', data: { ...letter, reason: text } }];
}

/** The read model takes the commit once more. A commit that is skipped is out of every replay, so it stays out. */
export function retryDeadLetter(state: DeadLettersState, letter: DeadLetter): Decision<DeadLetterEvent> {
  if (state.has(letter.commit_id))
    return new Rejection('conflict', 'commit_id', `commit ${letter.commit_id} is skipped, now and in every replay`);
  return [{ type: 'dead_letter_retried', data: letter }];
}
