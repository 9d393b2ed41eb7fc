import type { ClientBase } from 'pg';
import type { ReadModel } from '../read-model.ts';
import { layoutOf } from './table-layout.ts';
import { tablesOf } from './versions.ts';

interface Replacement {
  /** Of the version. */
  readonly schema: string;
  /** Has the new rows. */
  readonly scratch: string;
  /** Public keys. */
  readonly bots: readonly string[];
}

/**
 * Replaces the rows of bots in a version. Needs the search path on its schema.
 * @returns the number of rows of the bots, as they are now
 */
export async function replaceRows(
  tx: ClientBase,
  model: ReadModel,
  { schema, scratch, bots }: Replacement,
): Promise<number> {
  const layout = await layoutOf(tx, schema);
  const has = (name: string, key: string): boolean =>
    layout.some(({ table, column }) => table === name && column === key);
  const ids = has('bots', 'bot_id') ? await idsOf(tx, { schema, scratch, bots }) : [];
  await model.forget?.(tx, ids);
  let rows = 0;
  for (const table of await tablesOf(tx, schema)) {
    const key = ['public_key', 'bot_id'].find((column) => has(table, column));
    // Rows without a bot are as they were: commits that belong to no bot write them.
    if (key === undefined || model.derived?.includes(table)) continue;
    const chosen = key === 'bot_id' ? ids : bots;
    // Numbers that PostgreSQL gives are only of deferred work, and there is none now.
    await tx.query(`DELETE FROM ${schema}.${table} WHERE ${key} = ANY ($1)`, [chosen]);
    const { rowCount } = await tx.query(
      `INSERT INTO ${schema}.${table} OVERRIDING USER VALUE SELECT * FROM ${scratch}.${table} WHERE ${key} = ANY ($1)`,
      [chosen],
    );
    rows += rowCount ?? 0;
  }
  return rows;
}

/** Ids of the bots: also of a bot that is missing in the version. */
async function idsOf(tx: ClientBase, { schema, scratch, bots }: Replacement): Promise<number[]> {
  const of = (from: string): string => `SELECT bot_id FROM ${from}.bots WHERE public_key = ANY ($1)`;
  const { rows } = await tx.query<{ bot_id: number }>(`${of(schema)} UNION ${of(scratch)}`, [bots]);
  return rows.map(({ bot_id }) => bot_id);
}
