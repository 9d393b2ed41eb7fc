import type { ClientBase } from 'pg';
import { CHUNK_EVENTS } from '../../../columns/chunk.ts';
import { namesBots, ofBot } from '../../../database/of-bot.ts';
import { nameOf } from '../../batch-sql.ts';
import type { Moment } from '../draft.ts';

/** Packing is due when a chunk's events and these are not packed. These, the newest, stay unpacked, since late ones may follow. */
export const NEWEST_EVENTS = 512;
/**
 * Packing is also due when this many packed events have changed, plus one of this share of all packed events: reports read
 * changed events one by one. For a single chunk the limit is lower: to pack it again costs less per event, and most late
 * events are only a little late.
 */
export const CHANGED_EVENTS = 2000;
export const CHANGED_SHARE = 128;
export const CHANGED_IN_CHUNK = 512;

/** When packing is due, and the size of a chunk. */
export interface PackLimits {
  readonly chunk: number;
  readonly newest: number;
  readonly changed: number;
  readonly share: number;
  readonly changedInChunk: number;
}

export const LIMITS: PackLimits = {
  chunk: CHUNK_EVENTS,
  newest: NEWEST_EVENTS,
  changed: CHANGED_EVENTS,
  share: CHANGED_SHARE,
  changedInChunk: CHANGED_IN_CHUNK,
};

export interface Timeline {
  readonly bot_id: number;
  readonly until: Moment;
  readonly loose: number;
}

/** Of the bots of a cluster where packing is due, so many are looked at in turn for one that no other projector writes. */
const MOST_DUE = 20;

/**
 * Locks the first timeline where packing is due. Leaves out timelines that another transaction has locked: a batch of
 * that bot (it must not write events during their packing), or a packing. That projector packs the rest. A cluster locks
 * only rows of a bot that the statement names.
 */
export async function lockDueTimeline(tx: ClientBase, limits: PackLimits): Promise<Timeline | undefined> {
  if (!(await namesBots(tx))) return (await dueTimelines(tx, limits, { most: 1, lock: true }))[0];
  for (const { bot_id } of await dueTimelines(tx, limits, { most: MOST_DUE })) {
    const [timeline] = await dueTimelines(tx, limits, { most: 1, lock: true, only: bot_id });
    if (timeline !== undefined) return timeline;
  }
  return undefined;
}

interface WhichTimelines {
  readonly most: number;
  /** Locks them, and leaves out locked ones. */
  readonly lock?: boolean;
  /** Only this bot's. */
  readonly only?: number | null;
}

/** The first timelines where packing is due. */
export async function dueTimelines(
  tx: ClientBase,
  limits: PackLimits,
  { most, lock = false, only = null }: WhichTimelines,
): Promise<Timeline[]> {
  const { chunk, newest, changed, share, changedInChunk } = limits;
  const { rows } = await tx.query<[number, number, number, number]>({
    name: nameOf(lock ? 'events.lock_due_timeline' : 'events.due_timeline', only),
    text: `SELECT bot_id, until_date::float8, until_ord::float8, loose::float8 FROM timelines t
            WHERE ${ofBot('t.bot_id', only)}
              AND (loose >= $1::bigint OR changed >= $2::bigint + packed / $3::bigint
                   OR EXISTS (SELECT FROM chunks c WHERE c.bot_id = t.bot_id AND ${ofBot('c.bot_id', only)} AND c.changed >= $4::int))
            ORDER BY bot_id LIMIT $5 ${lock ? 'FOR UPDATE SKIP LOCKED' : ''}`,
    values: [chunk + newest, changed, share, changedInChunk, most],
    rowMode: 'array',
  });
  return rows.map(([bot_id, date, ord, loose]) => ({ bot_id, until: { date, ord }, loose }));
}
