import type pg from 'pg';
import { inTransaction } from '../../database/transaction.ts';
import { type ReadModel, schemaOf } from '../read-model.ts';
import { CHECKPOINT_DDL } from './checkpoint.ts';

/** Creates the read model's schema with its tables, unless it is there. Safe when several instances start at once. */
export async function createSchema(pool: pg.Pool, model: ReadModel): Promise<void> {
  const schema = schemaOf(model);
  await inTransaction(pool, async (tx) => {
    await tx.query('SELECT pg_advisory_xact_lock(hashtextextended($1, 0))', [`read model ${schema}`]);
    const exists = await tx.query('SELECT FROM pg_tables WHERE schemaname = $1 AND tablename = $2', [
      schema,
      'checkpoints',
    ]);
    if (exists.rowCount !== 0) return;
    await tx.query(`CREATE SCHEMA IF NOT EXISTS ${schema}`);
    await setSearchPath(tx, model);
    await tx.query(model.ddl);
    await tx.query(CHECKPOINT_DDL);
  });
}

/** Names without a schema mean the read model's tables, until the transaction ends. */
export async function setSearchPath(tx: pg.ClientBase, model: ReadModel): Promise<void> {
  await tx.query(`SET LOCAL search_path TO ${schemaOf(model)}`);
}
