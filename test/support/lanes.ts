import type pg from 'pg';
import type { RecordedCommit } from '../../src/log/port.ts';
import type { ReadModel } from '../../src/projections/read-model.ts';
import type { MemoryLog } from './memory-log.ts';
import { applyBatch } from './projection.ts';
import { createFirstTables, firstSchema } from './read-model-tables.ts';
import { type Rows, rowsOf } from './replay.ts';

/** A log's lanes, and what a read model makes of them in any order. */
export interface Lanes {
  /** Those that hold anything. */
  readonly lanes: readonly (readonly RecordedCommit[])[];
  /** The rows after the lanes were read in this order, `size` commits of a lane at a time, and then what is left of each. */
  project(order: readonly number[], size: number): Promise<Rows>;
}

/** Of a log that has all it will have, for a read model whose tables are not there yet. */
export async function lanesOf(pool: pg.Pool, model: ReadModel, log: MemoryLog): Promise<Lanes> {
  await createFirstTables(pool, model);
  const tables = Object.keys(await rowsOf(pool, model)).map((name) => `${firstSchema(model)}.${name}`);
  const lanes = log.commits.filter((commits) => commits.length > 0);
  return {
    lanes,
    async project(order, size) {
      await pool.query(`TRUNCATE ${tables.join(', ')}`);
      const next = lanes.map(() => 0);
      const batch = async (lane: number): Promise<void> => {
        await applyBatch(pool, model, lanes[lane]!.slice(next[lane]!, next[lane]! + size), log.keys);
        next[lane]! += size;
      };
      for (const lane of order) await batch(lane);
      for (const lane of lanes.keys()) while (next[lane]! < lanes[lane]!.length) await batch(lane);
      return rowsOf(pool, model);
    },
  };
}
