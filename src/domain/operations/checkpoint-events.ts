import { z } from 'zod';
import { eventType } from '../event-type.ts';

/**
 * Stream `proof-global`: the checkpoints that were given away. Its commits are the output log: the entry of the commit with
 * revision `n` is leaf `n - 1`. So the stream gives every signed tree again, and of two instances one makes the next.
 */

/** `entry`: the text of the output log's entry. `note`: the signed checkpoint of the output log with that entry. */
export const checkpointMade = eventType('checkpoint_made', 1, z.object({ entry: z.string(), note: z.string() }));

/**
 * Stream `proof-global/cosignatures`: what witnesses signed. It is not the stream of the checkpoints, since each commit there is a
 * leaf of the output log. `size`: of the checkpoint. `lines`: signature lines of its note.
 */
export const checkpointCosigned = eventType(
  'checkpoint_cosigned',
  1,
  z.object({ size: z.int().positive(), lines: z.string() }),
);
