import type { ClientBase } from 'pg';
import type { ReadModel } from '../read-model.ts';

/**
 * Spreads the new, empty tables of a version over the nodes of a Citus cluster, as the read model declares
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
