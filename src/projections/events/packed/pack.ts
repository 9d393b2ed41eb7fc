import type { ClientBase } from 'pg';
import { type Chunk, type CodedColumn, type ColumnName, FIXED_COLUMNS, numbersOf } from '../../../columns/chunk.ts';
import { chunkBuilder, propertiesBuilder, rowColumns } from '../../../columns/chunk-builder.ts';
import { encodeColumn, encodeProperty } from '../../../columns/encoding.ts';
import { propertyOf } from '../../../columns/property-codes.ts';
import { copyRows } from '../../../database/copy-rows.ts';
import type { Moment } from '../draft.ts';
import { type ChunkRange, copyToArchive, deleteArchived, eventsOfArchived, isOfChunk } from './archive-chunk.ts';
import { dueTimelines, LIMITS, lockDueTimeline, type PackLimits, type Timeline } from './due.ts';

/** The most chunks of one slice. Several at once save transactions in a rebuild, which makes all chunks. */
const CHUNKS_AT_ONCE = 8;

/** Packs some events of one bot, or packs a changed chunk again. @returns whether there is more to pack */
export async function packSlice(tx: ClientBase, limits: PackLimits = LIMITS): Promise<boolean> {
  const timeline = await lockDueTimeline(tx, limits);
  if (timeline === undefined) return false;
  if (timeline.loose >= limits.chunk + limits.newest) await packNext(tx, timeline, limits);
  else await packAgain(tx, timeline, limits);
  return (await dueTimelines(tx, limits, { most: 1 })).length > 0;
}

async function packNext(
  tx: ClientBase,
  { bot_id, until, loose }: Timeline,
  { chunk, newest }: PackLimits,
): Promise<void> {
  const events = chunk * Math.min(CHUNKS_AT_ONCE, Math.floor((loose - newest) / chunk));
  const select = `events e WHERE e.bot_id = ${bot_id} AND (e.date, e.ord) > (${until.date}, ${until.ord})
    ORDER BY e.date, e.ord LIMIT ${events}`;
  const { last } = (await packRows(tx, bot_id, select, chunk)).at(-1)!;
  await tx.query({
    name: 'events.packed_next',
    text: `UPDATE timelines SET until_date = $2, until_ord = $3, loose = loose - $4, packed = packed + $4,
                                packings = packings + 1, archived_months = 0 WHERE bot_id = $1`,
    values: [bot_id, last.date, last.ord, events],
  });
}

/** Packs the chunk with the most changes again. */
async function packAgain(tx: ClientBase, { bot_id }: Timeline, limits: PackLimits): Promise<void> {
  const chunk = await findChunk(tx, bot_id, 'ORDER BY changed DESC, last_date, last_ord');
  await repack(tx, chunk!, limits);
}

export interface StoredChunk extends ChunkRange {
  readonly events: number;
  /** The number of events changed or added since the chunk was packed. */
  readonly changed: number;
  readonly archived: boolean;
}

/** Finds the first chunk of a query. @param which the end of the query of `chunks`: more conditions, or an order */
export async function findChunk(tx: ClientBase, bot_id: number, which: string): Promise<StoredChunk | undefined> {
  const { rows } = await tx.query<[string, number, number, boolean, number, number, number | null, number]>({
    text: `SELECT c.id, c.changed, c.events, c.archived, c.last_date::float8, c.last_ord::float8,
                  p.last_date::float8, p.last_ord::float8
             FROM (SELECT id, changed, events, archived, last_date, last_ord FROM chunks
                    WHERE bot_id = $1 ${which} LIMIT 1) c
             LEFT JOIN LATERAL (
               SELECT p.last_date, p.last_ord FROM chunks p
                WHERE p.bot_id = $1 AND (p.last_date, p.last_ord) < (c.last_date, c.last_ord)
                ORDER BY p.last_date DESC, p.last_ord DESC LIMIT 1) p ON true`,
    values: [bot_id],
    rowMode: 'array',
  });
  if (rows[0] === undefined) return undefined;
  const [id, changed, events, archived, date, ord, beforeDate, beforeOrd] = rows[0];
  const after = beforeDate === null ? null : { date: beforeDate, ord: beforeOrd };
  return { bot_id, id, changed, events, archived, after, last: { date, ord } };
}

