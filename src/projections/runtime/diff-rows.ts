import type { ClientBase } from 'pg';
import type { ReadModel } from '../read-model.ts';
import { type LaidOutColumn, layoutOf } from './table-layout.ts';

/** A row that only one version has, or that differs. Values are texts as PostgreSQL writes them. */
export interface SampleRow {
  readonly kind: 'only_from' | 'only_to' | 'changed';
  /** The columns of the primary key. */
  readonly key: Readonly<Record<string, string | null>>;
  /** The other columns, of a changed row only the changed ones; null: the version has no such row. */
  readonly before: Readonly<Record<string, string | null>> | null;
  readonly after: Readonly<Record<string, string | null>> | null;
  /** The whole row, of the second version if it has the row. */
  readonly row: Readonly<Record<string, string | null>>;
}

/** How the rows of a table differ between two versions. */
export interface TableDiff {
  readonly table: string;
  readonly rows_from: number;
  readonly rows_to: number;
  readonly only_from: number;
  readonly only_to: number;
  readonly changed: number;
  /** Of the changed rows: how many differ in each column. */
  readonly columns: readonly { readonly column: string; readonly rows: number }[];
  /** The first rows of each kind, by key. */
  readonly samples: readonly SampleRow[];
}

/** A table that is not compared, and why. */
export interface UncomparedTable {
  readonly table: string;
  readonly reason: string;
}

export interface DiffRowsOptions {
  readonly model: Pick<ReadModel, 'derived' | 'whole'>;
  /** The schemas of the two versions. */
  readonly from: string;
  readonly to: string;
  /** At most so many sample rows of each kind in a table. */
  readonly samples: number;
  /** Called before each table, with the number of all tables. */
  readonly onTable: (done: number, total: number) => void;
}

/**
 * Compares the rows of all tables of two versions, in the snapshot of the transaction. PostgreSQL first sums hashes over
 * {@link BUCKETS} groups of keys, and then joins only the groups that differ. It spills to disk what exceeds its work_mem; this OS
 * process holds the sums and the samples.
 */
export async function diffRows(
  tx: ClientBase,
  { model, from, to, samples, onTable }: DiffRowsOptions,
): Promise<{ readonly tables: TableDiff[]; readonly uncompared: UncomparedTable[] }> {
  const pairs = pairsOf(await tablesIn(tx, from, model), await tablesIn(tx, to, model));
  const tables: TableDiff[] = [];
  const uncompared: UncomparedTable[] = [];
  for (const [done, pair] of pairs.entries()) {
    onTable(done, pairs.length);
    if ('reason' in pair) uncompared.push(pair);
    else {
      const source = (schema: string): string => model.whole?.[pair.table]?.(schema) ?? `${schema}.${pair.table}`;
      tables.push(await diffTable(tx, pair, { from: source(from), to: source(to), samples }));
    }
  }
  return { tables, uncompared };
}

/** The columns of each table by name. Views and derived tables are left out. */
async function tablesIn(
  tx: ClientBase,
  schema: string,
  { derived = [] }: Pick<ReadModel, 'derived'>,
): Promise<Map<string, LaidOutColumn[]>> {
  const { rows } = await tx.query<{ name: string }>(
    'SELECT tablename AS name FROM pg_tables WHERE schemaname = $1 ORDER BY tablename',
    [schema],
  );
  const layout = await layoutOf(tx, schema);
  const isCompared = (name: string): boolean => !derived.includes(name) && !RUNTIME_TABLES.includes(name);
  const names = rows.map(({ name }) => name).filter(isCompared);
  return new Map(names.map((name) => [name, layout.filter(({ table }) => table === name)]));
}

/** The runtime's tables. */
const RUNTIME_TABLES: readonly string[] = ['checkpoints', 'dead_letters'];

/** A table of both versions. */
interface TablePair {
  readonly table: string;
  readonly key: readonly string[];
  /** The columns of both, those of the key included. */
  readonly columns: readonly string[];
}

function pairsOf(
  from: ReadonlyMap<string, readonly LaidOutColumn[]>,
  to: ReadonlyMap<string, readonly LaidOutColumn[]>,
): (TablePair | UncomparedTable)[] {
  return [...new Set([...from.keys(), ...to.keys()])].sort().map((table) => {
    const [before, after] = [from.get(table), to.get(table)];
    if (before === undefined) return { table, reason: 'is new' };
    if (after === undefined) return { table, reason: 'goes' };
    const keyOf = (columns: readonly LaidOutColumn[]) =>
      columns.filter(({ isKey }) => isKey).map(({ column }) => column);
    const key = keyOf(after);
    if (key.length === 0) return { table, reason: 'has no primary key' };
    if (keyOf(before).join() !== key.join()) return { table, reason: 'has another primary key' };
    const columns = after.filter(({ column }) => before.some((each) => each.column === column));
    return { table, key, columns: columns.map(({ column }) => column) };
  });
}

/** Groups of keys. Of a table with 10 million rows, one group has 2,500. */
const BUCKETS = 4096;

interface Bucket {
  readonly bucket: number;
  readonly rows: number;
  /** Sum of the hashes of all rows, so that their order does not matter. */
  readonly checksum: string;
}

interface TableSources {
  /** FROM items. */
  readonly from: string;
  readonly to: string;
  readonly samples: number;
}

