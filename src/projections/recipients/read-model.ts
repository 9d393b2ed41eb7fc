import type { ClientBase } from 'pg';
import { ofBot, onlyBot } from '../../database/of-bot.ts';
import { Status } from '../../domain/broadcast/broadcast-status.ts';
import { unpackChats } from '../../domain/broadcast/packed-chats.ts';
import { PLACE } from '../../domain/broadcast/sending.ts';
import type { Outcome, Range } from '../../domain/broadcast/sending-events.ts';
import type { LedgerEvent } from '../../domain/ledger-events.ts';
import { keyOf } from '../../log/stream-name.ts';
import { findByKey, nameOf, numbers } from '../batch-sql.ts';
import { placed, type ReadCommit, type ReadModel } from '../read-model.ts';
import { recipientsManifest } from './manifest.ts';

/**
 * Tables of the read model `recipients`. Times are milliseconds since 1970 UTC. A recipient that was never attempted has
 * state 0, and is cancelled if its broadcast says so: a stop changes one row, not a million.
 */
const RECIPIENTS_DDL = `
CREATE TABLE bots (
  public_key text PRIMARY KEY,
  bot_id int NOT NULL
);

CREATE TABLE sendings (
  broadcast_id bigint PRIMARY KEY,
  bot_id int NOT NULL,
  /* of the broadcast, as of the rows here: what is counted below belongs to it */
  status smallint NOT NULL,
  launch int NOT NULL,
  /* frozen so far */
  count_recipients int NOT NULL,
  /* the last of them: chats come in ascending order, so that none can come twice */
  last_chat bigint,
  count_delivered int NOT NULL,
  /* including recipients of unknown outcome */
  count_not_delivered int NOT NULL,
  count_unknown int NOT NULL,
  /* whether those that were not attempted are cancelled */
  cancelled boolean NOT NULL,
  /* since when */
  cancelled_at bigint,
  paused_until bigint,
  /* what the service waits for while it sends */
  error text
);

CREATE TABLE recipients (
  broadcast_id bigint NOT NULL,
  chat_id bigint NOT NULL,
  /* of the outcome */
  date bigint,
  /* in the order of chat ids, from 0 */
  place int NOT NULL,
  bot_id int NOT NULL,
  /* 0 not attempted, 2 delivered, 3 not delivered, 4 unknown */
  state smallint NOT NULL,
  reason text,
  PRIMARY KEY (broadcast_id, place, bot_id)
) WITH (fillfactor = 60);
`;

const RECIPIENTS_PLACEMENT = { ...placed('bot_id', ['recipients']), ...placed('local', ['bots', 'sendings']) };

/** Recipients of broadcasts, their outcomes, and the counts of outcomes. */
export const recipientsReadModel: ReadModel = {
  ...recipientsManifest,
  isolatesBots: true,
  events: [
    'bot_created',
    'broadcast_created',
    'broadcast_activated',
    'broadcast_resolution_started',
    'broadcast_audience_frozen',
    'broadcast_sending_started',
    'broadcast_cancel_requested',
    'broadcast_stopped',
    'broadcast_finished',
    'broadcast_failed',
    'audience_chunk_frozen',
    'batch_answered',
    'batch_abandoned',
    'recipients_reopened',
    'sending_paused',
    'sending_resumed',
  ],
  ddl: RECIPIENTS_DDL,
  placement: RECIPIENTS_PLACEMENT,
  async apply(tx, commits) {
    // A recipient has one outcome between two launches, so the outcomes of a batch of commits are written together.
    const settled: PlacesSettled[] = [];
    for (const commit of commits) for (const event of commit.events) await applyEvent(tx, commit, event, settled);
    await applyOutcomes(tx, settled);
  },
};

