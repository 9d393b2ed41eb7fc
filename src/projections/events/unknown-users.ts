import type { ClientBase } from 'pg';
import type { Bot } from './bots.ts';
import { copyInto, copyLine } from './copy.ts';
import type { EventDraft } from './draft.ts';
import { ERROR_MEMORY_MS, type Outcome, PENDING_MS, UPDATE_MEMORY_MS } from './fold.ts';
import { HOUR_MS } from './judge.ts';

/** Writes the errors of events whose users are not known, and the events that wait, and settles those whose users appeared. */
export async function writeUnknownUsers(tx: ClientBase, { errors, released }: Outcome): Promise<void> {
  const opened = [...errors.values()];
  await copyInto(
    tx,
    'pending_events',
    'bot_id, user_id, ord, received, draft',
    opened
      .filter(({ waits, resolved_at }) => waits && resolved_at === null)
      .map(({ event: e }) => copyLine([e.bot_id, e.user_id, e.ord, e.date_received, JSON.stringify(e)])),
  );
  await copyInto(
    tx,
    'bot_errors',
    'bot_id, commit_id, idx, kind, date, source, message, payload, resolved_at',
    opened.map(({ event: e, resolved_at }) =>
      copyLine([
        e.bot_id,
        e.commit_id,
        e.idx,
        'unknown_user',
        e.date_received,
        e.source,
        `User with id ${e.user_id} was not found`,
        payloadOf(e),
        resolved_at,
      ]),
    ),
  );
  if (released.length === 0) return;
  const keys = [released.map(({ event }) => event.bot_id), released.map(({ event }) => event.user_id)];
  await tx.query({
    name: 'events.release',
    text: `DELETE FROM pending_events
            WHERE (bot_id, user_id, ord) IN (SELECT * FROM unnest($1::int[], $2::bigint[], $3::bigint[]))`,
    values: [...keys, released.map(({ event }) => event.ord)],
  });
  await tx.query({
    name: 'events.resolve',
    text: `UPDATE bot_errors e SET resolved_at = r.at
             FROM unnest($1::int[], $2::uuid[], $3::smallint[], $4::bigint[]) AS r (bot_id, commit_id, idx, at)
            WHERE e.bot_id = r.bot_id AND e.commit_id = r.commit_id AND e.idx = r.idx AND e.kind = 'unknown_user'`,
    values: [
      keys[0],
      released.map(({ event }) => event.commit_id),
      released.map(({ event }) => event.idx),
      released.map(({ at }) => at),
    ],
  });
}

/** What the sender sent, without what was absent; values as decimal text. */
function payloadOf(e: EventDraft): string {
  const { event_id, user_id, date, value_int, unit, value_str, category, webapp_name } = e;
  const all = { event_id, user_id, date, value_int, unit, value_str, category, webapp_name };
  return JSON.stringify(Object.fromEntries(Object.entries(all).filter(([, value]) => value !== null)));
}

const FORGET: readonly {
  readonly name: string;
  readonly table: string;
  readonly column: string;
  readonly ms: number;
}[] = [
  { name: 'events.forget_pending', table: 'pending_events', column: 'received', ms: PENDING_MS },
  { name: 'events.forget_updates', table: 'update_ids', column: 'received', ms: UPDATE_MEMORY_MS },
  { name: 'events.forget_errors', table: 'bot_errors', column: 'date', ms: ERROR_MEMORY_MS },
];

/**
 * Deletes what is past its time. By the bot's own clock, in whole hours: so what is left depends on what was received
 * and not on how that was cut into batches, and most batches delete nothing.
 */
export async function forget(tx: ClientBase, bots: Iterable<Bot>): Promise<void> {
  const due = [...bots].filter(({ clock, clockBefore }) => hourOf(clock) > hourOf(clockBefore));
  if (due.length === 0) return;
  const ids = due.map(({ bot_id }) => bot_id);
  for (const { name, table, column, ms } of FORGET)
    await tx.query({
      name,
      text: `DELETE FROM ${table} t USING unnest($1::int[], $2::bigint[]) AS d (bot_id, until)
              WHERE t.bot_id = d.bot_id AND t.${column} < d.until`,
      values: [ids, due.map(({ clock }) => hourOf(clock) - ms)],
    });
}

function hourOf(clock: number): number {
  return clock - (clock % HOUR_MS);
}
