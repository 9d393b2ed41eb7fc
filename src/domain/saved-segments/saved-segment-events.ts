import { z } from 'zod';
import { eventType } from '../event-type.ts';

/** Events of saved segments. */

const saved_segment_id = z.number().int().positive();
const content = z.object({
  saved_segment_id,
  name: z.string(),
  /** `user_conditions` and `event_filters` as JSON text, with the digits that its numbers were sent with. */
  conditions: z.string(),
});

export const savedSegmentCreated = eventType('saved_segment_created', 1, content);
/** Replaces the name and the conditions. The id and the creation date stay. */
export const savedSegmentChanged = eventType('saved_segment_changed', 1, content);
export const savedSegmentDeleted = eventType('saved_segment_deleted', 1, z.object({ saved_segment_id }));
