import type { ClientBase, Pool, QueryResultRow } from 'pg';

/** By the name of each read model, the schema of one of its versions. */
export type Schemas<Name extends string> = { readonly [N in Name]: string };

/** The tables of read models: a pool, and the schemas. */
export type Tables<Name extends string> = { readonly pool: Pool } & Schemas<Name>;

/** The tables of read models, for single statements: on a pool, or on the connection of a transaction. */
export type ReadTables<Name extends string> = { readonly pool: Pool | ClientBase } & Schemas<Name>;

/**
 * Runs a statement that is prepared once per connection. Its text may contain the schema, never a caller's input.
 * @param name unique per schema, so it begins with the schema
 */
export async function preparedRows<Row extends QueryResultRow>(
  pool: Pool | ClientBase,
  name: string,
  text: string,
  values: readonly unknown[] = [],
): Promise<Row[]> {
  const { rows } = await pool.query<Row>({ name, text, values: [...values] });
  return rows;
}
