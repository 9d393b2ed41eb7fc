import type pg from 'pg';
import { migrate } from '../../database/migrate.ts';
import { createPool, type PoolOptions } from '../../database/pool.ts';
import { inTime } from '../../util/in-time.ts';
import { pause } from '../../util/pause.ts';
import { decodeCommit, verifyChain } from '../commit-codec.ts';
import {
  type Batch,
  BrokenChainError,
  COMMAND_MEMORY_MS,
  type Cursor,
  EMPTY_STREAM,
  type EventLog,
  type Lag,
  LogUnavailableError,
  type RecordedCommit,
  type StreamHead,
  type StreamSlice,
  type SubscribeOptions,
} from '../port.ts';
import { Appender } from './appender.ts';
import { openGrowthNotifier } from './growth-notifier.ts';
import { postgresKeyring } from './keyring.ts';
import { migrations, SCHEMA } from './migrations.ts';
import { orderKeyOf, positionOf } from './position.ts';
import { readPage } from './reader.ts';
import { indexedStreamHeads, readStoredRecords } from './stored-records.ts';

export interface PostgresLogOptions {
  readonly connectionString: string;
  /** Categories of *any* streams. A reader of other categories reads by the index of exact streams. */
  readonly anyCategories: readonly string[];
  /** The longest wait of an append, in milliseconds. Default 5,000. */
  readonly maxWaitMs?: number;
  readonly maxQueuedBytes?: number;
  /** Called with errors after which the log recovers by itself (a lost connection), for the operator's log. */
  readonly onError?: (error: Error) => void;
  /** Called with the number of commits of each group of appends that is sent at once. */
  readonly onGroup?: ((commits: number) => void) | undefined;
}

/** The most bytes of commits in one batch of a subscription. */
const MAX_BATCH_BYTES = 4 << 20;
/** The notifier wakes readers, also after a lost notification. A reader that nothing wakes queries by itself after this time. */
const LAST_RESORT_MS = 600_000;
const FORGET_EVERY_MS = 60 * 60 * 1000;
/** The pause of a reader of exact streams after it was woken: intake may wake readers a hundred times a second. */
const EXACT_ONLY_MS = 40;
/**
 * All statements of readers go by keys, so one plan fits every value. By itself PostgreSQL would plan a page each time, for
 * 0.4 ms: it expects less work after a late position than after an unknown one.
 */
const PLAN_ONCE = 'SET plan_cache_mode TO force_generic_plan';
/** How soon a reader queries again while an open transaction holds the horizon back. */
const BLOCKED_MS = 5;

