import type { ClientBase } from 'pg';
import { copyInto, copyLine } from '../copy.ts';
import type { EventDraft } from './draft.ts';
import type { Outcome } from './fold.ts';

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
