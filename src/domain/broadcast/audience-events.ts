import { z } from 'zod';
import { eventType } from '../event-type.ts';

/** The frozen audience of a broadcast, on `audience-<bot>/<id>`: chunks in order, then the end. */

const broadcast_id = z.number().int().positive();
const count = z.number().int().nonnegative();

export const audienceChunkFrozen = eventType(
  'audience_chunk_frozen',
  1,
  z.object({
    broadcast_id,
    /** From 0. */
    index: count,
    /** How many chats the chunks before have: the place of its first chat in the frozen order, from 0. */
    offset: count,
    /** When the audience began to be resolved, which days are counted back from; the same in all chunks. */
    as_of: z.number().int(),
    /** Packed (packed-chats.ts): ascending, above those of the chunk before. */
    chats: z.string(),
  }),
);

/** The audience has all of its chats, `count` of them: no chunk comes after it. */
export const audienceClosed = eventType('audience_closed', 1, z.object({ broadcast_id, count }));
