import { z } from 'zod';
import { eventType } from '../event-type.ts';

/**
 * What counts against an owner's broadcasts of a calendar month, on `quota-<owner id>` (decisions.md#broadcast-quota).
 */

const activation = z.uuid();

export const broadcastCounted = eventType(
  'broadcast_counted',
  1,
  z.object({
    activation,
    broadcast_id: z.number().int().positive(),
    /** Public key of its bot. */
    bot: z.string().min(1),
    /** `YYYY-MM`, UTC. */
    month: z.string().regex(/^\d{4}-\d\d$/),
    /** Milliseconds since 1970 UTC. */
    at: z.number().int(),
  }),
);
/** It was cancelled before anybody picked it up, or never came to be activated. */
export const broadcastGivenBack = eventType('broadcast_given_back', 1, z.object({ activation }));
