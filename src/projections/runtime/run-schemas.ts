import { randomBytes } from 'node:crypto';
import type { ClientBase, Pool } from 'pg';
import { isHeld } from '../../database/lease-rows.ts';
import { inTransaction } from '../../database/transaction.ts';
import { Rejection } from '../../domain/rejection.ts';
import type { ProjectorOptions } from './projector-options.ts';
import { createTables, dropTables } from './versions.ts';

/**
 * Schemas in which commands replay a read model, next to its versions. Each run has its own, so that a run that has lost the
 * lease, for example since it was stopped for a while, never reads tables of its successor: its schema is gone, and it fails.
 */
export interface RunSchemas {
  /** Of their names. */
  readonly prefix: string;
  /** One run holds it. */
  readonly lease: string;
}

/** Of the replays that versions are compared with, or that rows of bots are taken from. */
export function replaysOf(name: string): RunSchemas {
  return { prefix: `${name}_replay`, lease: `verify ${name}` };
}

/** Of the builds of a read model as of earlier positions. */
export function buildsUntilOf(name: string): RunSchemas {
  return { prefix: `${name}_until_build`, lease: `until ${name}` };
}

/**
 * Waits for the lease, and works while there are empty tables in a schema of this run. Schemas of earlier runs go first, and this
 * one goes at the end.
 * @param work its signal aborts when the lease is lost or the caller's signal aborts
 * @param change changes the tables first
 * @throws Rejection another run has taken over
 */
export async function inRunSchema<T>(
  { pool, model, leases, signal, onWait }: Pick<ProjectorOptions, 'pool' | 'model' | 'leases' | 'signal' | 'onWait'>,
  { prefix, lease }: RunSchemas,
  work: (schema: string, signal: AbortSignal) => Promise<T>,
  change: (tx: ClientBase, schema: string) => Promise<void> = async () => {},
): Promise<T> {
  const schema = `${prefix}_${randomBytes(6).toString('hex')}`;
  const run = async (held: AbortSignal): Promise<T> => {
    await inTransaction(pool, async (tx) => {
      for (const left of await schemasOf(tx, prefix)) await dropTables(tx, left);
      await createTables(tx, model, schema, () => change(tx, schema));
    });
    try {
      return await work(schema, held);
    } catch (error) {
      const isOver = !signal.aborted && (held.aborted || !(await exists(pool, schema).catch(() => true)));
      throw isOver ? takenOver(model.name, error) : error;
    } finally {
      await inTransaction(pool, (tx) => dropTables(tx, schema));
    }
  };
  const result = await leases.hold(lease, signal, run, () => onWait?.(`another replay of ${model.name} to end`));
  signal.throwIfAborted();
  return result!;
}

function takenOver(name: string, cause: unknown): Rejection {
  const why = `another replay of ${name} has begun, since this one lost its lease; nothing was changed: run it again`;
  return Object.assign(new Rejection('conflict', 'name', why), { cause });
}

/** Removes schemas of runs that were killed. @returns whether a run holds the lease; its schema stays */
export async function removeLeft(pool: Pool, { prefix, lease }: RunSchemas): Promise<boolean> {
  // Looked up before the lease: so none is of a run that begins now.
  const left = await schemasOf(pool, prefix);
  if (await isHeld(pool, lease)) return true;
  for (const schema of left) await inTransaction(pool, (tx) => dropTables(tx, schema));
  return false;
}

/** Also a schema of a release that had one name for all runs. */
async function schemasOf(db: Pool | ClientBase, prefix: string): Promise<string[]> {
  const { rows } = await db.query<{ nspname: string }>('SELECT nspname FROM pg_namespace WHERE nspname ~ $1', [
    `^${prefix}(_[0-9a-f]{12})?$`,
  ]);
  return rows.map(({ nspname }) => nspname);
}

async function exists(pool: Pool, schema: string): Promise<boolean> {
  const { rowCount } = await pool.query('SELECT FROM pg_namespace WHERE nspname = $1', [schema]);
  return rowCount === 1;
}
