import type { ClientBase, Pool } from 'pg';
import { isCitus } from '../../database/citus.ts';
import { inTransaction } from '../../database/transaction.ts';
import type { Position } from '../../log/port.ts';
import type { ReadModel } from '../read-model.ts';

/** The special needs of a version's tables on a Citus cluster. Elsewhere these functions do nothing. */

/**
 * Lets one transaction at a time create or drop tables. To do so Citus locks tables of other schemas, too: of
 * two transactions each would wait for the other.
 */
export async function lockTablesOfCluster(tx: ClientBase): Promise<void> {
  if (await isCitus(tx)) await tx.query(`SELECT pg_advisory_xact_lock(hashtextextended('tables of the cluster', 0))`);
}

/**
 * Spreads the new, empty tables of a version over the nodes, as the read model declares
 * (`ReadModel.placement`). Tables that are distributed by columns of one type are colocated across all read models, so that one
 * node has all rows of a bot.
 *
 * Local tables, such as the checkpoints, also become known to Citus. Only then a transaction that writes them and rows
 * on a node commits in two phases: both or neither are kept.
 */
export async function distribute(
  tx: ClientBase,
  { placement = {} }: ReadModel,
  schema: string,
  tables: readonly string[],
): Promise<void> {
  if (!(await isCitus(tx))) return;
  // All commands to a node over one connection: the others would not see the new schema before the commit.
  await tx.query(`SET LOCAL citus.multi_shard_modify_mode TO 'sequential'`);
  // Citus calls triggers unsafe since they may write to any node. Ours write to colocated shards (shard-trigger.ts).
  await tx.query('SET LOCAL citus.enable_unsafe_triggers TO on');
  for (const table of [...tables, 'checkpoints', 'dead_letters']) {
    const place = placement[table] ?? 'local';
    const name = `${schema}.${table}`;
    if (place === 'local') await tx.query('SELECT citus_add_local_table_to_metadata($1)', [name]);
    else if (place === 'reference') await tx.query('SELECT create_reference_table($1)', [name]);
    else await tx.query('SELECT create_distributed_table($1, $2)', [name, place]);
  }
}

/**
 * The last setting of a transaction that writes a version: elsewhere it does not wait for the disk, since rows and checkpoint are
 * lost together or not at all, and the projector applies lost commits again.
 *
 * On a cluster it does wait: the coordinator's commit decides for the nodes, and they would keep the rows that it
 * lost. The nodes also get the settings of the transaction (`findByKey`).
 */
export async function howToCommit(db: Pool): Promise<string> {
  return (await isCitus(db)) ? "citus.propagate_set_commands TO 'local'" : 'synchronous_commit TO off';
}

/** SQL: the number of a position of a schema, for advisory locks. */
const place = (schema: string, position: string) =>
  `hashtextextended(${schema}::text || ' at ' || ${position}::text, 0)`;

/** Makes {@link settle} wait for the end of this transaction on the nodes. @param positions that it moves checkpoints to */
export async function holdPositions(tx: ClientBase, schema: string, positions: readonly Position[]): Promise<void> {
  if (await isCitus(tx))
    for (const to of positions) await tx.query(`SELECT pg_advisory_xact_lock(${place('$1', '$2')})`, [schema, to]);
}

/**
 * Waits until the nodes show the rows of the schemas' checkpoints. The coordinator shows a commit some
 * milliseconds before the nodes do, and releases the locks of the transaction after that.
 */
export async function settle(db: Pool | ClientBase, schemas: readonly string[]): Promise<void> {
  if (!(await isCitus(db))) return;
  const all = schemas.map((schema) => `SELECT '${schema}' AS schema, position FROM ${schema}.checkpoints`);
  await db.query(
    `SELECT pg_advisory_xact_lock_shared(${place('schema', 'position')}) FROM (${all.join(' UNION ALL ')}) AS c`,
  );
}

/**
 * Takes one snapshot of all nodes for the transaction: while no transaction writes the version, it reads
 * from each node, over the one connection that the transaction then keeps to it. Writers wait for these milliseconds.
 */
export async function takeClusterSnapshot(
  pool: Pool,
  tx: ClientBase,
  { placement = {} }: ReadModel,
  { schema, tables }: { readonly schema: string; readonly tables: readonly string[] },
): Promise<void> {
  if (!(await isCitus(pool))) return;
  const isSpread = (table: string) => placement[table] === 'bot_id' || placement[table] === 'public_key';
  const spread = tables.find(isSpread);
  const others = tables.filter((table) => !isSpread(table));
  await inTransaction(pool, async (writers) => {
    // Each transaction that writes the version writes one of these, and its locks end after its commit on the nodes. One at a
    // time, in the order in which writers take them, else each would wait for the other.
    for (const table of ['checkpoints', ...others]) await writers.query(`LOCK TABLE ${schema}.${table} IN SHARE MODE`);
    await tx.query('SET LOCAL citus.max_adaptive_executor_pool_size TO 1');
    await tx.query(`SELECT FROM ${schema}.checkpoints`);
    await settle(tx, [schema]);
    if (spread !== undefined) await tx.query(`SELECT count(*) FROM ${schema}.${spread}`);
  });
}

/** Lets a transaction that writes rows of a bot, and no checkpoint, commit in two phases ({@link distribute}). */
export async function writeKnownTable(tx: ClientBase, schema: string, partition: number): Promise<void> {
  if (await isCitus(tx))
    await tx.query(`UPDATE ${schema}.checkpoints SET position = position WHERE lane = $1`, [partition]);
}
