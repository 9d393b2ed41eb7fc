import type { ClientBase } from 'pg';
import { copyRows } from '../../../database/copy-rows.ts';
import { type Chunk, COLUMN_NAMES, numbersOf } from './chunk.ts';
import { encodeColumn } from './columns.ts';
import { chunkBuilder, rowColumns } from './rows.ts';
import { CHANGED_EVENTS, CHANGED_IN_CHUNK, CHANGED_SHARE, CHUNK_EVENTS, NEWEST_EVENTS } from './tables.ts';

/** When and how much is packed, as tables.ts has it. */
export interface PackLimits {
  readonly chunk: number;
  readonly newest: number;
  readonly changed: number;
  readonly share: number;
  readonly changedInChunk: number;
}

const LIMITS: PackLimits = {
  chunk: CHUNK_EVENTS,
  newest: NEWEST_EVENTS,
  changed: CHANGED_EVENTS,
  share: CHANGED_SHARE,
  changedInChunk: CHANGED_IN_CHUNK,
};

/** So many chunks in one go: a rebuild has all of them to make, and each go costs a transaction. */
const CHUNKS_AT_ONCE = 8;

/** Packs some of the events of some bot, or a chunk that has changed anew. Answers whether there is more to pack. */
export async function packSlice(tx: ClientBase, limits: PackLimits = LIMITS): Promise<boolean> {
  const [timeline, next] = await dueTimelines(tx, limits);
  if (timeline === undefined) return false;
  if (timeline.loose >= limits.chunk + limits.newest) await packNext(tx, timeline, limits);
  else await packAnew(tx, timeline, limits);
  return next !== undefined || (await dueTimelines(tx, limits)).length > 0;
}

/** A place in the order of a bot's events. */
interface Place {
  readonly date: number;
  readonly ord: number;
}

interface Timeline {
  readonly bot_id: number;
  readonly until: Place;
  readonly loose: number;
}

/** At most two. */
async function dueTimelines(tx: ClientBase, limits: PackLimits): Promise<Timeline[]> {
  const { chunk, newest, changed, share, changedInChunk } = limits;
  const { rows } = await tx.query<[number, number, number, number]>({
    name: 'events.due_timelines',
    text: `SELECT bot_id, until_date::float8, until_ord::float8, loose::float8 FROM timelines t
            WHERE loose >= $1::bigint OR changed >= $2::bigint + packed / $3::bigint
               OR EXISTS (SELECT FROM chunks c WHERE c.bot_id = t.bot_id AND c.changed >= $4::int)
            ORDER BY bot_id LIMIT 2`,
    values: [chunk + newest, changed, share, changedInChunk],
    rowMode: 'array',
  });
  return rows.map(([bot_id, date, ord, loose]) => ({ bot_id, until: { date, ord }, loose }));
}

async function packNext(
  tx: ClientBase,
  { bot_id, until, loose }: Timeline,
  { chunk, newest }: PackLimits,
): Promise<void> {
  const events = chunk * Math.min(CHUNKS_AT_ONCE, Math.floor((loose - newest) / chunk));
  const { last } = await packRows(tx, bot_id, `${after(until)} ORDER BY e.date, e.ord LIMIT ${events}`, chunk);
  await tx.query({
    name: 'events.packed_next',
    text: `UPDATE timelines SET until_date = $2, until_ord = $3, loose = loose - $4, packed = packed + $4 WHERE bot_id = $1`,
    values: [bot_id, last!.date, last!.ord, events],
  });
}

/** The chunk of which most has changed: into several, where much has been added. */
async function packAnew(tx: ClientBase, { bot_id }: Timeline, { chunk }: PackLimits): Promise<void> {
  const { rows } = await tx.query<[string, number, number, number, number, number | null, number]>({
    name: 'events.most_changed',
    text: `SELECT c.id, c.changed, c.events, c.last_date::float8, c.last_ord::float8, p.last_date::float8, p.last_ord::float8
             FROM (SELECT id, changed, events, last_date, last_ord FROM chunks WHERE bot_id = $1
                    ORDER BY changed DESC, last_date, last_ord LIMIT 1) c
             LEFT JOIN LATERAL (
               SELECT p.last_date, p.last_ord FROM chunks p
                WHERE p.bot_id = $1 AND (p.last_date, p.last_ord) < (c.last_date, c.last_ord)
                ORDER BY p.last_date DESC, p.last_ord DESC LIMIT 1) p ON true`,
    values: [bot_id],
    rowMode: 'array',
  });
  const [id, changed, events, date, ord, beforeDate, beforeOrd] = rows[0]!;
  await tx.query('DELETE FROM chunks WHERE bot_id = $1 AND id = $2', [bot_id, id]);
  const from = beforeDate === null ? '' : after({ date: beforeDate, ord: beforeOrd });
  const most = events + changed;
  const { size } = await packRows(
    tx,
    bot_id,
    `${from} AND (e.date, e.ord) <= (${date}, ${ord}) ORDER BY e.date, e.ord`,
    Math.ceil(most / Math.ceil(most / (1.5 * chunk))),
  );
  await tx.query(
    `WITH done AS (DELETE FROM changed_events WHERE bot_id = $1 AND chunk = $2 RETURNING 1)
     UPDATE timelines SET changed = changed - (SELECT count(*) FROM done), packed = packed + $3 WHERE bot_id = $1`,
    [bot_id, id, size - events],
  );
}

function after({ date, ord }: Place): string {
  return `AND (e.date, e.ord) > (${date}, ${ord})`;
}

/** Packs rows into chunks of so many events. */
async function packRows(
  tx: ClientBase,
  bot_id: number,
  rest: string,
  most: number,
): Promise<{ readonly size: number; readonly last: Place | undefined }> {
  const builder = chunkBuilder(COLUMN_NAMES, most);
  const chunks: Chunk[] = [];
  await copyRows(
    tx,
    `SELECT ${rowColumns(COLUMN_NAMES)} FROM events e WHERE e.bot_id = ${bot_id} ${rest}`,
    COLUMN_NAMES.length,
    (bytes, starts, lengths) => {
      builder.add(bytes, starts, lengths);
      if (builder.size === most) chunks.push(builder.build());
    },
  );
  if (builder.size > 0) chunks.push(builder.build());
  let last: Place | undefined;
  let size = 0;
  for (const chunk of chunks) {
    last = { date: numbersOf(chunk, 'date').at(-1)!, ord: numbersOf(chunk, 'ord').at(-1)! };
    size += chunk.size;
    await addChunk(tx, [bot_id, last.date, last.ord, chunk.size], chunk);
  }
  return { size, last };
}

async function addChunk(tx: ClientBase, key: readonly number[], { columns }: Chunk): Promise<void> {
  await tx.query({
    name: 'events.add_chunk',
    text: `INSERT INTO chunks (bot_id, last_date, last_ord, events, ${COLUMN_NAMES.join()})
           VALUES ($1, $2, $3, $4, ${COLUMN_NAMES.map((_, i) => `$${i + 5}`).join()})`,
    values: [...key, ...COLUMN_NAMES.map((name) => encodeColumn(columns.get(name)!))],
  });
}
