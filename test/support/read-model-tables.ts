import type pg from 'pg';
import type { Tables } from '../../src/database/tables.ts';
import { inTransaction } from '../../src/database/transaction.ts';
import { type ReadModel, schemaOf } from '../../src/projections/read-model.ts';
import type { Reader } from '../../src/projections/reader.ts';
import { createTables } from '../../src/projections/runtime/versions.ts';

/** The schema of the first version of a read model. Without a rebuild there is no other version. */
export function firstSchema({ name }: Pick<ReadModel, 'name'>): string {
  return schemaOf(name, 1);
}

/** A reader of the first versions. */
export function firstReader(pool: pg.Pool): Reader {
  return {
    pool,
    at: async (...names) =>
      Object.assign({ pool }, ...names.map((name) => ({ [name]: firstSchema({ name }) }))) as Tables<
        (typeof names)[number]
      >,
  };
}

/** The tables of the first version, for a test that applies commits itself. */
export async function createFirstTables(pool: pg.Pool, model: ReadModel): Promise<void> {
  await inTransaction(pool, (tx) => createTables(tx, model, firstSchema(model)));
}
