import type { ClientBase } from 'pg';
import { ofBot, onlyBot } from '../../database/of-bot.ts';
import { MAX_PROPERTY_NAMES } from '../../domain/intake/properties.ts';
import { copyInto, copyLine, nameOf, numbers } from '../batch-sql.ts';
import type { Outcome, PropertyError, UnknownUserError } from './batch.ts';
import type { EventDraft } from './draft.ts';

/** Writes the errors of events with unknown users and the events that wait; resolves the errors of users who appeared. */
export async function writeUnknownUsers(tx: ClientBase, { errors, released }: Outcome): Promise<void> {
  await writeWaiting(tx, [...errors.values()]);
  await writeErrors(tx, [...errors.values()]);
  await resolveReleased(tx, released);
}

async function writeWaiting(tx: ClientBase, errors: readonly UnknownUserError[]): Promise<void> {
  const waiting = errors.filter(({ waits, resolved_at }) => waits && resolved_at === null);
  const lines = waiting.map(({ event: e }) =>
    copyLine([e.bot_id, e.user_id, e.ord, e.date_received, JSON.stringify(e)]),
  );
  await copyInto(tx, 'pending_events', 'bot_id, user_id, ord, received, draft', lines);
}

async function writeErrors(tx: ClientBase, errors: readonly UnknownUserError[]): Promise<void> {
  await writeDrafted(
    tx,
    errors.map(({ event, sent, resolved_at }) => {
      const message = `User with id ${event.user_id} was not found`;
      return { ...event, properties: sent, kind: 'unknown_user', message, resolved_at };
    }),
  );
}

/** Writes an error for each event that has properties beyond the limit of its bot (decisions.md#property-names). */
export async function writePropertyErrors(tx: ClientBase, errors: readonly PropertyError[]): Promise<void> {
  await writeDrafted(
    tx,
    errors.map(({ event, sent, beyond }) => {
      const message = `The bot has ${MAX_PROPERTY_NAMES} names of properties already; left out: ${beyond.join(', ')}`;
      return { ...event, properties: sent, kind: 'property_limit', message, resolved_at: null };
    }),
  );
}

/** An error with its whole event, since the event may have no row. */
interface DraftedError extends EventDraft {
  readonly kind: string;
  readonly message: string;
  readonly resolved_at: number | null;
}

async function writeDrafted(tx: ClientBase, errors: readonly DraftedError[]): Promise<void> {
  if (errors.length === 0) return;
  const only = onlyBot(
    tx,
    errors.map(({ bot_id }) => bot_id),
  );
  await tx.query({
    name: nameOf('events.write_errors', only),
    text: `INSERT INTO bot_errors (bot_id, commit_id, idx, kind, date, source, message, payload, resolved_at)
           SELECT e.bot_id, e.commit_id, e.idx, e.kind, e.date_received, ${SOURCE}, e.message, ${PAYLOAD}, e.resolved_at
             FROM jsonb_to_recordset($1) AS e (
                    bot_id int, user_id bigint, date bigint, date_received bigint, commit_id uuid, idx smallint,
                    event_id int, value_int numeric, value_norm numeric, unit text, value_str text, category text,
                    webapp_name text, event_key text, properties text, kind text, message text, resolved_at bigint)
             JOIN event_types t USING (bot_id, event_id) WHERE ${ofBot('t.bot_id', only)}`,
    values: [JSON.stringify(errors)],
  });
}

async function resolveReleased(tx: ClientBase, released: Outcome['released']): Promise<void> {
  if (released.length === 0) return;
  const botIds = numbers(released.map(({ event }) => event.bot_id));
  const only = onlyBot(
    tx,
    released.map(({ event }) => event.bot_id),
  );
  await tx.query({
    name: nameOf('events.release', only),
    text: `DELETE FROM pending_events
            WHERE (bot_id, user_id, ord) IN (SELECT * FROM unnest($1::int[], $2::bigint[], $3::bigint[]))
              AND ${ofBot('bot_id', only)}`,
    values: [
      botIds,
      numbers(released.map(({ event }) => event.user_id)),
      numbers(released.map(({ event }) => event.ord)),
    ],
  });
  // Finds each row by its key. Without an error of this kind in the planner's statistics, a join would compare all errors
  // with all released events. That took 20 s and more for 5,000 released events.
  await tx.query({
    name: nameOf('events.resolve', only),
    text: `UPDATE bot_errors e SET resolved_at = f.at
             FROM (SELECT r.at, (SELECT x.ctid FROM bot_errors x
                                  WHERE x.bot_id = r.bot_id AND x.commit_id = r.commit_id AND x.idx = r.idx
                                    AND x.kind = 'unknown_user' AND ${ofBot('x.bot_id', only)}) AS place
                     FROM unnest($1::int[], $2::uuid[], $3::smallint[], $4::bigint[]) AS r (bot_id, commit_id, idx, at)
                   OFFSET 0) f
            WHERE e.ctid = f.place AND ${ofBot('e.bot_id', only)}`,
    values: [
      botIds,
      released.map(({ event }) => event.commit_id),
      numbers(released.map(({ event }) => event.idx)),
      numbers(released.map(({ at }) => at)),
    ],
  });
}

/**
 * SQL: the element as sent, with the API's field names. `e` is the event (a row, or a draft as a record), `t` its type.
 * `date` is the date at which the event counts.
 */
export const PAYLOAD = `
jsonb_strip_nulls(jsonb_build_object(
  'event', CASE WHEN t.target_id IS NULL THEN t.name END,
  'target_id', t.target_id,
  'user_id', e.user_id,
  'date', to_char(to_timestamp(e.date / 1000.0) AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'),
  'value_num', CASE WHEN t.target_id IS NULL THEN e.value_int END,
  'value', CASE WHEN t.target_id IS NOT NULL THEN coalesce(e.value_norm, e.value_int) END,
  'unit', e.unit,
  'value_str', e.value_str,
  'category', e.category,
  'webapp_name', e.webapp_name,
  'properties', CASE WHEN t.kind <> 'system' THEN e.properties::jsonb END,
  'event_key', e.event_key))`;

/** SQL: the API method that receives events of the type `t`. */
export const SOURCE = `
CASE t.kind WHEN 'system' THEN 'send-update' WHEN 'target' THEN 'send-target' ELSE 'send-event' END`;
