import type { ClientBase } from 'pg';
import type { Click } from '../../domain/broadcast/clicks.ts';
import { keyOf } from '../../log/stream-name.ts';
import { numbers } from '../batch-sql.ts';
import { placed, type ReadModel } from '../read-model.ts';
import { clicksManifest } from './manifest.ts';

/** Tables of the read model `clicks`. Times are milliseconds since 1970 UTC. */
const CLICKS_DDL = `
CREATE TABLE bots (
  public_key text PRIMARY KEY,
  bot_id int NOT NULL
);

/* a row for each recipient and link with a click */
CREATE TABLE clicks (
  broadcast_id bigint NOT NULL,
  first_at bigint NOT NULL,
  last_at bigint NOT NULL,
  bot_id int NOT NULL,
  launch int NOT NULL,
  /* the number of the link among the links of the launch, from 0 */
  link int NOT NULL,
  /* of the recipient in the frozen audience, from 0 */
  place int NOT NULL,
  clicks int NOT NULL,
  PRIMARY KEY (bot_id, broadcast_id, launch, link, place)
) WITH (fillfactor = 80);
`;

const CLICKS_PLACEMENT = { ...placed('reference', ['bots']), ...placed('bot_id', ['clicks']) };

/** Clicks on links of broadcasts, by recipient and link. */
export const clicksReadModel: ReadModel = {
  ...clicksManifest,
  isolatesBots: true,
  events: ['bot_created', 'links_clicked'],
  ddl: CLICKS_DDL,
  placement: CLICKS_PLACEMENT,
  async apply(tx, commits) {
    const byBot = new Map<string, Click[]>();
    for (const { stream, events } of commits)
      for (const event of events) {
        if (event.type === 'bot_created')
          await tx.query('INSERT INTO bots (public_key, bot_id) VALUES ($1, $2)', [
            event.data.public_key,
            event.data.bot_id,
          ]);
        if (event.type !== 'links_clicked') continue;
        const bot = keyOf(stream);
        const clicks = byBot.get(bot) ?? [];
        byBot.set(bot, clicks);
        clicks.push(...event.data.items);
      }
    for (const [bot, clicks] of byBot) await add(tx, await botIdOf(tx, bot), clicks);
  },
};

async function botIdOf(tx: ClientBase, bot: string): Promise<number> {
  const { rows } = await tx.query<{ bot_id: number }>('SELECT bot_id FROM bots WHERE public_key = $1', [bot]);
  if (rows[0] === undefined) throw new Error(`clicks of bot ${bot}, but the bot was not created`);
  return rows[0].bot_id;
}

async function add(tx: ClientBase, botId: number, clicks: readonly Click[]): Promise<void> {
  const rows = [...together(clicks).values()];
  await tx.query(
    `INSERT INTO clicks AS c (bot_id, broadcast_id, launch, link, place, first_at, last_at, clicks)
     SELECT $1::int, n.* FROM unnest($2::bigint[], $3::int[], $4::int[], $5::int[], $6::bigint[], $7::bigint[], $8::int[]) AS n
     ON CONFLICT (bot_id, broadcast_id, launch, link, place) DO UPDATE SET clicks = c.clicks + excluded.clicks,
       first_at = least(c.first_at, excluded.first_at), last_at = greatest(c.last_at, excluded.last_at)`,
    [
      botId,
      numbers(rows.map(({ broadcast_id }) => broadcast_id)),
      numbers(rows.map(({ launch }) => launch)),
      numbers(rows.map(({ link }) => link)),
      numbers(rows.map(({ place }) => place)),
      numbers(rows.map(({ first }) => first)),
      numbers(rows.map(({ last }) => last)),
      numbers(rows.map(({ count }) => count)),
    ],
  );
}

interface Row extends Omit<Click, 'at'> {
  readonly first: number;
  readonly last: number;
  readonly count: number;
}

/** A statement changes a row once. */
function together(clicks: readonly Click[]): Map<string, Row> {
  const rows = new Map<string, Row>();
  for (const { at, ...link } of clicks) {
    const key = [link.broadcast_id, link.launch, link.link, link.place].join();
    const { first, last, count } = rows.get(key) ?? { first: at, last: at, count: 0 };
    rows.set(key, { ...link, first: Math.min(first, at), last: Math.max(last, at), count: count + 1 });
  }
  return rows;
}
