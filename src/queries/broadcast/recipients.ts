import type pg from 'pg';
import { namedBot, ofBot } from '../../database/of-bot.ts';
import type { Tables } from '../../database/tables.ts';

export const RECIPIENT_STATES = ['pending', 'delivered', 'not_delivered', 'cancelled', 'unknown'] as const;
export type RecipientState = (typeof RECIPIENT_STATES)[number];

export interface Recipient {
  readonly chat_id: number;
  readonly state: RecipientState;
  /** The reason of a failure, in the platform's words if it gave any. */
  readonly reason: string | null;
  /** The time of the outcome, milliseconds since 1970 UTC; null: there is none yet. */
  readonly date: number | null;
}

export interface RecipientPage {
  /** Null: of every state. */
  readonly state: RecipientState | null;
  readonly limit: number;
  readonly offset: number;
}

/** The states in the table. A recipient that was never attempted is cancelled if the broadcast says so. */
const STORED = { attempted: { delivered: 2, not_delivered: 3, unknown: 4 }, waiting: 0 } as const;

/**
 * Loads a page of a broadcast's recipients by chat id, and how many there are on all pages. `recipients`: the read model's
 * schema.
 */
export async function listRecipients(
  { pool, recipients }: Tables<'recipients'>,
  broadcastId: number,
  { state, limit, offset }: RecipientPage,
): Promise<{ readonly items: readonly Recipient[]; readonly total: number }> {
  const sending = await sendingOf({ pool, recipients }, broadcastId);
  const total = sending === undefined ? 0 : totalOf(sending, state);
  if (sending === undefined || offset >= total) return { items: [], total };
  // Places follow the order of chat ids, from 0. So without a filter a page is a range of places.
  const where = state === null ? 'place >= $3 AND place < $3 + $2' : 'state = $4';
  const { rows } = await pool.query<StoredRecipient>(
    `SELECT chat_id::float8, state, reason, date::float8 FROM ${recipients}.recipients
     WHERE broadcast_id = $1 AND ${await ofItsBot(pool, sending)} AND ${where} ORDER BY place LIMIT $2 ${state === null ? '' : 'OFFSET $3'}`,
    [broadcastId, limit, offset, ...(state === null ? [] : [storedOf(state)])],
  );
  return { items: rows.map((row) => recipientOf(row, sending)), total };
}

const CSV_PAGE = 5000;

/**
 * All recipients of a broadcast by chat id, a page at a time. A page is read after the caller has used the one before,
 * and no connection is held between pages. Its states belong to the moment of its query. @param state null: of every
 * state
 */
export async function* allRecipients(
  source: Tables<'recipients'>,
  broadcastId: number,
  state: RecipientState | null,
): AsyncGenerator<readonly Recipient[]> {
  for (let after = -1; ; ) {
    const sending = await sendingOf(source, broadcastId);
    if (sending === undefined) return;
    // Of the recipients that were never attempted, all are cancelled or none.
    if (state === (sending.cancelled ? 'pending' : 'cancelled')) return;
    const { rows } = await source.pool.query<StoredRecipient & { place: number }>(
      `SELECT place, chat_id::float8, state, reason, date::float8 FROM ${source.recipients}.recipients
       WHERE broadcast_id = $1 AND ${await ofItsBot(source.pool, sending)} AND place > $2 AND ($4::int IS NULL OR state = $4) ORDER BY place LIMIT $3`,
      [broadcastId, after, CSV_PAGE, state === null ? null : storedOf(state)],
    );
    if (rows.length > 0) yield rows.map(({ place: _, ...row }) => recipientOf(row, sending));
    if (rows.length < CSV_PAGE) return;
    after = rows.at(-1)!.place;
  }
}

/** SQL that names the bot of a broadcast where its recipients are on one of several nodes: see {@link ofBot}. */
async function ofItsBot(pool: pg.Pool, { bot_id }: Counts): Promise<string> {
  return ofBot('bot_id', await namedBot(pool, bot_id));
}

async function sendingOf({ pool, recipients }: Tables<'recipients'>, broadcastId: number): Promise<Counts | undefined> {
  const { rows } = await pool.query<Counts>(
    `SELECT bot_id, count_recipients, count_delivered, count_not_delivered, count_unknown, cancelled,
            cancelled_at::float8 AS cancelled_at
     FROM ${recipients}.sendings WHERE broadcast_id = $1`,
    [broadcastId],
  );
  return rows[0];
}

interface StoredRecipient {
  readonly chat_id: number;
  readonly state: number;
  readonly reason: string | null;
  readonly date: number | null;
}

function recipientOf({ state: stored, ...row }: StoredRecipient, sending: Counts): Recipient {
  if (stored !== STORED.waiting) return { ...row, state: shownOf(stored) };
  return { ...row, state: sending.cancelled ? 'cancelled' : 'pending', date: sending.cancelled_at };
}

interface Counts {
  readonly bot_id: number;
  readonly count_recipients: number;
  readonly count_delivered: number;
  readonly count_not_delivered: number;
  readonly count_unknown: number;
  readonly cancelled: boolean;
  readonly cancelled_at: number | null;
}

function totalOf(counts: Counts, state: RecipientState | null): number {
  const waiting = counts.count_recipients - counts.count_delivered - counts.count_not_delivered;
  switch (state) {
    case null:
      return counts.count_recipients;
    case 'delivered':
      return counts.count_delivered;
    case 'not_delivered':
      return counts.count_not_delivered - counts.count_unknown;
    case 'unknown':
      return counts.count_unknown;
    case 'pending':
      return counts.cancelled ? 0 : waiting;
    case 'cancelled':
      return counts.cancelled ? waiting : 0;
  }
}

function storedOf(state: RecipientState): number {
  return state === 'pending' || state === 'cancelled' ? STORED.waiting : STORED.attempted[state];
}

function shownOf(stored: number): RecipientState {
  const found = Object.entries(STORED.attempted).find(([, value]) => value === stored);
  if (found === undefined) throw new TypeError(`a recipient in state ${stored}`);
  return found[0] as RecipientState;
}

/** SQL of the state that is shown of a recipient. @param cancelled SQL: the unattempted of its broadcast are cancelled */
export function stateSql(state: string, cancelled: string): string {
  const cases = Object.entries(STORED.attempted).map(([shown, stored]) => `WHEN ${stored} THEN '${shown}'`);
  return `CASE ${state} ${cases.join(' ')} ELSE CASE WHEN ${cancelled} THEN 'cancelled' ELSE 'pending' END END`;
}
