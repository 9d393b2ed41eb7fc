import type { ClientBase } from 'pg';
import {
  CHUNK_EVENTS,
  type Chunk,
  type CodedColumn,
  type ColumnName,
  FIXED_COLUMNS,
  numbersOf,
} from '../../../columns/chunk.ts';
import { chunkBuilder, propertiesBuilder, rowColumns } from '../../../columns/chunk-builder.ts';
import { encodeColumn, encodeProperty } from '../../../columns/encoding.ts';
import { propertyOf } from '../../../columns/properties.ts';
import { copyRows } from '../../../database/copy-rows.ts';
import { shardTrigger } from '../../shard-trigger.ts';
import type { Moment } from '../draft.ts';
import { type ChunkRange, copyToArchive, deleteArchived, eventsOfArchived, isOfChunk } from './archive-chunk.ts';
import { ARCHIVE_DDL } from './archived-rows.ts';
import { dueTimelines, lockDueTimeline, type PackLimits, type Timeline } from './due.ts';

/** Packing is due when a chunk's events and these are not packed. These, the newest, stay unpacked, since late ones may follow. */
export const NEWEST_EVENTS = 512;
/**
 * Packing is also due when this many packed events have changed, plus one of this share of all packed events: reports read
 * changed events one by one. For a single chunk the limit is lower: to pack it again costs less per event, and most late
 * events are only a little late.
 */
const CHANGED_EVENTS = 2000;
const CHANGED_SHARE = 128;
export const CHANGED_IN_CHUNK = 512;

const bytes = FIXED_COLUMNS.map((name) => `  ${name} bytea`).join(',\n');
const storage = FIXED_COLUMNS.map((name) => `ALTER COLUMN ${name} SET STORAGE EXTERNAL`).join(', ');

/** The tables that packing fills from the others. Rows of `archive` count as rows of `events`. */
export const PACKED_TABLES = ['timelines', 'chunks', 'chunk_properties', 'changed_events', 'archive'] as const;

/** Counts the written events of each bot, and records those that belong to chunks. */
const NOTE_WRITTEN = shardTrigger(
  'events',
  ['timelines', 'chunks', 'changed_events'],
  { late: 'int[]' },
  ({ table, value, run }) => {
    const added = `
    INSERT INTO ${table('timelines')} AS t (bot_id, loose, writes) SELECT bot_id, count(*), 1 FROM written GROUP BY bot_id
    ON CONFLICT (bot_id) DO UPDATE SET loose = t.loose + EXCLUDED.loose, writes = t.writes + 1`;
    const changed = `
    UPDATE ${table('timelines')} SET writes = writes + 1 WHERE bot_id IN (SELECT bot_id FROM written)`;
    const late = `
    SELECT array_agg(bot_id)
      FROM (SELECT bot_id, min(date) AS first FROM written GROUP BY bot_id) w JOIN ${table('timelines')} t USING (bot_id)
     WHERE first <= until_date`;
    const note = `
    WITH noted AS (
      INSERT INTO ${table('changed_events')}
      SELECT w.bot_id, c.id, w.user_id, w.date, w.ord
        FROM written w JOIN ${table('timelines')} t USING (bot_id)
       CROSS JOIN LATERAL (
         SELECT id FROM ${table('chunks')} c
          WHERE c.bot_id = w.bot_id AND (c.last_date, c.last_ord) >= (w.date, w.ord)
          ORDER BY c.last_date, c.last_ord LIMIT 1) c
       WHERE w.bot_id = ANY (${value('late')}) AND (w.date, w.ord) <= (t.until_date, t.until_ord)
      ON CONFLICT DO NOTHING
      RETURNING bot_id, chunk),
    counted AS (SELECT bot_id, chunk, count(*)::int FROM noted GROUP BY bot_id, chunk),
    of_chunks AS (
      UPDATE ${table('chunks')} c SET changed = c.changed + n.count FROM counted n
       WHERE c.bot_id = n.bot_id AND c.id = n.chunk)
    UPDATE ${table('timelines')} t
       SET changed = t.changed + n.count, loose = t.loose - CASE ${value('TG_OP')} WHEN 'INSERT' THEN n.count ELSE 0 END
      FROM (SELECT bot_id, sum(count) AS count FROM counted GROUP BY bot_id) n
     WHERE n.bot_id = t.bot_id`;
    return `
    IF TG_OP = 'INSERT' THEN ${run(added)}
    ELSE ${run(changed)}
    END IF;
    ${run(late, 'late')}
    IF late IS NOT NULL THEN ${run(note)}
    END IF;`;
  },
);

