import type { ClientBase, Pool } from 'pg';
import { inTransaction } from '../../database/transaction.ts';
import type { ReadModel } from '../read-model.ts';
import type { Target } from './apply.ts';
import { beginIn } from './versions.ts';

/** Whether the read model has put off work: its rows then lag behind its checkpoint. */
export async function hasPutOff(db: Pool | ClientBase, model: ReadModel, schema: string): Promise<boolean> {
  if (model.putOff === undefined) return false;
  const { rows } = await db.query<{ some: boolean }>(`SELECT EXISTS (SELECT FROM ${schema}.${model.putOff}) AS some`);
  return rows[0]!.some;
}

/**
 * Does a slice of what was put off, if anything was, in a transaction of its own.
 * @param behind as `ReadModel.idle` has it
 * @returns whether there is more
 */
export async function catchUpSlice({ pool, model, schema }: Target, behind: boolean): Promise<boolean> {
  const { idle } = model;
  if (idle === undefined || !(await hasPutOff(pool, model, schema))) return false;
  return inTransaction(pool, (tx) => idle(tx, behind), beginIn(schema));
}
