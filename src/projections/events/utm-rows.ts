import type { ClientBase } from 'pg';
import { ofBot, onlyBot } from '../../database/of-bot.ts';
import { nameOf } from '../batch-sql.ts';
import type { Bot, User } from './batch.ts';

import { byMoment } from './draft.ts';

/**
 * Sets the ids of the batch's UTM combinations, in the order of the bot's log: the ids of the table, else the bot's
 * next id.
 */
export async function identifyUtms(tx: ClientBase, bots: Iterable<Bot>): Promise<void> {
  const uses = [...bots].flatMap((bot) => [...bot.utms.values()].map((use) => ({ bot, use })));
  if (uses.length === 0) return;
  const rows = uses.map(({ bot, use }) => ({ bot_id: bot.bot_id, ...use.utm }));
  const only = onlyBot(
    tx,
    rows.map(({ bot_id }) => bot_id),
  );
  const found = await tx.query<[number | null]>({
    name: nameOf('events.find_utms', only),
    text: `SELECT (SELECT x.utm_id FROM utms x
                    WHERE x.bot_id = u.bot_id AND ${ofBot('x.bot_id', only)} AND x.source IS NOT DISTINCT FROM u.source
                      AND x.medium IS NOT DISTINCT FROM u.medium AND x.campaign IS NOT DISTINCT FROM u.campaign
                      AND x.term IS NOT DISTINCT FROM u.term AND x.content IS NOT DISTINCT FROM u.content)
             FROM jsonb_populate_recordset(NULL::utms, $1) WITH ORDINALITY u ORDER BY u.ordinality`,
    values: [JSON.stringify(rows)],
    rowMode: 'array',
  });
  const added: { utm_id: number }[] = [];
  for (const [i, { bot, use }] of uses.entries()) {
    use.id = found.rows[i]![0] ?? ++bot.utmCount;
    if (found.rows[i]![0] === null) added.push({ ...rows[i]!, utm_id: use.id });
  }
  if (added.length === 0) return;
  await tx.query({
    name: 'events.add_utms',
    text: 'INSERT INTO utms SELECT * FROM jsonb_populate_recordset(NULL::utms, $1)',
    values: [JSON.stringify(added)],
  });
}

interface Tagged {
  readonly date: number;
  readonly ord: number;
  readonly utm_id: number;
}

/** The user's events from `date` to before `until` have this UTM. */
interface Stretch {
  readonly user: User;
  readonly date: number;
  readonly until: number | null;
  readonly utm_id: number;
}

/**
 * Sets the UTM of the new events: the UTM of the user's last visit with one, not later than the event; of visits in one
 * millisecond the last in the log (decisions.md#start-payload). Every visit is an event too, so events after the user's
 * last one inherit its UTM without a query. Only users with earlier events or visits are looked up. A late visit
 * changes the events after it.
 */
export async function placeUtms(tx: ClientBase, users: readonly User[]): Promise<void> {
  const late = users.filter(isLate);
  const visits = await loadVisits(tx, late);
  const stretches: Stretch[] = [];
  for (const user of users) {
    if (user.visits.length === 0 && !visits.has(user)) {
      for (const event of user.events) event.utm_id = user.tail?.utm_id ?? null;
      continue;
    }
    const added: Tagged[] = user.visits.flatMap(({ date, ord, utm }) =>
      utm === null ? [] : [{ date, ord, utm_id: utm.id }],
    );
    const before = visits.get(user);
    const all = before === undefined ? added : [...before, ...added];
    const tagged = all.sort(byMoment).filter(({ date }, i) => date !== all[i + 1]?.date);
    setUtms(user, tagged, before === undefined ? (user.tail?.utm_id ?? null) : null);
    if (before !== undefined)
      for (const [i, visit] of tagged.entries())
        if (added.includes(visit)) stretches.push({ ...visit, user, until: tagged[i + 1]?.date ?? null });
  }
  await retag(tx, stretches);
}

/** Whether rows of the table may change: by an event before the user's last one, or by a visit not after it. */
export function isLate({ tail, events, visits }: User): boolean {
  if (tail === null) return false;
  return byMoment(events[0]!, tail) < 0 || visits.some(({ date }) => date <= tail.date);
}

/** @param tagged by date, one for each date */
function setUtms({ events }: User, tagged: readonly Tagged[], atStart: number | null): void {
  let utm_id = atStart;
  let next = 0;
  for (const event of events) {
    for (; next < tagged.length && tagged[next]!.date <= event.date; next++) utm_id = tagged[next]!.utm_id;
    event.utm_id = utm_id;
  }
}

/** Loads the visits whose UTM the users' events can have, from their first new event on. */
async function loadVisits(tx: ClientBase, users: readonly User[]): Promise<Map<User, Tagged[]>> {
  const visits = new Map<User, Tagged[]>(users.map((user) => [user, []]));
  if (users.length === 0) return visits;
  const only = onlyBot(
    tx,
    users.map(({ bot }) => bot.bot_id),
  );
  const { rows } = await tx.query<[number, number, number, number]>({
    name: nameOf('events.load_visits', only),
    text: `SELECT u.i::int, v.date::float8, v.ord::float8, v.utm_id
             FROM unnest($1::int[], $2::bigint[], $3::bigint[]) WITH ORDINALITY AS u (bot_id, user_id, date, i),
                  visits v
            WHERE v.bot_id = u.bot_id AND v.user_id = u.user_id AND v.utm_id IS NOT NULL AND ${ofBot('v.bot_id', only)}
              AND v.date >= coalesce((
                SELECT max(p.date) FROM visits p
                 WHERE p.bot_id = u.bot_id AND p.user_id = u.user_id AND p.utm_id IS NOT NULL AND p.date <= u.date
                   AND ${ofBot('p.bot_id', only)}),
                v.date)`,
    values: [
      users.map(({ bot }) => bot.bot_id),
      users.map(({ user_id }) => user_id),
      users.map(({ events }) => events[0]!.date),
    ],
    rowMode: 'array',
  });
  for (const [i, date, ord, utm_id] of rows) visits.get(users[i - 1]!)!.push({ date, ord, utm_id });
  return visits;
}

async function retag(tx: ClientBase, stretches: readonly Stretch[]): Promise<void> {
  if (stretches.length === 0) return;
  const only = onlyBot(
    tx,
    stretches.map(({ user }) => user.bot.bot_id),
  );
  await tx.query({
    name: nameOf('events.retag', only),
    text: `UPDATE events e SET utm_id = s.utm_id
             FROM unnest($1::int[], $2::bigint[], $3::bigint[], $4::bigint[], $5::int[])
                  AS s (bot_id, user_id, date, until, utm_id)
            WHERE e.bot_id = s.bot_id AND e.user_id = s.user_id AND e.date >= s.date
              AND e.date < coalesce(s.until, 9223372036854775807) AND e.utm_id IS DISTINCT FROM s.utm_id
              AND ${ofBot('e.bot_id', only)}`,
    values: [
      stretches.map(({ user }) => user.bot.bot_id),
      stretches.map(({ user }) => user.user_id),
      stretches.map(({ date }) => date),
      stretches.map(({ until }) => until),
      stretches.map(({ utm_id }) => utm_id),
    ],
  });
}
