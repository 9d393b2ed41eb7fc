import type pg from 'pg';
import { isCitus } from '../../database/citus.ts';
import type { Keyring, RecordedCommit } from '../../log/port.ts';
import type { ReadModel } from '../../projections/read-model.ts';
import { applyTo } from '../../projections/runtime/apply.ts';
import { readCommits } from '../../projections/runtime/read-commits.ts';
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
    const changes = live === null ? [] : differences(await columnsOf(tx, live), await columnsOf(tx, schema));
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

/** The types of columns, by table and column. */
async function columnsOf(tx: pg.ClientBase, schema: string): Promise<ReadonlyMap<string, string>> {
  const { rows } = await tx.query<{ name: string; type: string }>(
    `SELECT c.relname || '.' || a.attname AS name, format_type(a.atttypid, a.atttypmod) AS type
       FROM pg_attribute a JOIN pg_class c ON c.oid = attrelid
      WHERE c.relnamespace = to_regnamespace($1) AND c.relkind IN ('r', 'p', 'v') AND attnum > 0 AND NOT attisdropped
      ORDER BY c.relname, attnum`,
    [schema],
  );
  return new Map(rows.map(({ name, type }) => [name, type]));
}

function differences(before: ReadonlyMap<string, string>, after: ReadonlyMap<string, string>): string[] {
  const gone = [...before.keys()].filter((name) => !after.has(name)).map((name) => `${name} goes`);
  const changed = [...after].flatMap(([name, type]) => {
    const former = before.get(name);
    if (former === undefined) return [`${name} is new`];
    return former === type ? [] : [`${name} is ${type} instead of ${former}`];
  });
  return [...gone, ...changed];
}

async function bytesOf(tx: pg.ClientBase, schema: string): Promise<number> {
  const { rows } = await tx.query<{ bytes: string | null }>(
    `SELECT sum(pg_total_relation_size(oid)) AS bytes FROM pg_class
      WHERE relnamespace = to_regnamespace($1) AND relkind IN ('r', 'm')`,
    [schema],
  );
  return Number(rows[0]!.bytes ?? 0);
}
