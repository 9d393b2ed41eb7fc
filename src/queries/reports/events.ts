import type pg from 'pg';
import { isoWithOffset } from '../../domain/local-time.ts';

/** A type of event that reports can count (decisions.md#event-names), as GET /v1/reports/events lists it. */
export interface ReportEvent {
  /** What a metric names as event_id. */
  readonly event_id: number;
  readonly name: string;
  readonly kind: 'system' | 'target' | 'custom';
  /** Only of targets. */
  readonly target_id?: number;
  /** ISO 8601 with the offset of the bot's zone; null while there are none. */
  readonly first_seen: string | null;
  readonly last_seen: string | null;
  readonly count: number;
}

/** As `pg` gives it: bigint as text. */
interface EventTypeRow {
  readonly event_id: number;
  readonly name: string;
  readonly kind: ReportEvent['kind'];
  readonly target_id: string | null;
  readonly first_seen: string | null;
  readonly last_seen: string | null;
  readonly count: string;
}

/** Every type of event of a bot, by id. `events` is the schema of the events' read model. */
export async function listEvents(
  { pool, events }: { readonly pool: pg.Pool; readonly events: string },
  { botId, timezone }: { readonly botId: number; readonly timezone: string },
): Promise<ReportEvent[]> {
  const { rows } = await pool.query<EventTypeRow>(
    `SELECT event_id, name, kind, target_id, first_seen, last_seen, count FROM ${events}.event_types
     WHERE bot_id = $1 ORDER BY event_id`,
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
