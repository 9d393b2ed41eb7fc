import { LosslessNumber, parse } from 'lossless-json';
import type { Tables } from '../../database/tables.ts';
import { preciseIsoWithOffset } from '../../domain/local-time.ts';

/** An event as it was counted. Dates are ISO 8601 with milliseconds and the offset of the bot's time zone. */
export interface LatestEvent {
  /** The same on every engine of the log. */
  readonly id: string;
  readonly date: string;
  readonly date_received: string;
  readonly user_id: number;
  readonly event_type_id: number;
  readonly event_name: string;
  readonly value_int: LosslessNumber | null;
  readonly value_amount: LosslessNumber | null;
  readonly unit: string | null;
  readonly value_str: string | null;
  readonly category: string | null;
  readonly webapp_name: string | null;
  readonly utm_source: string | null;
  readonly utm_medium: string | null;
  readonly utm_campaign: string | null;
  readonly utm_term: string | null;
  readonly utm_content: string | null;
  readonly event_key: string | null;
  readonly properties: unknown;
}

interface Row extends Omit<LatestEvent, 'date' | 'date_received' | 'value_int' | 'value_amount' | 'properties'> {
  readonly date: number;
  readonly date_received: number;
  readonly value_int: string | null;
  readonly value_amount: string | null;
  readonly properties: string | null;
}

/** Of so many events with the latest dates, those received last are found: an index by receipt would slow every write. */
const LOOKED_AT = 5000;

/** The events of a bot that were received last, the last one first. `events`: the schema of the read model. */
export async function latestEvents(
  { pool, events }: Tables<'events'>,
  { bot_id, timezone }: { readonly bot_id: number; readonly timezone: string },
  limit: number,
): Promise<LatestEvent[]> {
  const { rows } = await pool.query<Row>({
    name: `${events}.latest_events`,
    text: `WITH latest AS MATERIALIZED (
             SELECT date, ord FROM (
               SELECT date, ord FROM ${events}.events WHERE bot_id = $1 ORDER BY date DESC, ord DESC LIMIT ${LOOKED_AT}) AS looked_at
              ORDER BY ord DESC LIMIT $2)
           SELECT e.commit_id || '.' || e.idx AS id, e.date::float8, e.date_received::float8, e.user_id::float8,
                  e.event_id AS event_type_id, k.name AS event_name, trim_scale(e.value_int)::text AS value_int,
                  trim_scale(e.value_amount)::text AS value_amount, e.unit, e.value_str, e.category, e.webapp_name,
                  t.source AS utm_source, t.medium AS utm_medium, t.campaign AS utm_campaign, t.term AS utm_term,
                  t.content AS utm_content, e.event_key, e.properties::text
             FROM latest AS l JOIN ${events}.events AS e ON e.bot_id = $1 AND e.date = l.date AND e.ord = l.ord
             JOIN ${events}.event_types AS k ON k.bot_id = $1 AND k.event_id = e.event_id
             LEFT JOIN ${events}.utms AS t ON t.bot_id = $1 AND t.utm_id = e.utm_id
            ORDER BY l.ord DESC`,
    values: [bot_id, limit],
  });
  const exact = (digits: string | null) => (digits === null ? null : new LosslessNumber(digits));
  return rows.map((row) => ({
    ...row,
    date: preciseIsoWithOffset(row.date, timezone),
    date_received: preciseIsoWithOffset(row.date_received, timezone),
    value_int: exact(row.value_int),
    value_amount: exact(row.value_amount),
    properties: parse(row.properties ?? '{}'),
  }));
}
