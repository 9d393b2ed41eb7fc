import type { Pool, QueryResultRow } from 'pg';

/** The tables of the catalog: a pool, and the schema of the read model's version. */
export interface CatalogSource {
  readonly pool: Pool;
  readonly schema: string;
}

/** Runs a statement that is prepared once per connection. Its text may contain the schema, never a caller's input. */
export async function rowsOf<Row extends QueryResultRow>(
  { pool, schema }: CatalogSource,
  name: string,
  text: string,
  values: readonly unknown[] = [],
): Promise<Row[]> {
  const { rows } = await pool.query<Row>({ name: `${schema}.${name}`, text, values: [...values] });
  return rows;
}
