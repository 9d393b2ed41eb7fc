import { z } from 'zod';

/** Shapes that several areas share. Each with an id is a component of the OpenAPI document. */

export const answer = <S extends z.ZodType>(data: S) => z.object({ ok: z.literal(true), data });
export const items = <S extends z.ZodType>(item: S) => answer(z.object({ items: z.array(item) }));
/** The answer to a change that is in the log; `lagging` if other endpoints may not show it yet. */
export const changed = <S extends z.ZodType>(data: S) => answer(data).extend({ lagging: z.literal(true).optional() });

export const utcTimestamp = z.iso.datetime().meta({ id: 'UtcTimestamp' });
/** With the offset of the bot's time zone. */
export const timestamp = z.iso.datetime({ offset: true }).meta({ id: 'Timestamp' });
export const localTime = z
  .string()
  .regex(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/)
  .meta({ id: 'LocalTime' });
export const uuid = z.uuid().meta({ id: 'Uuid' });

const place = { path: z.string().describe('Of the value in the request'), message: z.string() };
export const warning = z.object(place).meta({ id: 'FieldWarning' });
export const problem = z.object({ ...place, allowed: z.array(z.string()).optional() }).meta({ id: 'Problem' });
