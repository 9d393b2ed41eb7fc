import type pg from 'pg';
import type { RecordedCommit } from '../../src/log/port.ts';
import type { ReadModel } from '../../src/projections/read-model.ts';
import type { MemoryLog } from './memory-log.ts';
import { applyBatch } from './projection.ts';
import { createFirstTables, firstSchema } from './read-model-tables.ts';
import { type Rows, rowsOf } from './replay.ts';

/** A log's partitions, and the rows of a read model after reading them in any order. */
export interface Partitions {
  /** The partitions with commits. */
  readonly partitions: readonly (readonly RecordedCommit[])[];
  /** The rows after reading the partitions in this order, `size` commits at a time, and then the remaining commits of each. */
  project(order: readonly number[], size: number): Promise<Rows>;
}

/** Takes a complete log, and a read model without tables. */
export async function partitionsOf(pool: pg.Pool, model: ReadModel, log: MemoryLog): Promise<Partitions> {
  await createFirstTables(pool, model);
  const tables = Object.keys(await rowsOf(pool, model)).map((name) => `${firstSchema(model)}.${name}`);
  const partitions = log.commits.filter((commits) => commits.length > 0);
  return {
    partitions,
    async project(order, size) {
      await pool.query(`TRUNCATE ${tables.join(', ')}`);
      const next = partitions.map(() => 0);
      const batch = async (partition: number): Promise<void> => {
        await applyBatch(
          pool,
          model,
          partitions[partition]!.slice(next[partition]!, next[partition]! + size),
          log.keys,
        );
        next[partition]! += size;
      };
      for (const partition of order) await batch(partition);
      for (const partition of partitions.keys())
        while (next[partition]! < partitions[partition]!.length) await batch(partition);
      return rowsOf(pool, model);
    },
  };
}
