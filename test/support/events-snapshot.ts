import type { ClientBase } from 'pg';
import { allEvents } from '../../src/projections/events/packed/archived-rows.ts';
import type { EventsSnapshot } from './intake-fold.ts';

/** The rows of the tables of the read model `events`, also archived ones, in the shape of the oracle. */
export async function eventsSnapshot(tx: ClientBase): Promise<EventsSnapshot> {
  const { rows: found } = await tx.query<{ schema: string }>('SELECT current_schema() AS schema');
  const whole = `WITH whole AS MATERIALIZED (SELECT * FROM ${allEvents(found[0]!.schema)} t)`;
  const utm = `(SELECT concat_ws('|', coalesce(source, ''), coalesce(medium, ''), coalesce(campaign, ''),
                                      coalesce(term, ''), coalesce(content, ''))
                  FROM utms u WHERE u.bot_id = x.bot_id AND u.utm_id = x.utm_id) AS utm`;
  const id = (alias: string) => `${alias}.commit_id || '/' || ${alias}.idx`;
  const idOf = (column: string) =>
    `(SELECT ${id('s')} FROM whole s WHERE s.bot_id = x.bot_id AND s.user_id = x.user_id AND s.ord = x.${column})`;
  const rows = async <T>(text: string) =>
    (await tx.query<{ row: T }>(`WITH q AS MATERIALIZED (${text}) SELECT to_jsonb(q) AS row FROM q`)).rows.map(
      ({ row }) => row,
    );
  return {
    events: await rows(
      `${whole}
       SELECT ${id('x')} AS id, bot_id, user_id, date, date_received AS received, event_id,
              trim_scale(value_int)::text AS value_int, trim_scale(value_amount)::text AS value_amount, unit,
              value_str, category, webapp_name, properties, ${idOf('session')} AS session,
              ${idOf('app_session')} AS app_session, ${utm}
         FROM whole x`,
    ),
    visits: await rows(`SELECT ${id('x')} AS id, bot_id, user_id, date, code, ${utm}, first_seen FROM visits x`),
    users: await rows('SELECT bot_id, user_id, since FROM known_users'),
    types: await rows('SELECT bot_id, event_id, kind, name, target_id, first_seen, last_seen, count FROM event_types'),
    properties: await rows('SELECT bot_id, name, types FROM event_properties'),
    errors: await rows(`SELECT ${id('x')} AS id, bot_id, source, kind, date, message, resolved_at FROM bot_errors x`),
  };
}

/** Sorts the rows of each table, for comparisons. */
export function sorted(tables: EventsSnapshot): EventsSnapshot {
  const byText = (rows: readonly object[]) =>
    rows
      .map((row) => [JSON.stringify(row, Object.keys(row).sort()), row] as const)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([, row]) => row);
  return Object.fromEntries(
    Object.entries(tables).map(([name, rows]) => [name, byText(rows)]),
  ) as unknown as EventsSnapshot;
}
