import type pg from 'pg';
import { inTransaction } from '../../src/database/transaction.ts';
import { type ReadModel, schemaOf } from '../../src/projections/read-model.ts';
import { createTables } from '../../src/projections/runtime/versions.ts';

/** The schema of the first version of a read model. Without a rebuild there is no other version. */
export function firstSchema({ name }: Pick<ReadModel, 'name'>): string {
  return schemaOf(name, 1);
}

/** The tables of the first version, for a test that applies commits itself. */
export async function createFirstTables(pool: pg.Pool, model: ReadModel): Promise<void> {
  await inTransaction(pool, (tx) => createTables(tx, model, firstSchema(model)));
}
