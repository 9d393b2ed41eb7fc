import { z } from 'zod';
import { eventType } from '../event-type.ts';

/** Chat ids that were uploaded for one broadcast, in parts, on `segment-<bot>/<segment id>`. */

const id = z.number().int().positive();

/** One part. The list counts once it has all of them. */
export const segmentPartUploaded = eventType(
  'segment_part_uploaded',
  1,
  z.object({
    segment_id: id,
    broadcast_id: id,
    /** From 0. */
    part: z.number().int().nonnegative(),
    parts: z.number().int().positive(),
    /** Of the whole list, without duplicates. */
    count: z.number().int().positive(),
    /** Packed (`packed-chats.ts`): ascending, above those of the part before. */
    chats: z.string(),
  }),
);
