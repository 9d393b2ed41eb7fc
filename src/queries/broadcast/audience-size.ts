import { sql } from 'kysely';
import type pg from 'pg';
import { namedBot } from '../../database/of-bot.ts';
import { snapshot } from '../../database/snapshot.ts';
import type { Segmentations } from '../../domain/broadcast/audience.ts';
import { AUDIENCE_SETTINGS, audienceSql } from './audience-sql.ts';
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
  const only = await namedBot(others, source.botId);
  const options = { timeoutMs, cancel: { signal, others }, settings: AUDIENCE_SETTINGS };
  return snapshot(pool, options, async (opened) => {
    const chats = await audienceSql(segmentations, { ...source, only, after: null }, opened);
    const [counted] = await opened.query(sql<AudienceSize>`WITH audience AS MATERIALIZED (${chats}),
      sampled AS (SELECT chat FROM audience ORDER BY chat LIMIT ${sample}::int)
    SELECT (SELECT count(*) FROM audience)::float8 AS count,
           (SELECT coalesce(json_agg(json_build_object('chat_id', chat, 'first_name', first_name,
                                                       'last_name', last_name, 'username', username) ORDER BY chat), '[]')
              FROM sampled LEFT JOIN ${sql.id(source.tables.users, 'users')} AS named
                ON named.bot_id = ${source.botId}::int AND named.user_id = sampled.chat) AS sample`);
    return counted!;
  });
}
