import { z } from 'zod';
import { answer, timestamp } from '../shapes.ts';

/** Schemas of the events that were received last (decisions.md#latest-events). */

const text = z.string().nullable();

const latestEvent = z
  .object({
    id: z.string(),
    date: timestamp,
    date_received: timestamp,
    user_id: z.int(),
    first_name: text.describe('Null: not known, or erased. So are the other names'),
    last_name: text,
    username: text,
    event_type_id: z.int(),
    event_name: z.string(),
    value_int: z.number().nullable(),
    value_amount: z.number().nullable(),
    unit: text,
    value_str: text,
    category: text,
    webapp_name: text,
    utm_source: text,
    utm_medium: text,
    utm_campaign: text,
    utm_term: text,
    utm_content: text,
    event_key: text,
    properties: z.record(z.string(), z.unknown()),
  })
  .meta({ id: 'LatestEvent' });

export const latestAnswer = answer(
  z.object({ items: z.array(latestEvent), data_as_of: timestamp }).meta({ id: 'LatestEvents' }),
);

export type LatestEvents = z.infer<typeof latestAnswer>['data'];