async function applyEvent(
  tx: ClientBase,
  { stream, at }: ReadCommit,
  event: LedgerEvent,
  settled: PlacesSettled[],
): Promise<void> {
  switch (event.type) {
    case 'bot_created':
      await tx.query('INSERT INTO bots (public_key, bot_id) VALUES ($1, $2)', [
        event.data.public_key,
        event.data.bot_id,
      ]);
      return;
    case 'broadcast_created':
      return one(tx, 'create', CREATE, [event.data.id, keyOf(stream)]);
    case 'broadcast_activated':
      return one(tx, 'activate', ACTIVATE, [event.data.id, event.data.launch]);
    case 'broadcast_resolution_started':
      return one(tx, 'status', SET_STATUS, [event.data.id, Status.resolving]);
    case 'broadcast_audience_frozen':
      return one(tx, 'freeze', FREEZE, [event.data.id, event.data.count]);
    case 'broadcast_sending_started':
      return one(tx, 'status', SET_STATUS, [event.data.id, Status.sending]);
    case 'broadcast_cancel_requested':
      return one(tx, 'cancel', CANCEL, [event.data.id, event.data.at]);
    case 'broadcast_stopped':
      return one(tx, 'end', END, [event.data.id, Status.stopped, event.data.at]);
    case 'broadcast_failed':
      return one(tx, 'end', END, [event.data.id, Status.failed, event.data.at]);
    case 'broadcast_finished':
      return one(tx, 'finish', FINISH, [event.data.id]);
    case 'audience_chunk_frozen': {
      const { broadcast_id, offset, chats } = event.data;
      return addRecipients(tx, broadcast_id, offset, unpackChats(chats));
    }
    case 'batch_answered':
      for (const outcome of event.data.outcomes) settle(settled, event.data.broadcast_id, outcome, at);
      return;
    case 'batch_abandoned': {
      const { broadcast_id, recipients } = event.data;
      return settle(settled, broadcast_id, { outcome: 'unknown', reason: ABANDONED, recipients }, at);
    }
    case 'recipients_reopened':
      await applyOutcomes(tx, settled.splice(0));
      return reopenRecipients(tx, event.data.broadcast_id, event.data.recipients);
    case 'sending_paused':
      return one(tx, 'pause', PAUSE, [event.data.broadcast_id, event.data.until, event.data.error]);
    case 'sending_resumed':
      return one(tx, 'pause', PAUSE, [event.data.broadcast_id, null, null]);
  }
}

const ABANDONED = 'the service was interrupted while sending';

function settle(settled: PlacesSettled[], broadcastId: number, { outcome, reason, recipients }: Outcome, at: number) {
  if (outcome === 'returned') return;
  for (const [first, last] of recipients)
    settled.push({ broadcastId, first, last, state: PLACE[outcome], reason, date: at });
}

const CREATE = `
  INSERT INTO sendings (broadcast_id, bot_id, status, launch, count_recipients, count_delivered,
                        count_not_delivered, count_unknown, cancelled)
  SELECT $1, bot_id, ${Status.draft}, 0, 0, 0, 0, 0, false FROM bots WHERE public_key = $2`;
const ACTIVATE = `
  UPDATE sendings SET status = ${Status.scheduled}, launch = $2, cancelled = false, cancelled_at = NULL WHERE broadcast_id = $1`;
const SET_STATUS = 'UPDATE sendings SET status = $2 WHERE broadcast_id = $1';
/** The count is known from the chunks; the event repeats it. */
const FREEZE = `UPDATE sendings SET status = ${Status.frozen} WHERE broadcast_id = $1 AND count_recipients = $2`;
/** From scheduled back to the status before the activation. */
const CANCEL = `
  UPDATE sendings SET
    status = CASE WHEN status <> ${Status.scheduled} THEN ${Status.stopping} WHEN launch = 1 THEN ${Status.draft}
                  ELSE ${Status.stopped} END,
    cancelled = status = ${Status.scheduled} AND launch > 1,
    cancelled_at = CASE WHEN status = ${Status.scheduled} AND launch > 1 THEN $2::bigint END,
    launch = CASE WHEN status = ${Status.scheduled} THEN launch - 1 ELSE launch END
  WHERE broadcast_id = $1`;
const END = `
  UPDATE sendings SET status = $2, cancelled = true, cancelled_at = $3, paused_until = NULL, error = NULL
  WHERE broadcast_id = $1`;
const FINISH = `
  UPDATE sendings SET status = ${Status.finished}, paused_until = NULL, error = NULL WHERE broadcast_id = $1`;
const PAUSE = 'UPDATE sendings SET paused_until = $2, error = $3 WHERE broadcast_id = $1';

async function addRecipients(tx: ClientBase, id: number, offset: number, chats: readonly number[]): Promise<void> {
  const bot = await botOfOne(
    tx,
    'add recipients',
    `UPDATE sendings SET count_recipients = $2 + $3, last_chat = $5
     WHERE broadcast_id = $1 AND count_recipients = $2 AND (last_chat IS NULL OR last_chat < $4) RETURNING bot_id`,
    [id, offset, chats.length, chats[0], chats.at(-1)],
  );
  await tx.query({
    name: 'recipients.add',
    text: `INSERT INTO recipients (broadcast_id, place, chat_id, state, bot_id)
           SELECT $1, $2 + n.i - 1, n.chat, 0, $4 FROM unnest($3::bigint[]) WITH ORDINALITY AS n (chat, i)`,
    values: [id, offset, numbers(chats), bot],
  });
}

/** Each event is about one broadcast; if there is none, the log lacks an earlier event. */
async function one(tx: ClientBase, what: string, text: string, values: readonly unknown[]): Promise<void> {
  const { rowCount } = await tx.query(text, [...values]);
  if (rowCount !== 1) throw new Error(`${rowCount} rows instead of one: ${what} of a broadcast's sending`);
}