/** Opens the log in the schema `log` of a database, creating or migrating it first. */
export async function openPostgresLog(options: PostgresLogOptions): Promise<EventLog> {
  const onError = options.onError ?? (() => {});
  const maxWaitMs = options.maxWaitMs ?? 5000;
  const { connectionString } = options;
  const poolOf = (max: number, name: string, more: Pick<PoolOptions, 'answerWithinMs' | 'settings'>): pg.Pool =>
    createPool({ connectionString, max, name, maxWaitMs, onError, ...more });
  const answered = <T>(query: Promise<T>): Promise<T> =>
    inTime(query, maxWaitMs, () => new LogUnavailableError('the log did not answer in time'));
  const readers = poolOf(6, 'log readers', { settings: PLAN_ONCE });
  try {
    await migrate(readers, SCHEMA, migrations);
    await refuseForeignLog(readers);
  } catch (error) {
    await readers.end();
    throw error;
  }
  const forgetting = setInterval(() => void forgetCommands(readers).catch(onError), FORGET_EVERY_MS);
  // Twice the wait, since the appender may send a statement again. No caller waits longer for its answer.
  const writers = poolOf(1, 'log writer', { answerWithinMs: 2 * maxWaitMs });
  const notifier = openGrowthNotifier({ connectionString, pool: readers, onError });
  const appender = new Appender({
    pool: writers,
    maxWaitMs,
    maxQueuedBytes: options.maxQueuedBytes ?? 32 << 20,
    onAppended: notifier.notify,
    onGroup: options.onGroup,
  });
  const anyCategories = new Set(options.anyCategories);
  const findCommand = commandFinder(readers);

  return {
    engine: 'postgres',
    partitions: 1,
    partitionOf: () => 0,
    keys: postgresKeyring({ pool: readers, maxWaitMs }),
    append: (commit, options) => appender.append(commit, options?.deadline),

    findCommand: (_stream, id, at) => answered(findCommand(id, at)),

    async read(stream, from = EMPTY_STREAM, atMost = Number.MAX_SAFE_INTEGER): Promise<StreamSlice> {
      const { rows } = await answered(
        readers.query<{ txid: string; seq: string; body: string | null; rev: number; hash: string }>({
          name: 'log_stream',
          text: `SELECT c.txid::text, c.seq::text, c.body, s.revision AS rev, s.hash
                 FROM log.streams AS s
                 LEFT JOIN log.commits AS c ON c.stream = s.stream AND c.revision > $2 AND c.revision <= $2 + $3::bigint
                 WHERE s.stream = $1 ORDER BY c.revision`,
          values: [stream, from.revision, atMost],
        }),
      );
      if (rows.length === 0) return { head: from, commits: [] };
      const commits = rows.flatMap(({ txid, seq, body }) =>
        body === null ? [] : [decodeCommit(body, positionOf({ txid, seq }), Number(seq))],
      );
      const head = verifyChain(stream, from, commits);
      if (commits.length < atMost) checkHead(stream, head, { revision: rows[0]!.rev, hash: rows[0]!.hash });
      return { head, commits };
    },

    async streamHeads(streams) {
      const { rows } = await answered(
        readers.query<{ stream: string } & StreamHead>({
          name: 'log_ends',
          text: 'SELECT stream, revision, hash FROM log.streams WHERE stream = ANY ($1)',
          values: [streams],
        }),
      );
      return new Map(rows.map(({ stream, ...head }) => [stream, head]));
    },

    async *subscribe({
      categories,
      without = [],
      after,
      maxCommits = 1000,
      signal,
    }: SubscribeOptions): AsyncGenerator<Batch> {
      const exactOnly = !categories.some((category) => anyCategories.has(category));
      let position = after.get(0);
      while (!signal.aborted) {
        const grown = notifier.next();
        const page = await readPage(readers, {
          after: position,
          categories,
          without,
          exactOnly,
          maxCommits,
          maxBytes: MAX_BATCH_BYTES,
        });
        if (page.batch !== null) {
          position = page.batch.last;
          yield page.batch;
        } else if (page.blocked) await pause(BLOCKED_MS, signal);
        else {
          await pause(LAST_RESORT_MS, signal, grown);
          if (exactOnly) await pause(EXACT_ONLY_MS, signal);
        }
      }
    },

    grown: () => notifier.next(),

    async endCursor(): Promise<Cursor> {
      const { rows } = await readers.query<{ txid: string; seq: string }>({
        name: 'log_head',
        text: 'SELECT txid::text, seq::text FROM log.commits ORDER BY commits.txid DESC, commits.seq DESC LIMIT 1',
      });
      return new Map(rows.map((row) => [0, positionOf(row)]));
    },

    async lag(after): Promise<Lag> {
      const { txid, seq } = orderKeyOf(after.get(0));
      const { rows } = await readers.query<{ commits: string; seconds: number }>({
        name: 'log_lag',
        // Sequence numbers may have gaps, so the count is an upper bound; counting rows would read them all.
        text: `SELECT (SELECT coalesce(max(seq), 0) FROM
                        (SELECT seq FROM log.commits ORDER BY txid DESC, seq DESC LIMIT 1) AS last) - $2::bigint AS commits,
                 extract(epoch FROM clock_timestamp()) - (body::json->>'at')::float8 / 1000 AS seconds
               FROM log.commits WHERE (txid, seq) > ($1::xid8, $2::bigint) ORDER BY txid, seq LIMIT 1`,
        values: [txid, seq],
      });
      const row = rows[0];
      if (row === undefined) return { commits: 0, seconds: 0 };
      return { commits: Math.max(1, Number(row.commits)), seconds: Math.max(0, Number(row.seconds)) };
    },

    storedRecords: (signal) => readStoredRecords(readers, signal),
    indexedStreamHeads: () => indexedStreamHeads(readers),

    async ping() {
      await answered(readers.query('SELECT 1'));
    },

    async close() {
      clearInterval(forgetting);
      await appender.close();
      await notifier.close();
      await Promise.all([writers.end(), readers.end()]);
    },
  };
}