async function diffTable(
  tx: ClientBase,
  { table, key, columns }: TablePair,
  { from, to, samples }: TableSources,
): Promise<TableDiff> {
  const [own, other] = [await bucketsOf(tx, from, { key, columns }), await bucketsOf(tx, to, { key, columns })];
  const count = (buckets: ReadonlyMap<number, Bucket>) =>
    [...buckets.values()].reduce((sum, { rows }) => sum + rows, 0);
  const rows = { table, rows_from: count(own), rows_to: count(other) };
  const differing = [...new Set([...own.keys(), ...other.keys()])].filter((bucket) => {
    const [one, two] = [own.get(bucket), other.get(bucket)];
    return one?.rows !== two?.rows || one?.checksum !== two?.checksum;
  });
  if (differing.length === 0) return { ...rows, only_from: 0, only_to: 0, changed: 0, columns: [], samples: [] };
  const joined = joinedRows({ table, key, columns }, { from, to, samples });
  const { rows: found } = await tx.query<JoinedRows>(joined, [differing]);
  const { only_from, only_to, changed, counts, sampled } = found[0]!;
  return {
    ...rows,
    only_from,
    only_to,
    changed,
    columns: columns.flatMap((column, i) => (counts[i]! > 0 ? [{ column, rows: counts[i]! }] : [])),
    samples: sampled.map((sample) => sampleOf(sample, key, columns)),
  };
}

const list = (columns: readonly string[], suffix = ''): string =>
  columns.map((column) => `"${column}"${suffix}`).join(', ');
const keyText = (key: readonly string[]): string => `ROW(${list(key)})::text`;
const bucketOf = (key: readonly string[]): string => `(hashtextextended(${keyText(key)}, 0) & ${BUCKETS - 1})::int`;

async function bucketsOf(
  tx: ClientBase,
  source: string,
  { key, columns }: Pick<TablePair, 'key' | 'columns'>,
): Promise<Map<number, Bucket>> {
  const { rows } = await tx.query<Bucket>(
    `SELECT ${bucketOf(key)} AS bucket, count(*)::float8 AS rows,
            sum(hashtextextended(ROW(${list(columns)})::text, 0)::numeric)::text AS checksum
       FROM ${source} AS t GROUP BY 1`,
  );
  return new Map(rows.map((row) => [row.bucket, row]));
}

interface Sampled {
  readonly kind: SampleRow['kind'];
  readonly a: readonly (string | null)[] | null;
  readonly b: readonly (string | null)[] | null;
}

interface JoinedRows {
  readonly only_from: number;
  readonly only_to: number;
  readonly changed: number;
  /** Of the changed rows, by column. */
  readonly counts: readonly number[];
  readonly sampled: readonly Sampled[];
}

/** SQL that joins the rows of the buckets $1 by key, counts those that differ, and takes samples. */
function joinedRows({ key, columns }: TablePair, { from, to, samples }: TableSources): string {
  const side = (source: string): string =>
    `(SELECT ${keyText(key)} AS k, ARRAY[${list(columns, '::text')}] AS v FROM ${source} AS t
       WHERE ${bucketOf(key)} = ANY ($1::int[]))`;
  const kinds: readonly SampleRow['kind'][] = ['only_from', 'only_to', 'changed'];
  const sample = (kind: string): string =>
    `(SELECT kind, a, b FROM d WHERE kind = '${kind}' ORDER BY k COLLATE "C" LIMIT ${samples})`;
  const differs = columns.map(
    (_, i) => `count(*) FILTER (WHERE kind = 'changed' AND a[${i + 1}] IS DISTINCT FROM b[${i + 1}])::float8`,
  );
  return `
    WITH d AS MATERIALIZED (
      SELECT CASE WHEN b.k IS NULL THEN 'only_from' WHEN a.k IS NULL THEN 'only_to' ELSE 'changed' END AS kind,
             coalesce(a.k, b.k) AS k, a.v AS a, b.v AS b
        FROM ${side(from)} AS a FULL JOIN ${side(to)} AS b ON a.k = b.k
       WHERE a.k IS NULL OR b.k IS NULL OR a.v IS DISTINCT FROM b.v)
    SELECT ${kinds.map((kind) => `count(*) FILTER (WHERE kind = '${kind}')::float8 AS ${kind}`).join(', ')},
           ARRAY[${differs.join(', ')}] AS counts,
           (SELECT coalesce(json_agg(s), '[]') FROM (${kinds.map(sample).join(' UNION ALL ')}) AS s) AS sampled
      FROM d`;
}

function sampleOf({ kind, a, b }: Sampled, key: readonly string[], columns: readonly string[]): SampleRow {
  const row = (values: readonly (string | null)[], isShown: (column: string, i: number) => boolean) =>
    Object.fromEntries(columns.flatMap((column, i) => (isShown(column, i) ? [[column, cut(values[i] ?? null)]] : [])));
  const shown = (column: string, i: number): boolean =>
    !key.includes(column) && (a === null || b === null || a[i] !== b[i]);
  const known = b ?? a ?? [];
  return {
    kind,
    key: row(known, (column) => key.includes(column)),
    before: a === null ? null : row(a, shown),
    after: b === null ? null : row(b, shown),
    row: row(known, () => true),
  };
}

/** A sample holds at most so many characters of a value. */
const MAX_VALUE = 1000;

function cut(value: string | null): string | null {
  return value === null || value.length <= MAX_VALUE ? value : `${value.slice(0, MAX_VALUE)}…`;
}
