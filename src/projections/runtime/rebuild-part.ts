import type { ClientBase, Pool } from 'pg';
import { isCitus } from '../../database/citus.ts';
import { inTransaction } from '../../database/transaction.ts';
import { Rejection } from '../../domain/rejection.ts';
import { isOfBot } from '../../domain/streams.ts';
import type { EventLog, RecordedCommit } from '../../log/port.ts';
import { keyOf } from '../../log/stream-name.ts';
import { schemaOf } from '../read-model.ts';
import { skippedCommits } from './bad-events.ts';
import { loadCheckpoint, lockCheckpoint, type OnCommits } from './checkpoint.ts';
import { askProjectors, lettersPassed, removeLetters } from './dead-letters.ts';
import { hasDeferredWork } from './deferred-work.ts';
import { countPartRebuild } from './part-rebuilds.ts';
import type { ProjectorOptions } from './projector-options.ts';
import { loadQuarantines } from './quarantines.ts';
import { replaceRows } from './replace-rows.ts';
import { awaitDeferredWork, inScratch, replayInto } from './replay.ts';
import { findVersion, lockVersion, setSearchPath, type Version } from './versions.ts';

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

/** A replay that takes no longer has left little for the transaction that holds the projectors. */
const LITTLE_MS = 300;

/**
 * Builds the rows of some bots of the live version again, in place. Their commits are replayed into scratch tables, until little
 * is left. Then one transaction replays the rest, with the projectors of the version held, and replaces the rows. So answers have
 * all of the former rows or all of the new ones, and the rows of other bots are not touched. The result equals a whole rebuild,
 * since the rows of a bot depend only on its commits and on commits that belong to no bot ({@link ReadModel.isolatesBots}).
 * @throws Rejection the read model cannot do it, or not now; nothing is changed
 * @throws BadCommitError the log cannot be replayed
 */
export async function rebuildPart(
  options: ProjectorOptions,
  live: Pick<Version, 'version' | 'shape'>,
  part: BotsOfPart,
  onCommits: OnCommits,
): Promise<RebuiltPart> {
  const { pool, model, log } = options;
  const { version } = live;
  const schema = schemaOf(model.name, version);
  const chosen = choose(log, part);
  await refuse(options, live);
  await refuseUnapplied(pool, schema, chosen);
  const skipped = await skippedCommits(log, model.name);
  return inScratch(options, async (scratch, signal) => {
    const target = { pool, model, schema: scratch, keys: log.keys };
    const replay = async (tx: ClientBase | null): Promise<void> =>
      replayInto(target, log, {
        until: await loadCheckpoint(tx ?? pool, schema),
        wanted: chosen.wanted,
        signal,
        onCommits,
      });

    /** @returns the number of rows; null: not now */
    const replace = async (tx: ClientBase): Promise<number | null> => {
      await setSearchPath(tx, schema);
      // In one order, as every transaction that locks several of them.
      for (let partition = 0; partition < log.partitions; partition++) await lockCheckpoint(tx, schema, partition);
      if (await hasDeferredWork(tx, model, schema)) return null;
      await refuseUnapplied(tx, schema, chosen);
      await replay(tx);
      if ((await skippedCommits(log, model.name)).size > skipped.size)
        throw new Rejection('conflict', 'name', `an operator has skipped a commit of ${model.name}: run it again`);
      // The new rows have these commits.
      const letters = (await lettersPassed(tx, schema)).filter(({ stream }) => chosen.bots.has(keyOf(stream)));
      await removeLetters(tx, schema, letters);
      if ((await lockVersion(tx, model.name, version))?.state !== 'live') throw notLive(schema);
      await askProjectors(tx, model.name, version); // to pack the rows, for example
      await countPartRebuild(tx, model.name, version);
      return replaceRows(tx, model, { schema, scratch, bots: [...chosen.bots] });
    };

    for (;;) {
      await replayMost(() => replay(null)).catch(explaining(pool, { ...live, name: model.name }, chosen));
      signal.throwIfAborted();
      const rows = await inTransaction(pool, replace)
        .catch((error: unknown) => {
          // Another transaction locks other rows of the runtime in another order.
          if ((error as { code?: unknown }).code === DEADLOCK) return null;
          throw error;
        })
        .catch(explaining(pool, { ...live, name: model.name }, chosen));
      if (rows !== null) return { bots: [...chosen.bots].sort(), rows };
      await awaitDeferredWork({ ...options, signal }, version);
    }
  });
}

