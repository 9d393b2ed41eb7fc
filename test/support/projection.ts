import type pg from 'pg';
import { isCitus } from '../../src/database/citus.ts';
import { inTransaction } from '../../src/database/transaction.ts';
import type { Keyring, RecordedCommit } from '../../src/log/port.ts';
import { categoryOf } from '../../src/log/stream-name.ts';
import type { ReadModel } from '../../src/projections/read-model.ts';
import { applyTo } from '../../src/projections/runtime/apply.ts';
import { readCommits } from '../../src/projections/runtime/read-commits.ts';
import { setSearchPath } from '../../src/projections/runtime/versions.ts';
import type { MemoryLog } from './memory-log.ts';
import { createFirstTables, firstSchema } from './read-model-tables.ts';

/**
 * Applies commits to a read model as the runtime does: commits of its categories, each batch in one transaction, then
 * the deferred work.
 */
export async function applyBatch(
  pool: pg.Pool,
  model: ReadModel,
  commits: readonly RecordedCommit[],
  keys: Keyring,
): Promise<void> {
  const wanted = commits.filter(({ stream }) => model.categories.includes(categoryOf(stream)));
  if (wanted.length === 0) return;
  await inTransaction(pool, async (tx) => {
    await setSearchPath(tx, firstSchema(model));
    await applyTo(model, tx, await readCommits(model, wanted, keys));
  });
  await drain(pool, model);
}

/** Does all deferred work of a read model, each slice in one transaction. */
export async function drain(pool: pg.Pool, model: ReadModel): Promise<void> {
  let more = model.idle !== undefined;
  while (more)
    more = await inTransaction(pool, async (tx) => {
      await setSearchPath(tx, firstSchema(model));
      await isCitus(tx);
      return model.idle!(tx, false);
    });
}

/** @returns a function that applies the new commits of a log in memory to a read model */
export async function follow(pool: pg.Pool, model: ReadModel, log: MemoryLog): Promise<() => Promise<void>> {
  await createFirstTables(pool, model);
  const done = log.commits.map(() => 0);
  return async () => {
    for (const [partition, commits] of log.commits.entries()) {
      await applyBatch(pool, model, commits.slice(done[partition]), log.keys);
      done[partition] = commits.length;
    }
  };
}
