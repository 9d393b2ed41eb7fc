import type pg from 'pg';
import { Status } from '../../domain/broadcast/broadcast-status.ts';

/** The broadcasts that are being sent now. */
export interface BroadcastsNow {
  readonly sending: number;
  /** The messages a second that they may send together, by their settings. */
  readonly cap: number;
}

/** @param schema the schema of the read model `broadcasts` */
export async function broadcastsNow(pool: pg.Pool, schema: string): Promise<BroadcastsNow> {
  const { rows } = await pool.query<BroadcastsNow>({
    name: `${schema}.broadcasts_now`,
    text: `SELECT count(*)::int AS sending, coalesce(sum((broadcast::json->'settings'->>'intervalCap')::int), 0)::int AS cap
             FROM ${schema}.broadcasts WHERE status = ${Status.sending}`,
  });
  return rows[0]!;
}