/** Replays until little is left, or as much comes as is replayed. */
async function replayMost(replay: () => Promise<void>): Promise<void> {
  let before = Number.POSITIVE_INFINITY;
  for (;;) {
    const begun = performance.now();
    await replay();
    const ms = performance.now() - begun;
    if (ms < LITTLE_MS || ms > before / 2) return;
    before = ms;
  }
}

interface ChosenBots {
  /** Public keys of the bots that are known so far: a replay of a partition finds them. */
  readonly bots: ReadonlySet<string>;
  /** Whether it is a bot of the part. */
  has(bot: string): boolean;
  /** Whether the rows of these bots depend on the commit. */
  wanted(commit: Pick<RecordedCommit, 'stream'>): boolean;
}

function choose(log: Pick<EventLog, 'partitionOf'>, part: BotsOfPart): ChosenBots {
  const bots = new Set('bot' in part ? [part.bot] : []);
  const has = (bot: string): boolean => ('bot' in part ? bot === part.bot : log.partitionOf(bot) === part.partition);
  return {
    bots,
    has,
    wanted({ stream }) {
      if (!isOfBot(stream)) return true;
      const bot = keyOf(stream);
      if (!has(bot)) return false;
      bots.add(bot);
      return true;
    },
  };
}

/** @throws Rejection */
async function refuse(
  { pool, model }: ProjectorOptions,
  { version, shape }: Pick<Version, 'version' | 'shape'>,
): Promise<void> {
  const conflict = (why: string): Rejection => new Rejection('conflict', 'name', `${model.name} ${why}`);
  if (model.isolatesBots !== true) throw conflict('has rows that belong to no bot: rebuild all of it');
  if (shape !== model.shape) throw conflict(`version ${version} has the tables of another release: rebuild all of it`);
  if (await isCitus(pool)) throw conflict('is on a Citus cluster, where a part cannot be replaced: rebuild all of it');
}

/**
 * Refuses bots that wait at a commit. Refuses a version that lacks a commit of no bot: rows of other bots lack it too, and a retry
 * would apply it to all of them.
 * @throws Rejection
 */
async function refuseUnapplied(db: Pool | ClientBase, schema: string, chosen: ChosenBots): Promise<void> {
  const bot = [...(await loadQuarantines(db, schema)).keys()].find((each) => chosen.has(each));
  if (bot !== undefined)
    throw new Rejection(
      'conflict',
      'bot',
      `bot ${bot} is quarantined in ${schema}: retry or skip its dead letter first`,
    );
  const shared = (await lettersPassed(db, schema)).find(({ stream }) => !isOfBot(stream));
  if (shared !== undefined)
    throw new Rejection(
      'conflict',
      'name',
      `${schema} lacks commit ${shared.commitId} of ${shared.stream}: retry or skip this dead letter first`,
    );
}

function notLive(schema: string): Rejection {
  return new Rejection(
    'conflict',
    'name',
    `${schema} is no longer the live version; nothing was changed: run it again`,
  );
}

/** Throws the Rejection that caused an error, if an operator or a projector has changed the version during the rebuild; else the error. */
function explaining(
  pool: Pool,
  { name, version }: Pick<Version, 'name' | 'version'>,
  chosen: ChosenBots,
): (error: unknown) => Promise<never> {
  return async (error) => {
    const schema = schemaOf(name, version);
    const check = async (): Promise<void> => {
      if ((await findVersion(pool, name, version))?.state !== 'live') throw notLive(schema);
      await refuseUnapplied(pool, schema, chosen);
    };
    const reason = await check().catch((each: unknown) => each);
    throw reason instanceof Rejection && !(error instanceof Rejection) ? reason : error;
  };
}
