import { sql } from 'kysely';
import type { KnownEvent, NamedEvent } from '../../domain/reports/named-events.ts';
import type { ReportTables } from './columns.ts';
import type { Query } from './snapshot.ts';

/** The events of a bot that have one of the ids or names. */
export async function knownEvents(
  named: readonly NamedEvent[],
  { query, tables, botId }: { readonly query: Query; readonly tables: ReportTables; readonly botId: number },
): Promise<readonly KnownEvent[]> {
  if (named.length === 0) return [];
  const ids = named.map(({ eventId }) => eventId);
  const names = named.flatMap(({ name }) => (name === undefined ? [] : [name]));
  return query(sql<KnownEvent>`
    SELECT event_id, name FROM ${sql.id(tables.events, 'event_types')}
     WHERE bot_id = ${botId} AND (event_id = ANY(${ids}::bigint[]) OR name = ANY(${names}::text[]))
     ORDER BY event_id`);
}