/** As {@link one}. @param text returns the id of the broadcast's bot */
async function botOfOne(tx: ClientBase, what: string, text: string, values: readonly unknown[]): Promise<number> {
  const { rows } = await tx.query<{ bot_id: number }>(text, [...values]);
  if (rows.length !== 1) throw new Error(`${rows.length} rows instead of one: ${what} of a broadcast's sending`);
  return rows[0]!.bot_id;
}

/** Neighbours in an audience with the same final outcome. */
export interface PlacesSettled {
  readonly broadcastId: number;
  readonly first: number;
  readonly last: number;
  /** One of `PLACE`. */
  readonly state: number;
  readonly reason: string | null;
  readonly date: number;
}

/** Writes outcomes of recipients and counts them. A second outcome of a recipient that was not reopened is an error. */
export async function applyOutcomes(tx: ClientBase, settled: readonly PlacesSettled[]): Promise<void> {
  if (settled.length === 0) return;
  const expected = settled.reduce((sum, { first, last }) => sum + last - first + 1, 0);
  await findByKey(tx);
  const only = onlyBot(tx, await count(tx, settled));
  const { rowCount } = await tx.query({
    name: nameOf('recipients.settle', only),
    text: `UPDATE recipients r SET state = n.state, reason = n.reason, date = n.date
             FROM unnest($1::bigint[], $2::int[], $3::int[], $4::smallint[], $5::text[], $6::bigint[])
                  AS n (broadcast_id, first, last, state, reason, date)
            WHERE r.broadcast_id = n.broadcast_id AND r.place BETWEEN n.first AND n.last AND r.state = 0
              AND ${ofBot('r.bot_id', only)}`,
    values: [
      numbers(settled.map(({ broadcastId }) => broadcastId)),
      numbers(settled.map(({ first }) => first)),
      numbers(settled.map(({ last }) => last)),
      numbers(settled.map(({ state }) => state)),
      settled.map(({ reason }) => reason),
      numbers(settled.map(({ date }) => date)),
    ],
  });
  if (rowCount !== expected) throw new Error(`${rowCount} recipients instead of ${expected} have a new outcome`);
}

/** @returns the bots of the broadcasts */
async function count(tx: ClientBase, settled: readonly PlacesSettled[]): Promise<number[]> {
  const counts = new Map<number, { delivered: number; not: number; unknown: number }>();
  for (const { broadcastId, first, last, state } of settled) {
    const of = counts.get(broadcastId) ?? { delivered: 0, not: 0, unknown: 0 };
    counts.set(broadcastId, of);
    const size = last - first + 1;
    if (state === PLACE.delivered) of.delivered += size;
    else of.not += size;
    if (state === PLACE.unknown) of.unknown += size;
  }
  const all = [...counts];
  const { rows } = await tx.query<{ bot_id: number }>({
    name: 'recipients.count',
    text: `UPDATE sendings s SET count_delivered = s.count_delivered + n.delivered,
             count_not_delivered = s.count_not_delivered + n.not_delivered, count_unknown = s.count_unknown + n.unknown
             FROM unnest($1::bigint[], $2::int[], $3::int[], $4::int[]) AS n (broadcast_id, delivered, not_delivered, unknown)
            WHERE s.broadcast_id = n.broadcast_id RETURNING s.bot_id`,
    values: [
      numbers(all.map(([id]) => id)),
      numbers(all.map(([, { delivered }]) => delivered)),
      numbers(all.map(([, { not }]) => not)),
      numbers(all.map(([, { unknown }]) => unknown)),
    ],
  });
  return rows.map(({ bot_id }) => bot_id);
}

/** Removes outcomes: only of recipients that were not delivered, since only these may get another outcome. */
export async function reopenRecipients(tx: ClientBase, broadcastId: number, ranges: readonly Range[]): Promise<void> {
  const expected = ranges.reduce((sum, [first, last]) => sum + last - first + 1, 0);
  await findByKey(tx);
  const bot = await botOfOne(
    tx,
    'reopen recipients',
    'UPDATE sendings SET count_not_delivered = count_not_delivered - $2 WHERE broadcast_id = $1 RETURNING bot_id',
    [broadcastId, expected],
  );
  const only = onlyBot(tx, [bot]);
  const { rowCount } = await tx.query({
    name: nameOf('recipients.reopen', only),
    text: `UPDATE recipients r SET state = 0, reason = NULL, date = NULL
             FROM unnest($2::int[], $3::int[]) AS n (first, last)
            WHERE r.broadcast_id = $1 AND r.place BETWEEN n.first AND n.last AND r.state = ${PLACE.not_delivered}
              AND ${ofBot('r.bot_id', only)}`,
    values: [broadcastId, numbers(ranges.map(([first]) => first)), numbers(ranges.map(([, last]) => last))],
  });
  if (rowCount !== expected) throw new Error(`${rowCount} recipients instead of ${expected} are reopened`);
}
