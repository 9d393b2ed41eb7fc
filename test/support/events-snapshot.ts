import type { ClientBase } from 'pg';
import { allEvents } from '../../src/projections/events/packed/archived-rows.ts';
import type { EventsSnapshot } from './intake-fold.ts';

/** The rows of the tables of the read model `events`, also archived ones, in the shape of the oracle. */
export async function eventsSnapshot(tx: ClientBase): Promise<EventsSnapshot> {
  const { rows: found } = await tx.query<{ schema: string }>('SELECT current_schema() AS schema');
  // Joins of materialized rows: a Citus cluster runs them, whatever bots they are of.
  const whole = `whole AS MATERIALIZED (SELECT * FROM ${allEvents(found[0]!.schema)} t)`;
  const utms = `labels AS MATERIALIZED (
    SELECT bot_id, utm_id, concat_ws('|', coalesce(source, ''), coalesce(medium, ''), coalesce(campaign, ''),
                                          coalesce(term, ''), coalesce(content, '')) AS utm FROM utms)`;
  const withUtm = 'LEFT JOIN labels u ON u.bot_id = x.bot_id AND u.utm_id = x.utm_id';
  const id = (alias: string) => `${alias}.commit_id || '/' || ${alias}.idx`;
  const first = (alias: string, column: string) =>
    `LEFT JOIN whole ${alias} ON ${alias}.bot_id = x.bot_id AND ${alias}.user_id = x.user_id AND ${alias}.ord = x.${column}`;
  const rows = async <T>(text: string) =>
    (await tx.query<{ row: T }>(`WITH q AS MATERIALIZED (${text}) SELECT to_jsonb(q) AS row FROM q`)).rows.map(
      ({ row }) => row,
    );
  return {
    events: await rows(
      `WITH ${whole}, ${utms}
       SELECT ${id('x')} AS id, x.bot_id, x.user_id, x.date, x.date_received AS received, x.event_id,
              trim_scale(x.value_int)::text AS value_int, trim_scale(x.value_amount)::text AS value_amount, x.unit,
              x.value_str, x.category, x.webapp_name, x.properties, ${id('s')} AS session, ${id('a')} AS app_session, utm
         FROM whole x ${first('s', 'session')} ${first('a', 'app_session')} ${withUtm}`,
    ),
    visits: await rows(
      `WITH visited AS MATERIALIZED (SELECT * FROM visits), ${utms}
       SELECT ${id('x')} AS id, x.bot_id, user_id, date, code, utm, first_seen FROM visited x ${withUtm}`,
    ),
    users: await rows('SELECT bot_id, user_id, since FROM known_users'),
    types: await rows('SELECT bot_id, event_id, kind, name, target_id, first_seen, last_seen, count FROM event_types'),
    properties: await rows('SELECT bot_id, name, types FROM event_properties'),
    errors: await rows(`SELECT ${id('x')} AS id, bot_id, source, kind, date, message, resolved_at FROM bot_errors x`),
    refunded: await rows(`SELECT ${id('x')} AS id, bot_id, user_id, received, position FROM refunded_payments x`),
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
