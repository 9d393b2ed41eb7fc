import type pg from 'pg';
import { inTransaction } from '../../src/database/transaction.ts';
import { type Keyring, partitionOf, type RecordedCommit } from '../../src/log/port.ts';
import { categoryOf } from '../../src/log/stream-name.ts';
import type { ReadModel } from '../../src/projections/read-model.ts';
import { applyTo } from '../../src/projections/runtime/apply.ts';
import { readCommits } from '../../src/projections/runtime/read-commits.ts';
import { setSearchPath } from '../../src/projections/runtime/versions.ts';
import { createTestDatabase } from './database.ts';
import { drain } from './projection.ts';
import { createFirstTables, firstSchema } from './read-model-tables.ts';

/** Null: personal fields and secrets are left out. */
type Keys = Pick<Keyring, 'find'> | null;

/** By table, every row as text, sorted by the text. */
export type Rows = Readonly<Record<string, readonly string[]>>;

/** The rows of a read model, without its checkpoint and without tables that are derived from its other tables. */
export async function rowsOf(pool: pg.Pool, model: ReadModel, schema = firstSchema(model)): Promise<Rows> {
  const { rows: tables } = await pool.query<{ name: string }>(
    `SELECT tablename AS name FROM pg_tables
     WHERE schemaname = $1 AND tablename NOT IN ('checkpoints', 'dead_letters') AND tablename <> ALL ($2) ORDER BY 1`,
    [schema, model.derived ?? []],
  );
  const found: Record<string, string[]> = {};
  for (const { name } of tables) {
    const { rows } = await pool.query<{ row: string }>(
      `SELECT t::text AS row FROM ${schema}.${name} AS t ORDER BY t::text COLLATE "C"`,
    );
    found[name] = rows.map(({ row }) => row);
  }
  return found;
}

/** The rows of a read model after these commits, applied to empty tables, partition by partition, each in one batch. */
export async function replay(model: ReadModel, commits: readonly RecordedCommit[], keys: Keys): Promise<Rows> {
  return (await replayAll([model], commits, keys))[model.name]!;
}

/** The same for several read models, by their names. */
export async function replayAll(
  models: readonly ReadModel[],
  commits: readonly RecordedCommit[],
  keys: Keys,
): Promise<Record<string, Rows>> {
  const { pool, drop } = await createTestDatabase();
  try {
    const found: Record<string, Rows> = {};
    for (const model of models) found[model.name] = await replayInto(pool, model, commits, keys);
    return found;
  } finally {
    await drop();
  }
}

async function replayInto(
  pool: pg.Pool,
  model: ReadModel,
  commits: readonly RecordedCommit[],
  keys: Keys,
): Promise<Rows> {
  const partitions = new Map<number, RecordedCommit[]>();
  for (const commit of commits) {
    if (!model.categories.includes(categoryOf(commit.stream))) continue;
    const partition = partitionOf(commit.position);
    const known = partitions.get(partition);
    if (known === undefined) partitions.set(partition, [commit]);
    else known.push(commit);
  }
  await createFirstTables(pool, model);
  for (const partition of partitions.values()) {
    await inTransaction(pool, async (tx) => {
      await setSearchPath(tx, firstSchema(model));
      await applyTo(model, tx, await readCommits(model, partition, keys));
    });
  }
  await drain(pool, model);
  return rowsOf(pool, model);
}
