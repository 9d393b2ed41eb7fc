import type pg from 'pg';
import type { TaskSource } from '../../domain/broadcast/audience-activation.ts';

interface BroadcastsSource {
  readonly pool: pg.Pool;
  /** The schema of the read model `broadcasts`. */
  readonly schema: string;
}

/** The lists of chats that were uploaded for a broadcast, whole: what its custom segments may name. */
export async function segmentIdsOf({ pool, schema }: BroadcastsSource, broadcastId: number): Promise<Set<number>> {
  const { rows } = await pool.query<{ id: number }>(
    `SELECT segment_id::float8 AS id FROM ${schema}.segments WHERE broadcast_id = $1 AND stored = parts`,
    [broadcastId],
  );
  return new Set(rows.map(({ id }) => id));
}

/** What `activationProblems` asks of the broadcasts that an audience is made from; those that there are not are missing. */
export async function taskSourcesOf(
  { pool, schema }: BroadcastsSource,
  ids: readonly number[],
): Promise<Map<number, TaskSource>> {
  if (ids.length === 0) return new Map();
  const { rows } = await pool.query<TaskSource & { readonly id: number }>(
    `SELECT id::float8, owner_id::float8 AS "ownerId", frozen IS NOT NULL AS frozen
     FROM ${schema}.broadcasts WHERE id = ANY ($1::bigint[])`,
    [ids],
  );
  return new Map(rows.map(({ id, ownerId, frozen }) => [id, { ownerId, frozen }]));
}
