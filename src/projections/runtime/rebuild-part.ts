import type { ClientBase } from 'pg';
import { isCitus } from '../../database/citus.ts';
import { inTransaction } from '../../database/transaction.ts';
import { Rejection } from '../../domain/rejection.ts';
import { isOfBot } from '../../domain/streams.ts';
import type { RecordedCommit } from '../../log/port.ts';
import { keyOf } from '../../log/stream-name.ts';
import { type ReadModel, schemaOf } from '../read-model.ts';
import type { Target } from './apply.ts';
import { loadCheckpoint, lockCheckpoint, type OnCommits } from './checkpoint.ts';
import { askProjectors } from './dead-letters.ts';
import { hasDeferredWork } from './deferred-work.ts';
import type { ProjectorOptions } from './projector-options.ts';
import { loadQuarantines } from './quarantines.ts';
import { awaitDeferredWork, inScratch, replayInto, replayLeaseOf } from './replay.ts';
import { layoutOf } from './table-layout.ts';
import { setSearchPath, tablesOf, type Version } from './versions.ts';

/** The bots whose rows are built again. */
export type BotsOfPart = { readonly bot: string } | { readonly partition: number };

export interface RebuiltPart {
  /** Public keys of the bots. */
  readonly bots: readonly string[];
  /** The rows of these bots, in all tables but derived ones. */
  readonly rows: number;
}

/** SQLSTATE: two transactions waited for each other, and PostgreSQL ended this one. */
const DEADLOCK = '40P01';

/**
 * Builds the rows of some bots of a version again, in place. Their commits are replayed into scratch tables. Then one
 * transaction replays the rest, with the projectors of the version held, and replaces the rows. So answers have all of the
 * former rows or all of the new ones, and the rows of other bots are not touched. The result equals a whole rebuild, since the
 * rows of a bot depend only on its commits and on commits that belong to no bot ({@link ReadModel.isolatesBots}).
 * @throws Rejection the read model cannot do it, or not now; nothing is changed
 * @throws BadCommitError the log cannot be replayed
 */
export async function rebuildPart(
  options: ProjectorOptions,
  version: Pick<Version, 'version' | 'shape' | 'state'>,
  part: BotsOfPart,
  onCommits: OnCommits,
): Promise<RebuiltPart> {
  const { pool, model, log, leases, signal } = options;
  const schema = schemaOf(model.name, version.version);
  await refuse(options, version);
  const seen = new Set<string>('bot' in part ? [part.bot] : []);
  const wanted = ({ stream }: RecordedCommit): boolean => {
    if (!isOfBot(stream)) return true;
    const bot = keyOf(stream);
    if ('bot' in part) return bot === part.bot;
    if (log.partitionOf(bot) !== part.partition) return false;
    seen.add(bot);
    return true;
  };
  const rebuilt = await leases.hold(replayLeaseOf(model.name), signal, () =>
    inScratch(pool, model, async (scratch) => {
      const target: Target = { pool, model, schema: scratch, keys: log.keys };
      const replay = async (tx: ClientBase | null): Promise<void> =>
        replayInto(target, log, { until: await loadCheckpoint(tx ?? pool, schema), wanted, signal, onCommits });
      await replay(null);
      for (;;) {
        signal.throwIfAborted();
        const rows = await inTransaction(pool, async (tx) => {
          await setSearchPath(tx, schema);
          // In one order, as two programs might lock them.
          for (let partition = 0; partition < log.partitions; partition++) await lockCheckpoint(tx, schema, partition);
          if (await hasDeferredWork(tx, model, schema)) return null;
          await refuseQuarantined(tx, schema, [...seen]);
          await replay(tx);
          await askProjectors(tx, model.name, version.version); // to pack the rows, for example
          return replaceRows(tx, model, { schema, scratch, bots: [...seen] });
        }).catch((error: unknown) => {
          // A batch of several partitions locks their checkpoints in another order.
          if ((error as { code?: unknown }).code === DEADLOCK) return null;
          throw error;
        });
        if (rows !== null) return { bots: [...seen].sort(), rows };
        await awaitDeferredWork(options, version.version);
      }
    }),
  );
  signal.throwIfAborted();
  return rebuilt!;
}

/** @throws Rejection */
async function refuse(
  { pool, model }: ProjectorOptions,
  { version, shape, state }: Pick<Version, 'version' | 'shape' | 'state'>,
): Promise<void> {
  const conflict = (why: string): Rejection => new Rejection('conflict', 'name', `${model.name} ${why}`);
  if (model.isolatesBots !== true) throw conflict('has rows that belong to no bot: rebuild all of it');
  if (state === 'building') throw conflict(`version ${version} is still being built`);
  if (shape !== model.shape) throw conflict(`version ${version} has the tables of another release: rebuild all of it`);
  if (await isCitus(pool)) throw conflict('is on a Citus cluster, where a part cannot be replaced: rebuild all of it');
}

async function refuseQuarantined(tx: ClientBase, schema: string, bots: readonly string[]): Promise<void> {
  const quarantined = await loadQuarantines(tx, schema);
  const bot = bots.find((key) => quarantined.has(key));
  if (bot !== undefined)
    throw new Rejection(
      'conflict',
      'bot',
      `bot ${bot} is quarantined in ${schema}: retry or skip its dead letter first`,
    );
}

interface Replacement {
  readonly schema: string;
  readonly scratch: string;
  readonly bots: readonly string[];
}

/** @returns the number of rows of the bots, as they are now */
async function replaceRows(tx: ClientBase, model: ReadModel, { schema, scratch, bots }: Replacement): Promise<number> {
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
