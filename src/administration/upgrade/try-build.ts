import type pg from 'pg';
import { isCitus } from '../../database/citus.ts';
import type { Keyring, RecordedCommit } from '../../log/port.ts';
import type { ReadModel } from '../../projections/read-model.ts';
import { applyTo } from '../../projections/runtime/apply.ts';
import { readCommits } from '../../projections/runtime/read-commits.ts';
import { layoutChanges, layoutOf } from '../../projections/runtime/table-layout.ts';
import { createTables } from '../../projections/runtime/versions.ts';

/** How the build of a read model went with the first commits of the log. */
export interface TriedBuild {
  /** How its tables differ from those of `live`. */
  readonly changes: readonly string[];
  /** Of the sample. Null on a Citus cluster, which would create the tables on its nodes. */
  readonly sample: { readonly seconds: number; readonly bytes: number } | null;
}

export interface TryBuildOptions {
  readonly pool: pg.Pool;
  readonly keys: Pick<Keyring, 'find'>;
  readonly model: ReadModel;
  /** The schema of the version that answers now; null: there is none. */
  readonly live: string | null;
  /** The first commits that it reads. */
  readonly commits: readonly RecordedCommit[];
}

/** Builds a read model from a sample in a transaction that is rolled back, so no client sees a change. */
export async function tryBuild({ pool, keys, model, live, commits }: TryBuildOptions): Promise<TriedBuild> {
  const read = await readCommits(model, commits, keys);
  const tx = await pool.connect();
  const schema = `${model.name}_plan`;
  try {
    await tx.query('BEGIN');
    if (await isCitus(tx)) return { changes: [], sample: null };
    await createTables(tx, model, schema);
    const changes = live === null ? [] : layoutChanges(await layoutOf(tx, live), await layoutOf(tx, schema));
    const before = await bytesOf(tx, schema);
    const begun = performance.now();
    await applyTo(model, tx, read);
    const seconds = (performance.now() - begun) / 1000;
    return { changes, sample: { seconds, bytes: (await bytesOf(tx, schema)) - before } };
  } finally {
    await tx.query('ROLLBACK').then(
      () => tx.release(),
      () => tx.release(true), // the connection ended, and with it the transaction; the first error says why
    );
  }
}

async function bytesOf(tx: pg.ClientBase, schema: string): Promise<number> {
  const { rows } = await tx.query<{ bytes: string | null }>(
    `SELECT sum(pg_total_relation_size(oid)) AS bytes FROM pg_class
      WHERE relnamespace = to_regnamespace($1) AND relkind IN ('r', 'm')`,
    [schema],
  );
  return Number(rows[0]!.bytes ?? 0);
}
