import type pg from 'pg';
import type { Tables } from '../../database/tables.ts';
import { PROPERTY_TYPES } from '../../domain/intake/properties.ts';
import { isoWithOffset } from '../../domain/local-time.ts';
import { type EventProperty, eventPropertyOf } from '../../domain/reports/fields.ts';
import type { KnownProperty } from '../../domain/reports/warnings.ts';

/** An event type that reports can count (decisions.md#event-names), as GET /v1/reports/events lists it. */
export interface ReportEvent {
  /** The `event_id` of metrics. */
  readonly event_id: number;
  readonly name: string;
  readonly kind: 'system' | 'target' | 'custom';
  /** Only of targets. */
  readonly target_id?: number;
  /** ISO 8601 with the offset of the bot's time zone; null while there are no events of the type. */
  readonly first_seen: string | null;
  readonly last_seen: string | null;
  readonly count: number;
  /** The words for people in place of the name; null: the name. */
  readonly title: string | null;
  readonly description: string | null;
  /** Whether pickers leave it out. */
  readonly hidden: boolean;
}

/** A row from `pg`. It gives bigint as text. */
interface EventTypeRow {
  readonly event_id: number;
  readonly name: string;
  readonly kind: ReportEvent['kind'];
  readonly target_id: string | null;
  readonly first_seen: string | null;
  readonly last_seen: string | null;
  readonly count: string;
  readonly title: string | null;
  readonly description: string | null;
  readonly hidden: boolean;
}

/** All event types of a bot, by id. */
export async function listEvents(
  { pool, events, catalog }: Tables<'events' | 'catalog'>,
  { botId, timezone }: { readonly botId: number; readonly timezone: string },
): Promise<ReportEvent[]> {
  const { rows } = await pool.query<EventTypeRow>(
    `SELECT e.event_id, e.name, kind, target_id, first_seen, last_seen, count,
            w.title, w.description, coalesce(w.hidden, false) AS hidden
       FROM ${events}.event_types AS e
       LEFT JOIN ${catalog}.event_words AS w ON w.bot_id = e.bot_id AND w.event_id = e.event_id
      WHERE e.bot_id = $1 ORDER BY e.event_id`,
    [botId],
  );
  const date = (ms: string | null) => (ms === null ? null : isoWithOffset(Number(ms), timezone));
  return rows.map(({ target_id, first_seen, last_seen, count, ...row }) => ({
    ...row,
    ...(target_id === null ? {} : { target_id: Number(target_id) }),
    first_seen: date(first_seen),
    last_seen: date(last_seen),
    count: Number(count),
  }));
}

/** The UTM labels of a bot's visits, by part. Those with the most visits come first; equal ones are ordered by code points. */
export interface UtmLabels {
  readonly sources: readonly string[];
  readonly mediums: readonly string[];
  readonly campaigns: readonly string[];
  readonly terms: readonly string[];
  readonly contents: readonly string[];
}

/**
 * Lists UTM labels by their number of visits. It does not count the events that carry the labels: visits are a hundredth as
 * many, and a label is used by a visit.
 * @param events the schema of the read model `events`
 */
export async function utmLabels(
  { pool, events }: { readonly pool: pg.Pool; readonly events: string },
  botId: number,
): Promise<UtmLabels> {
  const { rows } = await pool.query<{ part: keyof UtmLabels; label: string }>(
    `SELECT l.part, l.label
       FROM (SELECT utm_id, count(*) AS uses FROM ${events}.visits
              WHERE bot_id = $1 AND utm_id IS NOT NULL GROUP BY utm_id) AS v
       JOIN ${events}.utms AS u ON u.bot_id = $1 AND u.utm_id = v.utm_id
      CROSS JOIN LATERAL (VALUES ('sources', u.source), ('mediums', u.medium), ('campaigns', u.campaign),
                                 ('terms', u.term), ('contents', u.content)) AS l (part, label)
      WHERE l.label IS NOT NULL
      GROUP BY l.part, l.label
      ORDER BY sum(v.uses) DESC, l.label COLLATE "C"`,
    [botId],
  );
  const of = (part: keyof UtmLabels): string[] => rows.filter((row) => row.part === part).map(({ label }) => label);
  return {
    sources: of('sources'),
    mediums: of('mediums'),
    campaigns: of('campaigns'),
    terms: of('terms'),
    contents: of('contents'),
  };
}

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