/**
 * Events packed for reports, which read whole columns. A chunk is never changed: others replace it. Triggers record every
 * write to `events`, so that no statement can forget it. Events after the last chunk are not packed yet and are read from
 * the rows. For packed events that are in `changed_events`, the rows are right and not the chunk.
 */
export const PACKED_DDL = `
CREATE TABLE timelines (
  bot_id int PRIMARY KEY,
  /* where the last chunk ends */
  until_date bigint NOT NULL DEFAULT -9007199254740991,
  until_ord bigint NOT NULL DEFAULT 0,
  /* events after that; events in chunks; events changed or added since their chunk was packed */
  loose bigint NOT NULL DEFAULT 0,
  packed bigint NOT NULL DEFAULT 0,
  changed bigint NOT NULL DEFAULT 0,
  /* how often events were written, and packed: threads of reports keep what they have read until then */
  writes bigint NOT NULL DEFAULT 0,
  packings bigint NOT NULL DEFAULT 0,
  /* the age in months from which on chunks were archived last; 0: not since the last packing; null: there are no chunks */
  archived_months int,
  /* the date of the last archived event; null: there are none */
  archived_until bigint,
  due boolean NOT NULL GENERATED ALWAYS AS (
    loose >= ${CHUNK_EVENTS + NEWEST_EVENTS} OR changed >= ${CHANGED_EVENTS} + packed / ${CHANGED_SHARE}) STORED
);
CREATE INDEX timelines_due ON timelines (bot_id) WHERE due;
CREATE INDEX timelines_archived ON timelines (archived_months);

CREATE TABLE chunks (
  bot_id int NOT NULL,
  id uuid NOT NULL DEFAULT gen_random_uuid(),
  /* the events up to this one, from the end of the chunk before */
  last_date bigint NOT NULL,
  last_ord bigint NOT NULL,
  events int NOT NULL,
  /* changed or added since it was packed: rows of changed_events */
  changed int NOT NULL DEFAULT 0,
  /* the latest receipt of its events */
  received bigint NOT NULL,
  /* its rows have left the table events */
  archived boolean NOT NULL DEFAULT false,
${bytes},
  PRIMARY KEY (bot_id, last_date, last_ord),
  UNIQUE (bot_id, id)
);
ALTER TABLE chunks ${storage};
CREATE INDEX chunks_due ON chunks (bot_id) WHERE changed >= ${CHANGED_IN_CHUNK};
CREATE INDEX chunks_to_archive ON chunks (bot_id, last_date, last_ord) WHERE NOT archived;
CREATE VIEW packing_due AS
  SELECT bot_id FROM timelines WHERE due UNION ALL SELECT bot_id FROM chunks WHERE changed >= ${CHANGED_IN_CHUNK};

/* the properties that occur in a chunk */
CREATE TABLE chunk_properties (
  bot_id int NOT NULL,
  chunk uuid NOT NULL,
  name text COLLATE "C" NOT NULL,
  bytes bytea NOT NULL,
  PRIMARY KEY (bot_id, chunk, name)
);
ALTER TABLE chunk_properties ALTER COLUMN bytes SET STORAGE EXTERNAL;

CREATE TABLE changed_events (
  bot_id int NOT NULL,
  /* the chunk of the event */
  chunk uuid NOT NULL,
  user_id bigint NOT NULL,
  date bigint NOT NULL,
  ord bigint NOT NULL,
  PRIMARY KEY (bot_id, chunk, date, ord, user_id)
);

CREATE FUNCTION note_written() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$${NOTE_WRITTEN}$$;
CREATE TRIGGER note_added AFTER INSERT ON events
  REFERENCING NEW TABLE AS written FOR EACH STATEMENT EXECUTE FUNCTION note_written();
CREATE TRIGGER note_changed AFTER UPDATE ON events
  REFERENCING NEW TABLE AS written FOR EACH STATEMENT EXECUTE FUNCTION note_written();
${ARCHIVE_DDL}`;

const LIMITS: PackLimits = {
  chunk: CHUNK_EVENTS,
  newest: NEWEST_EVENTS,
  changed: CHANGED_EVENTS,
  share: CHANGED_SHARE,
  changedInChunk: CHANGED_IN_CHUNK,
};

/** The most chunks of one slice: a rebuild makes all chunks, and each slice costs a transaction. */
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
  /** Events changed or added since it was packed. */
  readonly changed: number;
  readonly archived: boolean;
}

/** @param which the rest of a query of `chunks`: the first one is found */
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
 * @param from the FROM item of rows `e`, and the rest of the query
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
