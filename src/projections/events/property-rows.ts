import type { ClientBase } from 'pg';
import { eachProperty } from '../../columns/property-codes.ts';
import type { CustomFieldValue } from '../../domain/intake/intake-events.ts';
import {
  type EventProperties,
  MAX_PROPERTY_NAMES,
  PROPERTY_TYPES,
  type PropertyType,
  propertiesJson,
} from '../../domain/intake/properties.ts';
import { numbers } from '../batch-sql.ts';
import { rowsByKey } from '../rows-by-key.ts';
import type { Bot, PropertyNames } from './batch.ts';
import type { EventDraft } from './draft.ts';

/** Names of custom properties (decisions.md#property-names), and the types that values of counted events came with. */
export const PROPERTIES_DDL = `
CREATE TABLE event_properties (
  bot_id int NOT NULL,
  name text COLLATE "C" NOT NULL,
  /* bits: 1 string, 2 number, 4 boolean; 0: no event with it counts */
  types smallint NOT NULL,
  PRIMARY KEY (bot_id, name)
);
`;

export function propertyNames(count: number): PropertyNames {
  return { known: new Set(), added: [], count };
}

/** The properties that a bot takes. */
export interface Taken {
  /** JSON text; null: none. */
  readonly json: string | null;
  /** The names beyond the bot's limit. */
  readonly beyond: readonly string[];
}

/** Takes the properties of an event, also with new names while the bot has fewer than it may have. */
export function takeProperties(names: PropertyNames, properties: EventProperties): Taken {
  const taken: Record<string, CustomFieldValue> = {};
  const beyond: string[] = [];
  for (const [name, value] of Object.entries(properties)) {
    if (!names.known.has(name)) {
      if (names.count >= MAX_PROPERTY_NAMES) {
        beyond.push(name);
        continue;
      }
      names.known.add(name);
      names.added.push(name);
      names.count++;
    }
    taken[name] = value;
  }
  return { json: Object.keys(taken).length === 0 ? null : propertiesJson(taken), beyond };
}

/** Loads which of the names the bots have. */
export async function loadPropertyNames(
  tx: ClientBase,
  lookups: readonly { readonly bot: Bot; readonly name: string }[],
): Promise<void> {
  const bots = lookups.map(({ bot }) => bot);
  const names = lookups.map(({ name }) => name);
  const table = { table: 'event_properties', key: 'name' };
  for (const [i] of await rowsByKey(tx, 'events.load_properties', table, bots, names))
    bots[i]!.properties.known.add(names[i]!);
}

/** Writes new names, and the types of the values of counted events. */
export async function writePropertyNames(
  tx: ClientBase,
  bots: readonly Bot[],
  counted: readonly EventDraft[],
): Promise<void> {
  const typesOf = new Map<string, { readonly bot_id: number; readonly name: string; types: number }>();
  const note = (bot_id: number, name: string, types: number): void => {
    const key = `${bot_id} ${name}`;
    const row = typesOf.get(key);
    if (row === undefined) typesOf.set(key, { bot_id, name, types });
    else row.types |= types;
  };
  for (const { bot_id, properties } of bots) for (const name of properties.added) note(bot_id, name, 0);
  for (const { bot_id, source, properties } of counted)
    if (properties !== null && source !== 'send-update')
      for (const [name, json] of eachProperty(properties)) note(bot_id, name, bitOf(typeOf(json)));
  const rows = [...typesOf.values()];
  if (rows.length === 0) return;
  await tx.query({
    name: 'events.write_properties',
    text: `INSERT INTO event_properties AS p (bot_id, name, types)
           SELECT * FROM unnest($1::int[], $2::text[], $3::smallint[])
           ON CONFLICT (bot_id, name) DO UPDATE SET types = p.types | EXCLUDED.types
            WHERE p.types | EXCLUDED.types <> p.types`,
    values: [
      numbers(rows.map(({ bot_id }) => bot_id)),
      rows.map(({ name }) => name),
      numbers(rows.map(({ types }) => types)),
    ],
  });
}

function bitOf(type: PropertyType): number {
  return 1 << PROPERTY_TYPES.indexOf(type);
}

/** The type of a value, by its JSON text. */
function typeOf(json: string): PropertyType {
  if (json.startsWith('"')) return 'string';
  return json === 'true' || json === 'false' ? 'boolean' : 'number';
}
