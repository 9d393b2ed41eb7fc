import { type RawBuilder, sql } from 'kysely';
import type pg from 'pg';
import { PROPERTY_TYPES } from '../../domain/intake/properties.ts';
import { type EventProperty, eventPropertyOf } from '../../domain/reports/fields.ts';
import type { KnownProperty, NamedProperty } from '../../domain/reports/warnings.ts';
import type { ReportTables } from './fields.ts';

/** The custom properties that counted events of a bot have (decisions.md#property-fields). */

/** Names, each with the bits of its types, as the table has them; null: none. */
export type KnownPropertiesRow = readonly (readonly [name: string, types: number])[] | null;

/** SQL: those of the properties that events have, as one value. */
export function knownPropertiesSql(
  { botId, tables }: { readonly botId: number; readonly tables: ReportTables },
  named: readonly NamedProperty[],
): RawBuilder<unknown> {
  const names = JSON.stringify([...new Set(named.map(({ name }) => name))]);
  return sql`SELECT json_agg(json_build_array(name, types))
    FROM ${sql.id(tables.events, 'event_properties')}
   WHERE bot_id = ${botId} AND types <> 0 AND name = ANY (ARRAY(SELECT json_array_elements_text(${names}::json)))`;
}

export function knownPropertiesOf(rows: KnownPropertiesRow): KnownProperty[] {
  return rows?.map(([name, bits]) => ({ name, types: typesOf(bits) })) ?? [];
}

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

function typesOf(bits: number): KnownProperty['types'] {
  return PROPERTY_TYPES.filter((_, i) => (bits >> i) & 1);
}
