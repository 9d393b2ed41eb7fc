import { namedBot, ofBot } from '../../database/of-bot.ts';
import type { Tables } from '../../database/tables.ts';
import { type RecipientState, stateSql } from '../broadcast/recipients.ts';

/** A broadcast whose audience had the user. */
export interface ReceivedBroadcast {
  readonly broadcast_id: number;
  readonly name: string | null;
  readonly state: RecipientState;
  /** The reason of a failure, in the platform's words if it gave any. */
  readonly reason: string | null;
  /** The time of the outcome, milliseconds since 1970 UTC; null: there is none yet. */
  readonly date: number | null;
  /** Clicks of the user on its links. */
  readonly clicks: number;
  /** The time of the first of them; null: there is none. */
  readonly first_click: number | null;
}

type Source = Tables<'broadcasts' | 'recipients' | 'clicks'>;

interface Page {
  readonly limit: number;
  readonly offset: number;
}

/** Lists the broadcasts of a bot whose audience had the user, the latest first. */
export async function receivedBroadcasts(
  source: Source,
  { botId, userId }: { readonly botId: number; readonly userId: number },
  { limit, offset }: Page,
): Promise<ReceivedBroadcast[]> {
  const { pool, broadcasts, recipients } = source;
  const { rows: frozen } = await pool.query<Frozen>(
    `SELECT b.id::float8, b.name, s.count_recipients AS recipients, s.cancelled, s.cancelled_at::float8
       FROM ${broadcasts}.broadcasts AS b JOIN ${recipients}.sendings AS s ON s.broadcast_id = b.id
      WHERE b.bot_id = $1 AND s.count_recipients > 0`,
    [botId],
  );
  const places = await placesOf(source, botId, frozen, userId);
  const page = places.toSorted((a, b) => b.broadcast_id - a.broadcast_id).slice(offset, offset + limit);
  const clicks = await clicksAt(source, botId, page);
  return page.map(({ broadcast_id, state, reason, date }) => {
    const { name, cancelled, cancelled_at } = frozen.find(({ id }) => id === broadcast_id)!;
    const click = clicks.find(({ id }) => id === broadcast_id);
    const isWaiting = state === 'pending';
    return {
      broadcast_id,
      name,
      state: isWaiting && cancelled ? 'cancelled' : state,
      reason,
      date: isWaiting ? cancelled_at : date,
      clicks: click?.clicks ?? 0,
      first_click: click?.first ?? null,
    };
  });
}

/** A broadcast whose audience is frozen, or in part. */
interface Frozen {
  readonly id: number;
  readonly name: string | null;
  readonly recipients: number;
  /** Whether recipients that were never attempted are cancelled, and since when. */
  readonly cancelled: boolean;
  readonly cancelled_at: number | null;
}

interface Place {
  readonly broadcast_id: number;
  readonly place: number;
  readonly state: RecipientState;
  readonly reason: string | null;
  readonly date: number | null;
}

/**
 * The user among the recipients of every broadcast. Chats stand in the order of their ids, so that a search by halves
 * needs about 20 rows of a broadcast with a million recipients, and no index by chat.
 */
async function placesOf(
  { pool, recipients }: Source,
  botId: number,
  frozen: readonly Frozen[],
  userId: number,
): Promise<readonly Place[]> {
  const ofThis = ofBot('r.bot_id', await namedBot(pool, botId));
  const { rows } = await pool.query<Place>(
    `WITH RECURSIVE halves AS (
       SELECT id, 0 AS low, recipients AS high FROM unnest($1::bigint[], $2::int[]) AS asked (id, recipients)
       UNION ALL
       SELECT h.id, CASE WHEN r.chat_id < $3 THEN r.place + 1 ELSE h.low END,
              CASE WHEN r.chat_id < $3 THEN h.high ELSE r.place END
         FROM halves AS h JOIN ${recipients}.recipients AS r
           ON r.broadcast_id = h.id AND r.place = (h.low + h.high) / 2 AND ${ofThis}
        WHERE h.low < h.high)
     SELECT r.broadcast_id::float8, r.place, ${stateSql('r.state', 'false')} AS state, r.reason, r.date::float8
       FROM halves AS h JOIN ${recipients}.recipients AS r
         ON r.broadcast_id = h.id AND r.place = h.low AND r.chat_id = $3 AND ${ofThis}
      WHERE h.low = h.high`,
    [frozen.map(({ id }) => id), frozen.map((each) => each.recipients), userId],
  );
  return rows;
}

interface Clicks {
  readonly id: number;
  readonly clicks: number;
  readonly first: number;
}

async function clicksAt({ pool, clicks }: Source, botId: number, places: readonly Place[]): Promise<readonly Clicks[]> {
  const { rows } = await pool.query<Clicks>(
    `SELECT c.broadcast_id::float8 AS id, sum(c.clicks)::float8 AS clicks, min(c.first_at)::float8 AS first
       FROM ${clicks}.clicks AS c JOIN unnest($2::bigint[], $3::int[]) AS asked (id, place)
         ON c.broadcast_id = asked.id AND c.place = asked.place
      WHERE c.bot_id = $1 GROUP BY c.broadcast_id`,
    [botId, places.map(({ broadcast_id }) => broadcast_id), places.map(({ place }) => place)],
  );
  return rows;
}
