import { sql } from 'kysely';
import pg from 'pg';
import type { Segmentations } from '../../domain/broadcast/audience.ts';
import { statement } from '../reports/statement.ts';
import { audienceSql } from './audience.ts';
import type { UsersSource } from './audience-users-sql.ts';

/** An audience took too long to count. */
export class AudienceTimeoutError extends Error {
  override readonly name = 'AudienceTimeoutError';
}

/** A chat of an audience; null: the chat is no user of the bot, or the user has none. */
export interface SampledChat {
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
  /** Public key of the bot. */
  readonly bot: string;
  /** The most chats of the sample. */
  readonly sample: number;
  readonly timeoutMs: number;
  /** Cancels the statement. */
  readonly signal: AbortSignal;
}

/** SQLSTATE of a statement that PostgreSQL stopped: at its timeout, or because it was cancelled. */
const QUERY_CANCELED = '57014';

/**
 * Counts an audience by the SQL that resolves it, and samples it.
 * @param pool connections for counts alone: those of other requests do not wait for them
 * @param others another pool, to cancel a count
 * @throws AudienceTimeoutError; the signal's reason
 */
export async function audienceSize(
  pool: pg.Pool,
  others: pg.Pool,
  segmentations: Segmentations,
  { sample, timeoutMs, signal, ...source }: AudienceQuestion,
): Promise<AudienceSize> {
  const chats = audienceSql(segmentations, { ...source, after: null });
  const { text, values } = statement(sql`WITH audience AS MATERIALIZED (${chats}),
      sampled AS (SELECT chat FROM audience ORDER BY chat LIMIT ${sample}::int)
    SELECT (SELECT count(*) FROM audience)::float8 AS count,
           (SELECT coalesce(json_agg(json_build_object('chat_id', chat, 'first_name', first_name,
                                                       'last_name', last_name, 'username', username) ORDER BY chat), '[]')
              FROM sampled LEFT JOIN ${sql.id(source.tables.users, 'users')} AS named
                ON named.bot_id = ${source.botId}::int AND named.user_id = sampled.chat) AS sample`);
  const client = await pool.connect();
  let isBroken = true;
  let cancel = (): void => {};
  try {
    signal.throwIfAborted();
    // As for the audience of a launch: see audienceChats.
    await client.query(`BEGIN READ ONLY; SET LOCAL statement_timeout = ${timeoutMs}; SET LOCAL work_mem = '64MB';
      SET LOCAL jit = off; SET LOCAL enable_nestloop = off`);
    const { rows: backends } = await client.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
    // If the cancellation fails, the statement ends at its timeout.
    cancel = () => void others.query('SELECT pg_cancel_backend($1)', [backends[0]!.pid]).catch(() => {});
    signal.addEventListener('abort', cancel, { once: true });
    const { rows } = await client.query<AudienceSize>(text, values);
    await client.query('COMMIT');
    isBroken = false;
    return rows[0]!;
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof pg.DatabaseError && error.code === QUERY_CANCELED)
      throw new AudienceTimeoutError(`counting the audience took longer than ${timeoutMs} ms`);
    throw error;
  } finally {
    signal.removeEventListener('abort', cancel);
    // A cancellation may still be on its way to the connection.
    client.release(isBroken || signal.aborted);
  }
}
