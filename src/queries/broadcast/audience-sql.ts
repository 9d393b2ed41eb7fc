import { type RawBuilder, sql } from 'kysely';
import type pg from 'pg';
import { namedBot, ofBot } from '../../database/of-bot.ts';
import { MANY_ROWS, type Snapshot, type SnapshotOptions, snapshotPages } from '../../database/snapshot.ts';
import type { Segment, Segmentations } from '../../domain/broadcast/audience.ts';
import { readBigint } from '../../util/read-bigint.ts';
import { type PlacedSource, performedIn, type UserSegment, type UsersSource, usersSql } from './audience-users-sql.ts';
import { performedUsers } from './performed-users.ts';

/** Chats of one chunk. Each chunk becomes one event of the frozen audience. Only one chunk is in memory at a time. */
const CHUNK_CHATS = 10_000;

/** If many users are new, the planner expects few users, and would search all events for each user. */
export const AUDIENCE_SETTINGS = `${MANY_ROWS}; SET LOCAL enable_nestloop = off`;

/**
 * Reads the chats of an audience from one snapshot of the read models: ascending, each once, in chunks. A cursor keeps
 * most chats out of memory.
 * @param signal ends it with the signal's reason, also during a statement: the first may take seconds
 */
export async function* audienceChats(
  pool: pg.Pool,
  segmentations: Segmentations,
  source: AudienceSource,
  signal?: AbortSignal,
): AsyncGenerator<readonly number[]> {
  const only = await namedBot(pool, source.botId);
  const options: SnapshotOptions = {
    // The cursor reads all rows, so do not choose a plan that is fast only for the first rows.
    settings: `${AUDIENCE_SETTINGS}; SET LOCAL cursor_tuple_fraction = 1`,
    ...(signal !== undefined && { cancel: { signal, others: pool } }),
  };
  yield* snapshotPages(pool, options, async function* (snapshot) {
    const chats = await audienceSql(segmentations, { ...source, only }, snapshot);
    await snapshot.query(sql<never>`DECLARE audience NO SCROLL CURSOR FOR ${inChunks(chats)}`);
    for (;;) {
      snapshot.checkTime();
      const [row] = await snapshot.query(sql<{ readonly chats: Buffer }>`FETCH 1 FROM audience`);
      if (row === undefined) break;
      const { chats } = row;
      yield Array.from({ length: chats.length / CHAT_BYTES }, (_, index) => readBigint(chats, CHAT_BYTES * index));
    }
  });
}

/** Returns each chunk as one row of bytes: a million chats take 0.6 s. One row for each chat took five times as long. */
function inChunks(chats: RawBuilder<{ chat: string }>): RawBuilder<{ chats: Buffer }> {
  return sql`SELECT string_agg(int8send(chat), ''::bytea ORDER BY chat) AS chats
    FROM (SELECT chat, (row_number() OVER (ORDER BY chat) - 1) / ${CHUNK_CHATS}::int AS chunk
            FROM (${chats}) AS audience) AS numbered
   GROUP BY chunk ORDER BY chunk`;
}

const CHAT_BYTES = 8;

export interface AudienceSource extends UsersSource {
  /** Only chats above this id; null: all chats. */
  readonly after: number | null;
}

/**
 * SQL of the chats of an audience, ascending, each once: all included chats without the excluded ones. It reads the users
 * of the bot once, with a column for inclusion and one for exclusion, and joins the lists to them.
 * @param snapshot the transaction that will run the SQL. This function reads the users of conditions on events in it, and
 * writes them into the SQL
 */
export async function audienceSql(
  segmentations: Segmentations,
  source: AudienceSource & PlacedSource,
  snapshot: Snapshot,
): Promise<RawBuilder<{ chat: string }>> {
  const { include, exclude } = segmentations;
  // If a segment includes all users, ignore the other segments of `include` (interface.md).
  const included = include.find(({ type }) => type === 'all');
  const [of, without] = [split(included === undefined ? include : [included]), split(exclude)];
  const performed = await performedUsers(performedIn([...of.users, ...without.users]), source, snapshot);
  const users =
    of.users.length + without.users.length === 0 ? [] : [usersSql(of.users, without.users, source, performed)];
  const lists = await listsSource([...of.lists, ...without.lists], source, snapshot);
  const after = source.after === null ? sql`TRUE` : sql`chat > ${source.after}::bigint`;
  const kept = sql`${after} AND ${notErased(source)}`;
  // Users are unique already. Only lists of included chats may repeat a chat and need a GROUP BY.
  if (of.lists.length === 0 && users.length === 1) {
    const isInNone = without.lists.map(
      (list) =>
        sql`AND NOT EXISTS (SELECT FROM (${listSql(list, lists)}) AS list (chat) WHERE list.chat = marked.chat)`,
    );
    return sql`SELECT chat FROM (${users[0]}) AS marked
      WHERE ${kept} AND included AND NOT excluded ${sql.join(isInNone, sql` `)} ORDER BY chat`;
  }
  const marked = [
    ...users,
    ...of.lists.map((list) => markedSql(list, lists, true)),
    ...without.lists.map((list) => markedSql(list, lists, false)),
  ];
  if (marked.length === 0) return sql`SELECT NULL::bigint AS chat WHERE FALSE`;
  return sql`SELECT chat FROM (${sql.join(marked, sql` UNION ALL `)}) AS marked (chat, included, excluded)
    WHERE ${kept} AND (included OR excluded)
    GROUP BY chat HAVING bool_or(included) AND NOT bool_or(excluded) ORDER BY chat`;
}

/** Leaves erased users out of every kind of audience. A user's private chat has the user's id. */
function notErased({ botId, tables }: AudienceSource): RawBuilder<unknown> {
  return sql`chat NOT IN (SELECT user_id FROM ${sql.id(tables.users, 'erased_users')} WHERE bot_id = ${botId}::int)`;
}

function split(segments: readonly Segment[]): { readonly users: UserSegment[]; readonly lists: ListSegment[] } {
  const isOfUsers = (segment: Segment): segment is UserSegment => segment.type === 'all' || segment.type === 'filter';
  return {
    users: segments.filter(isOfUsers),
    lists: segments.filter((segment): segment is ListSegment => !isOfUsers(segment)),
  };
}

function markedSql(segment: ListSegment, lists: ListsSource, isIncluded: boolean): RawBuilder<unknown> {
  return sql`SELECT chat, ${sql.lit(isIncluded)}, ${sql.lit(!isIncluded)} FROM (${listSql(segment, lists)}) AS list (chat)`;
}

/** Segments that are lists of chats. */
type ListSegment = Exclude<Segment, UserSegment>;

interface ListsSource extends Pick<PlacedSource, 'botId' | 'tables' | 'only'> {
  /** The bots of the broadcasts that the lists name, by broadcast. */
  readonly taskBots: ReadonlyMap<number, number>;
}

/** Looks up what {@link listSql} has to know about the lists. */
async function listsSource(
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
function listSql(segment: ListSegment, source: ListsSource): RawBuilder<unknown> {
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
