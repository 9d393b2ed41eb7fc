import type pg from 'pg';
import { PROPERTY_TYPES } from '../../domain/intake/properties.ts';
import { type EventProperty, eventPropertyOf } from '../../domain/reports/fields.ts';
import type { KnownProperty } from '../../domain/reports/warnings.ts';

/** The custom properties that counted events of a bot have (decisions.md#property-fields). */

/** The custom properties of a bot, by name. @param events the schema of the read model `events` */
export async function eventProperties(
  { pool, events }: { readonly pool: pg.Pool; readonly events: string },
  botId: number,
): Promise<EventProperty[]> {
  const { rows } = await pool.query<{ readonly name: string; readonly types: number }>({
    name: `${events}.event_properties`,
    text: `SELECT name, types FROM ${events}.event_properties WHERE bot_id = $1 AND types <> 0 ORDER BY name`,
    values: [botId],
  });
  return rows.map(({ name, types }) => eventPropertyOf(name, typesOf(types)));
}

/** @param bits of a row of `event_properties` */
export function typesOf(bits: number): KnownProperty['types'] {
  return PROPERTY_TYPES.filter((_, i) => (bits >> i) & 1);
}
