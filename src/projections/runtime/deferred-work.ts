import type { ClientBase, Pool } from 'pg';
import type { Manifest } from '../read-model.ts';
import type { Target } from './apply.ts';
import { inVersion } from './versions.ts';

/** Whether the read model has deferred work. While it has, its rows lag behind its checkpoint. */
export async function hasDeferredWork(db: Pool | ClientBase, model: Manifest, schema: string): Promise<boolean> {
  if (model.deferredRelation === undefined) return false;
  const { rows } = await db.query<{ some: boolean }>({
    name: `deferred_work.${schema}.${model.deferredRelation}`,
    text: `SELECT EXISTS (SELECT FROM ${schema}.${model.deferredRelation}) AS some`,
  });
  return rows[0]!.some;
}

/** The part of the deferred work that changes answers: events that wait for a conversion. */
export interface Deferred {
  readonly events: number;
  /** False: the count stopped early, so `events` is a lower bound. */
  readonly exact: boolean;
}

/** Counts the {@link Deferred} events, and gives their age in seconds; null if there are none. */
export async function deferredWork(
  db: Pool | ClientBase,
  { deferredCount }: Manifest,
  schema: string,
): Promise<{ readonly deferred: Deferred; readonly seconds: number } | null> {
  if (deferredCount === undefined) return null;
  const { rows } = await db.query<Deferred & { readonly seconds: number | null }>(
    `SELECT events::int, exact, (extract(epoch FROM clock_timestamp()) - since / 1000.0)::float8 AS seconds
       FROM ${schema}.${deferredCount}()`,
  );
  const { events, exact, seconds } = rows[0]!;
  return seconds === null ? null : { deferred: { events, exact }, seconds: Math.max(0, seconds) };
}

/**
 * Does a slice of deferred work, if there is any, in a separate transaction.
 * @param behind as in `ReadModel.idle`
 * @returns whether there is more
 */
export async function catchUpSlice({ pool, model, schema }: Target, behind: boolean): Promise<boolean> {
  const { idle } = model;
  if (idle === undefined || !(await hasDeferredWork(pool, model, schema))) return false;
  return inVersion(pool, schema, (tx) => idle(tx, behind));
}
