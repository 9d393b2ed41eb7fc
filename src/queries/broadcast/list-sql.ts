import { type RawBuilder, sql } from 'kysely';
import { ofBot } from '../../database/of-bot.ts';
import type { Snapshot } from '../../database/snapshot.ts';
import type { Segment } from '../../domain/broadcast/audience.ts';
import type { PlacedSource, UserSegment } from './audience-users-sql.ts';

/** Segments that are lists of chats. */
export type ListSegment = Exclude<Segment, UserSegment>;

export interface ListsSource extends Pick<PlacedSource, 'botId' | 'tables' | 'only'> {
  /** The bots of the broadcasts that the lists name, by broadcast. */
  readonly taskBots: ReadonlyMap<number, number>;
}

/** Looks up what {@link listSql} has to know about the lists. */
export async function listsSource(
  lists: readonly ListSegment[],
  { botId, tables, only }: Omit<ListsSource, 'taskBots'>,
  { query }: Snapshot,
): Promise<ListsSource> {
  const ids = lists.flatMap((list) => (list.type === 'from_task' ? [list.taskId] : []));
  const rows =
    ids.length === 0
      ? []
      : await query(sql<{ id: number; bot_id: number }>`SELECT broadcast_id::float8 AS id, bot_id
          FROM ${sql.id(tables.recipients, 'sendings')} WHERE broadcast_id = ANY (${ids}::bigint[])`);
  return { botId, tables, only, taskBots: new Map(rows.map(({ id, bot_id }) => [id, bot_id])) };
}

/** SQL of the chats of a list. */
export function listSql(segment: ListSegment, source: ListsSource): RawBuilder<unknown> {
  const { tables, only } = source;
  switch (segment.type) {
    case 'list':
    case 'channel':
      return sql`SELECT unnest(${segment.chatIds}::bigint[])`;
    case 'custom':
      return sql`SELECT chat_id FROM ${sql.id(tables.broadcasts, 'segment_chats')}
        WHERE segment_id = ${segment.segmentId}::bigint AND ${sql.raw(ofBot('bot_id', only))}`;
    case 'from_task':
      return recipientsSql(segment.taskId, source);
  }
}

function recipientsSql(taskId: number, { botId, tables, only, taskBots }: ListsSource): RawBuilder<unknown> {
  const bot = taskBots.get(taskId);
  if (bot === undefined) return sql`SELECT NULL::bigint WHERE FALSE`;
  const recipients = sql`SELECT chat_id FROM ${sql.id(tables.recipients, 'recipients')}
    WHERE broadcast_id = ${taskId}::bigint AND ${sql.raw(ofBot('bot_id', only === null ? null : bot))}`;
  if (bot === botId) return recipients;
  // Of another bot's broadcast only users of this bot count. A cluster brings the recipients to the node of the users.
  return sql`SELECT t.chat_id FROM (WITH others AS ${sql.raw(only === null ? '' : 'MATERIALIZED')} (${recipients}) TABLE others) AS t
    WHERE EXISTS (SELECT FROM ${sql.id(tables.users, 'users')} AS u
                   WHERE u.bot_id = ${botId}::int AND u.user_id = t.chat_id)`;
}
