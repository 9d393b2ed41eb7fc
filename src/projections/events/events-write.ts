import type { ClientBase } from 'pg';
import { ofBot, onlyBot } from '../../database/of-bot.ts';
import { copyInto, copyLine, nameOf } from '../batch-sql.ts';
import { saveCodes, saveUpdateIds } from '../intake-state.ts';
import type { EventTypeRow, Outcome, User } from './batch.ts';

import type { EventDraft } from './draft.ts';

const EVENT_COLUMNS =
  'user_id, date, ord, session, app_session, date_received, commit_id, bot_id, event_id, utm_id, user_idx, idx, ' +
  'value_int, value_norm, value_amount, unit, value_str, category, webapp_name, event_key, properties';

export async function writeEvents(tx: ClientBase, events: readonly EventDraft[]): Promise<void> {
  await copyInto(tx, 'events', EVENT_COLUMNS, eventLines(events));
}

function* eventLines(events: readonly EventDraft[]): Generator<string> {
  for (const e of events)
    yield copyLine([
      e.user_id,
      e.date,
      e.ord,
      e.session,
      e.app_session,
      e.date_received,
      e.commit_id,
      e.bot_id,
      e.event_id,
      e.utm_id,
      e.user_idx,
      e.idx,
      e.value_int,
      e.unit === null ? null : e.value_norm,
      e.value_amount,
      e.unit,
      e.value_str,
      e.category,
      e.webapp_name,
      e.event_key,
      e.properties,
    ]);
}

/** Writes new users, visits, event keys, update ids and referral codes. */
export async function writeIntakeState(tx: ClientBase, { bots, newUsers, eventKeys }: Outcome): Promise<void> {
  const users = newUsers.map(({ user, since }) => copyLine([user.bot.bot_id, user.user_id, since, user.idx]));
  await copyInto(tx, 'known_users', 'bot_id, user_id, since, idx', users);
  await writeVisits(
    tx,
    [...bots.values()].flatMap((bot) => [...bot.users.values()]),
  );
  const keys = eventKeys.map(({ bot, event_key }) => copyLine([bot.bot_id, event_key]));
  await copyInto(tx, 'event_keys', 'bot_id, event_key', keys);
  await saveUpdateIds(
    tx,
    [...bots.values()].map(({ intake }) => intake),
  );
  await saveCodes(tx, [...bots.values()]);
}

async function writeVisits(tx: ClientBase, users: readonly User[]): Promise<void> {
  const lines = users.flatMap(({ bot, user_id, visits }) =>
    visits.map((visit) =>
      copyLine([
        bot.bot_id,
        user_id,
        visit.date,
        visit.ord,
        visit.commit_id,
        visit.idx,
        visit.code,
        visit.utm?.id ?? null,
        visit.first_seen,
      ]),
    ),
  );
  await copyInto(tx, 'visits', 'bot_id, user_id, date, ord, commit_id, idx, code, utm_id, first_seen', lines);
}

export async function writeEventTypes(tx: ClientBase, rows: readonly EventTypeRow[]): Promise<void> {
  if (rows.length === 0) return;
  await tx.query({
    name: 'events.write_event_types',
    text: `INSERT INTO event_types (bot_id, event_id, kind, name, target_id)
           SELECT bot_id, event_id, kind, name, target_id FROM jsonb_populate_recordset(NULL::event_types, $1)`,
    values: [JSON.stringify(rows)],
  });
}

/** Adds the events to the counts of their types. */
export async function countEvents(tx: ClientBase, events: readonly EventDraft[]): Promise<void> {
  const counts = new Map<string, Count>();
  for (const { bot_id, event_id, date } of events) {
    const key = `${bot_id} ${event_id}`;
    const count = counts.get(key);
    if (count === undefined) {
      counts.set(key, { bot_id, event_id, first_seen: date, last_seen: date, count: 1 });
      continue;
    }
    count.count++;
    count.first_seen = Math.min(count.first_seen, date);
    count.last_seen = Math.max(count.last_seen, date);
  }
  const rows = [...counts.values()];
  if (rows.length === 0) return;
  const only = onlyBot(
    tx,
    rows.map(({ bot_id }) => bot_id),
  );
  const { rowCount } = await tx.query({
    name: nameOf('events.count_events', only),
    text: `UPDATE event_types t
              SET count = t.count + c.count, first_seen = least(t.first_seen, c.first_seen),
                  last_seen = greatest(t.last_seen, c.last_seen)
             FROM jsonb_populate_recordset(NULL::event_types, $1) c
            WHERE t.bot_id = c.bot_id AND t.event_id = c.event_id AND ${ofBot('t.bot_id', only)}`,
    values: [JSON.stringify(rows)],
  });
  // Names and goals are in the log before their first use. So an event without a type is from a broken log.
  if (rowCount !== rows.length) throw new Error(`${rows.length - (rowCount ?? 0)} event types are not registered`);
}

interface Count {
  readonly bot_id: number;
  readonly event_id: number;
  first_seen: number;
  last_seen: number;
  count: number;
}