/** Packs a chunk again, into several chunks if many events were added. An archived chunk stays archived. */
export async function repack(tx: ClientBase, old: StoredChunk, { chunk }: PackLimits = LIMITS): Promise<void> {
  const { bot_id, id, changed, events, archived } = old;
  await tx.query('DELETE FROM chunks WHERE bot_id = $1 AND id = $2', [bot_id, id]);
  await tx.query('DELETE FROM chunk_properties WHERE bot_id = $1 AND chunk = $2', [bot_id, id]);
  const source = archived ? eventsOfArchived(old) : 'events';
  const most = events + changed;
  const packed = await packRows(
    tx,
    bot_id,
    `${source} e WHERE ${isOfChunk(old)} ORDER BY e.date, e.ord`,
    Math.ceil(most / Math.ceil(most / (1.5 * chunk))),
  );
  const size = packed.reduce((sum, { size }) => sum + size, 0);
  await tx.query(
    `WITH done AS (DELETE FROM changed_events WHERE bot_id = $1 AND chunk = $2 RETURNING 1)
     UPDATE timelines SET changed = changed - (SELECT count(*) FROM done), packed = packed + $3,
                          packings = packings + 1, archived_months = 0 WHERE bot_id = $1`,
    [bot_id, id, size - events],
  );
  if (!archived) return;
  let { after } = old;
  for (const { id, last } of packed) {
    await copyToArchive(tx, { bot_id, id, after, last }, source);
    after = last;
  }
  await tx.query('DELETE FROM archive WHERE bot_id = $1 AND chunk = $2', [bot_id, id]);
  await deleteArchived(tx, old);
}

interface Packed {
  readonly id: string;
  readonly size: number;
  /** The last event. */
  readonly last: Moment;
}

/**
 * Packs rows into chunks of `most` events.
 * @param from SQL: the FROM item with the rows as `e`, and the end of the query
 */
async function packRows(tx: ClientBase, bot_id: number, from: string, most: number): Promise<Packed[]> {
  const builder = chunkBuilder(FIXED_COLUMNS, most);
  const properties = propertiesBuilder(most);
  const chunks: BuiltChunk[] = [];
  const build = () => {
    const ofProperties = properties.build(builder.size);
    chunks.push({ ...builder.build(), properties: ofProperties });
  };
  await copyRows(
    tx,
    `SELECT ${rowColumns(FIXED_COLUMNS)}, e.properties::text FROM ${from}`,
    FIXED_COLUMNS.length + 1,
    (bytes, starts, lengths) => {
      const [start, length] = [starts[FIXED_COLUMNS.length]!, lengths[FIXED_COLUMNS.length]!];
      if (length > 0) properties.add(builder.size, bytes.toString('utf8', start, start + length));
      builder.add(bytes, starts, lengths);
      if (builder.size === most) build();
    },
  );
  if (builder.size > 0) build();
  const packed: Packed[] = [];
  for (const chunk of chunks) {
    const last = { date: numbersOf(chunk, 'date').at(-1)!, ord: numbersOf(chunk, 'ord').at(-1)! };
    const received = numbersOf(chunk, 'date_received').reduce((latest, each) => Math.max(latest, each));
    const id = await addChunk(tx, [bot_id, last.date, last.ord, chunk.size, received], chunk);
    packed.push({ id, size: chunk.size, last });
  }
  return packed;
}

interface BuiltChunk extends Chunk {
  /** A column for each property that occurs. */
  readonly properties: ReadonlyMap<ColumnName, CodedColumn>;
}

async function addChunk(tx: ClientBase, key: readonly number[], { columns, properties }: BuiltChunk): Promise<string> {
  const { rows } = await tx.query<{ id: string }>({
    name: 'events.add_chunk',
    text: `INSERT INTO chunks (bot_id, last_date, last_ord, events, received, ${FIXED_COLUMNS.join()})
           VALUES ($1, $2, $3, $4, $5, ${FIXED_COLUMNS.map((_, i) => `$${i + 6}`).join()}) RETURNING id`,
    values: [...key, ...FIXED_COLUMNS.map((name) => encodeColumn(columns.get(name)!))],
  });
  const { id } = rows[0]!;
  if (properties.size === 0) return id;
  await tx.query({
    name: 'events.add_chunk_properties',
    text: `INSERT INTO chunk_properties (bot_id, chunk, name, bytes)
           SELECT $1, $2, name, bytes FROM unnest($3::text[], $4::bytea[]) AS p (name, bytes)`,
    values: [key[0], id, [...properties.keys()].map(propertyOf), [...properties.values()].map(encodeProperty)],
  });
  return id;
}
