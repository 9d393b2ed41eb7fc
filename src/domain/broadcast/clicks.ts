import { z } from 'zod';
import { eventType } from '../event-type.ts';

/** Events of clicks, on `clicks-<bot>` (decisions.md#clicks). */

const int = z.number().int();

const click = z.object({
  broadcast_id: int.positive(),
  launch: int.positive(),
  /** The recipient: its place in the frozen audience. */
  place: int.nonnegative(),
  /** The number of the link among all links of the launch. */
  link: int.nonnegative(),
  /** Milliseconds since 1970 UTC. */
  at: int,
});
export type Click = z.infer<typeof click>;

export const linksClicked = eventType('links_clicked', 1, z.object({ items: z.array(click).min(1) }));
