import { sql } from 'kysely';
import type pg from 'pg';
import { cancellable } from '../../database/cancellable.ts';
import { isCitus } from '../../database/citus.ts';
import { StatementTimeoutError } from '../../database/database-errors.ts';
import type { Segmentations } from '../../domain/broadcast/audience.ts';
import { snapshotOf } from '../reports/snapshot.ts';
import { statement } from '../reports/statement.ts';
import { audienceSql } from './audience-sql.ts';
import type { UsersSource } from './audience-users-sql.ts';

/** A chat of an audience; null: the chat is no user of the bot, or the user has none. */
interface SampledChat {
  readonly chat_id: number;
  readonly first_name: string | null;
  readonly last_name: string | null;
  readonly username: string | null;
}

export interface AudienceSize {
  readonly count: number;
  /** By chat id. */
  readonly sample: readonly SampledChat[];
}

export interface AudienceQuestion extends UsersSource {
  /** The most chats of the sample. */
  readonly sample: number;
  readonly timeoutMs: number;
  /** Cancels the statement. */
  readonly signal: AbortSignal;
}

/**
 * Counts an audience by the SQL that resolves it, and samples it.
 * @param pool connections only for counts: other requests do not wait for them
 * @param others another pool, to cancel a count
 * @throws StatementTimeoutError it took too long; the signal's reason
 */
export async function audienceSize(
  pool: pg.Pool,
  others: pg.Pool,
  segmentations: Segmentations,
  { sample, timeoutMs, signal, ...source }: AudienceQuestion,
): Promise<AudienceSize> {
  // As for the audience of a launch: see audienceChats.
  const settings =
    'SET TRANSACTION ISOLATION LEVEL REPEATABLE READ; ' +
    "SET LOCAL work_mem = '64MB'; SET LOCAL jit = off; SET LOCAL enable_nestloop = off";
  const isCluster = await isCitus(others);
  const deadline = performance.now() + timeoutMs;
  const counted = await cancellable(pool, { others, timeoutMs, signal, settings }, async (client) => {
    const snapshot = snapshotOf(client, () => {
      signal.throwIfAborted();
      if (performance.now() > deadline) throw new StatementTimeoutError(`it took longer than ${timeoutMs} ms`);
    });
    const chats = await audienceSql(segmentations, { ...source, isCluster, after: null }, snapshot);
    const { text, values } = statement(sql`WITH audience AS MATERIALIZED (${chats}),
      sampled AS (SELECT chat FROM audience ORDER BY chat LIMIT ${sample}::int)
    SELECT (SELECT count(*) FROM audience)::float8 AS count,
           (SELECT coalesce(json_agg(json_build_object('chat_id', chat, 'first_name', first_name,
                                                       'last_name', last_name, 'username', username) ORDER BY chat), '[]')
              FROM sampled LEFT JOIN ${sql.id(source.tables.users, 'users')} AS named
                ON named.bot_id = ${source.botId}::int AND named.user_id = sampled.chat) AS sample`);
    return client.query<AudienceSize>(text, values);
  });
  return counted.rows[0]!;
}