/** @throws BrokenChainError the last commit of a stream is not its head in the table of stream heads */
function checkHead(stream: string, last: StreamHead, head: StreamHead): void {
  if (last.revision !== head.revision || last.hash !== head.hash)
    throw new BrokenChainError(stream, head.revision, `the stream ends at revision ${last.revision} instead`);
}

/**
 * Refuses a log of another PostgreSQL cluster. Readers read by transaction ids, and each cluster counts its own. The ids of a
 * log that was moved to another cluster may lie ahead of that cluster's, and readers would never reach those commits.
 * @throws Error
 */
async function refuseForeignLog(db: pg.Pool): Promise<void> {
  const { rows } = await db.query<{ ahead: boolean }>(
    `SELECT txid >= pg_snapshot_xmax(pg_current_snapshot()) AS ahead FROM log.commits ORDER BY txid DESC LIMIT 1`,
  );
  if (rows[0]?.ahead)
    throw new Error('the log comes from another PostgreSQL cluster: its transaction ids lie ahead of this one’s');
}

/** Deletes old command ids of *any* streams. Keeps them for twice COMMAND_MEMORY_MS, since writers' clocks differ. */
async function forgetCommands(db: pg.Pool): Promise<void> {
  await db.query(
    'DELETE FROM log.commands WHERE NOT exact AND at < extract(epoch FROM clock_timestamp()) * 1000 - $1',
    [2 * COMMAND_MEMORY_MS],
  );
}

/** The commits found, by the number of the look-up in its group, from 1 on. */
type Found = ReadonlyMap<number, RecordedCommit>;

/** Look-ups that will share one query. */
interface LookUpGroup {
  readonly ids: string[];
  /** By id: the time after which commits of *any* streams count. */
  readonly since: number[];
  readonly found: Promise<Found>;
}

/** Finds the commits of commands, for requests that name one. Look-ups that arrive together share one query. */
function commandFinder(readers: pg.Pool): (id: string, at: number) => Promise<RecordedCommit | null> {
  let group: LookUpGroup | null = null;

  async function query(ids: readonly string[], since: readonly number[]): Promise<Found> {
    await new Promise((resolve) => setImmediate(resolve));
    group = null;
    const { rows } = await readers.query<{ n: number; txid: string; seq: string; body: string }>({
      name: 'log_commands',
      // The limit makes the plan one look-up for each id. A join might be planned over the whole log.
      text: `SELECT asked.n::integer, held.txid::text, held.seq::text, held.body
             FROM unnest($1::uuid[], $2::bigint[]) WITH ORDINALITY AS asked(id, since, n) CROSS JOIN LATERAL (
               SELECT c.txid, c.seq, c.body FROM log.commands AS k JOIN log.commits AS c ON c.id = k.commit_id
               WHERE k.id = asked.id AND (k.exact OR k.at > asked.since) LIMIT 1
             ) AS held`,
      values: [ids, since],
    });
    return new Map(rows.map((row) => [row.n, decodeCommit(row.body, positionOf(row), Number(row.seq))]));
  }

  return async (id, at) => {
    if (group === null) {
      const [ids, since]: [string[], number[]] = [[], []];
      group = { ids, since, found: query(ids, since) };
    }
    const n = group.ids.push(id);
    group.since.push(at - COMMAND_MEMORY_MS);
    return (await group.found).get(n) ?? null;
  };
}
