import { z } from 'zod';
import { eventType } from '../event-type.ts';

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
