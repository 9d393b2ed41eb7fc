import type { ClientBase } from 'pg';

/** A column of a table of a read model. */
export interface LaidOutColumn {
  readonly table: string;
  readonly column: string;
  readonly type: string;
  /** Whether it is part of the primary key. */
  readonly isKey: boolean;
}

/** The columns of the tables and views of a schema, by table, in their order. The runtime's tables are left out. */
export async function layoutOf(tx: ClientBase, schema: string): Promise<LaidOutColumn[]> {
  const { rows } = await tx.query<LaidOutColumn>(
    `SELECT c.relname AS "table", a.attname AS "column", format_type(a.atttypid, a.atttypmod) AS type,
            coalesce(a.attnum = ANY (x.indkey), false) AS "isKey"
       FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid
       LEFT JOIN pg_index x ON x.indrelid = c.oid AND x.indisprimary
      WHERE c.relnamespace = to_regnamespace($1) AND c.relkind IN ('r', 'p', 'v') AND a.attnum > 0 AND NOT a.attisdropped
        AND c.relname NOT IN ('checkpoints', 'dead_letters')
      ORDER BY c.relname, a.attnum`,
    [schema],
  );
  return rows;
}

/** How the columns of the second layout differ from the first. Empty: they do not. */
export function layoutChanges(before: readonly LaidOutColumn[], after: readonly LaidOutColumn[]): string[] {
  const types = (layout: readonly LaidOutColumn[]) =>
    new Map(layout.map(({ table, column, type }) => [`${table}.${column}`, type]));
  const [former, present] = [types(before), types(after)];
  const gone = [...former.keys()].filter((name) => !present.has(name)).map((name) => `${name} goes`);
  const changed = [...present].flatMap(([name, type]) => {
    const was = former.get(name);
    if (was === undefined) return [`${name} is new`];
    return was === type ? [] : [`${name} is ${type} instead of ${was}`];
  });
  return [...gone, ...changed];
}
