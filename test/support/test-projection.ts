import type { ClientBase } from 'pg';
import type { ReadCommit, ReadModel } from '../../src/projections/read-model.ts';
import { applyTo } from '../../src/projections/runtime/apply.ts';
import { createTestDatabase } from './database.ts';
import { createFirstTables, firstSchema } from './read-model-tables.ts';

export interface TestProjection {
  /**
   * Applies the batches to empty tables, reads the tables when no deferred work is left, and rolls back.
   * @param after runs after each batch
   */
  project<T>(
    batches: readonly (readonly ReadCommit[])[],
    read: (tx: ClientBase) => Promise<T>,
    after?: (tx: ClientBase) => Promise<void>,
  ): Promise<T>;
  drop(): Promise<void>;
}

/** A database with the tables of a read model. */
export async function createTestProjection(model: ReadModel): Promise<TestProjection> {
  const { pool, drop } = await createTestDatabase();
  const schema = firstSchema(model);
  await createFirstTables(pool, model);
  return {
    drop,
    async project(batches, read, after) {
      const tx = await pool.connect();
      try {
        await tx.query('BEGIN');
        await tx.query(`SET LOCAL search_path TO ${schema}`);
        for (const batch of batches) {
          await applyTo(model, tx, batch);
          await after?.(tx);
        }
        let more = model.idle !== undefined;
        while (more) more = await model.idle!(tx, false);
        return await read(tx);
      } finally {
        await tx.query('ROLLBACK');
        tx.release();
      }
    },
  };
}
