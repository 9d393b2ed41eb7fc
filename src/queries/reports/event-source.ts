import { sql } from 'kysely';
import { type Chunk, type ColumnName, mergeChunks, numbersOf } from '../../projections/events/packed/chunk.ts';
import { decodeColumn } from '../../projections/events/packed/columns.ts';
import { type ChunkBuilder, chunkBuilder, rowColumns } from '../../projections/events/packed/rows.ts';
import type { ChunkCache, Columns } from './chunk-cache.ts';
import type { ReportTables } from './fields.ts';
import { firstFrom } from './positions.ts';
import type { Snapshot } from './snapshot.ts';
import type { Team } from './team.ts';

/** From `from` to before `to`, in milliseconds since 1970 UTC. */
export interface Span {
  readonly from: number;
  readonly to: number;
}

/** Takes the events of a chunk that lie in the span: from position `begin` to before `end`. Chunks come in order of time. */
type OnChunk = (chunk: Chunk, begin: number, end: number) => void;

/** The events of a bot in a span, ordered by (date, ord). */
export interface EventSource {
  /** How many users the bot has. Users' indexes are below that. */
  readonly users: number;
  /** How many combinations of UTM labels the bot has. Their ids are 1 to that number. */
  readonly utms: number;
  /** The id of the bot's first chunk, in the span or not; null: no events are packed. */
  readonly oldestChunk: string | null;
  /** Calls `onChunk` for all events of the span, with these columns and `date`. */
  each(columns: Iterable<ColumnName>, onChunk: OnChunk): Promise<void>;
}

interface EventSourceOptions {
  readonly botId: number;
  readonly tables: ReportTables;
  readonly span: Span;
  readonly snapshot: Snapshot;
  readonly cache: ChunkCache;
}

/** The events of a bot in a span, in a report's snapshot, before any was read. Survives a structured clone. */
export interface StoredEvents {
  readonly bot: BotRow | undefined;
  /** Chunks that have events of the span, in their order. */
  readonly chunks: readonly ChunkRow[];
}

/**
 * Finds the events of a report's snapshot. The query has no parameters, so that it shares a round trip with the snapshot's
 * BEGIN.
 */
export async function findEvents({ botId, tables, span, snapshot }: EventSourceOptions): Promise<StoredEvents> {
  const table = (name: string) => `${tables.events}.${name}`;
  const chunksTable = sql.table(table('chunks'));
  const [id, from, to] = [botId, span.from, span.to].map((number) => sql.lit(number));
  const [bot] = await snapshot.query(sql<BotRow>`
    SELECT b.user_count, b.utm_count, t.until_date::float8, t.until_ord::float8, t.changed::float8, t.loose::float8, t.packed::float8, c.ids, c.sizes,
           (SELECT id FROM ${chunksTable} WHERE bot_id = ${id} ORDER BY last_date, last_ord LIMIT 1) AS oldest
      FROM ${sql.table(table('bots'))} AS b LEFT JOIN ${sql.table(table('timelines'))} AS t USING (bot_id)
     CROSS JOIN LATERAL (
       SELECT string_agg(id::text, ',' ORDER BY last_date, last_ord) AS ids,
              string_agg(events::text, ',' ORDER BY last_date, last_ord) AS sizes
         FROM ${chunksTable} WHERE bot_id = ${id} AND last_date >= ${from}::bigint
          AND last_date <= coalesce((SELECT min(last_date) FROM ${chunksTable} WHERE bot_id = ${id} AND last_date >= ${to}::bigint),
                                    9223372036854775807)) AS c
     WHERE b.bot_id = ${id}`);
  const sizes = bot?.sizes?.split(',') ?? [];
  const chunks = bot?.ids?.split(',').map((id, i): ChunkRow => ({ id, events: Number(sizes[i]) })) ?? [];
  return { bot, chunks };
}

/**
 * Packed events come first, from the cache or the table, merged with the events that were changed or added since they were
 * packed. Then come the events that are not packed yet. A team's leader alone reads rows, and the others get its chunks.
 */
export function openEvents(
  { botId, tables, span, snapshot, cache }: EventSourceOptions,
  { bot, chunks }: StoredEvents,
  team: Team,
): EventSource {
  const table = (name: string) => `${tables.events}.${name}`;
  if (bot === undefined) return { users: 0, utms: 0, oldestChunk: null, each: async () => {} };

  /** By chunk id, the events that were changed or added since the chunk was packed. */
  async function changesOf(names: readonly ColumnName[]): Promise<ReadonlyMap<string, Chunk>> {
    if (!bot!.changed) return new Map();
    const builders = new Map<string, ChunkBuilder>();
    const columns = withOrder(names);
    await snapshot.copy(
      `SELECT ${rowColumns(columns)}, c.chunk::text FROM ${table('changed_events')} c
         JOIN ${table('events')} e USING (bot_id, user_id, date, ord)
        WHERE c.bot_id = ${botId} AND c.date >= ${span.from} AND c.date < ${span.to} ORDER BY e.date, e.ord`,
      columns.length + 1,
      (bytes, starts, lengths) => {
        const at = starts[columns.length]!;
        const chunk = bytes.toString('latin1', at, at + lengths[columns.length]!);
        let builder = builders.get(chunk);
        if (builder === undefined) {
          builder = chunkBuilder(columns, CHANGED_EVENTS);
          builders.set(chunk, builder);
        }
        builder.add(bytes, starts, lengths);
      },
    );
    return new Map([...builders].map(([chunk, builder]) => [chunk, builder.build()]));
  }

  /** Gives the packed chunks in their order. Fetches only columns that the cache does not have. */
  async function eachPacked(
    columnsOf: (chunk: ChunkRow) => readonly ColumnName[],
    onChunk: (chunk: Chunk, row: ChunkRow) => void,
  ): Promise<void> {
    for (let next = 0; next < chunks.length; ) {
      const { row, found, missing } = lookUp(chunks[next]!);
      if (missing.length === 0) {
        snapshot.checkTime();
        cache.hit();
        onChunk({ size: row.events, columns: found }, row);
        next++;
        continue;
      }
      const run: CachedChunk[] = [];
      while (run.length < MAX_RUN_CHUNKS && next < chunks.length) {
        const cached = lookUp(chunks[next]!);
        if (!same(cached.missing, missing)) break;
        run.push(cached);
        next++;
      }
      await fetchRun(run, missing, onChunk);
    }

    function lookUp(row: ChunkRow): CachedChunk {
      const found = cache.get(row.id) ?? NO_COLUMNS;
      return { row, found, missing: columnsOf(row).filter((name) => !found.has(name)) };
    }
  }

  /** Fetches the columns that are missing in all chunks of the run. */
  async function fetchRun(
    run: readonly CachedChunk[],
    missing: readonly ColumnName[],
    onChunk: (chunk: Chunk, row: ChunkRow) => void,
  ): Promise<void> {
    let at = 0;
    await snapshot.copy(
      `SELECT ${missing.join()} FROM ${table('chunks')}
        WHERE bot_id = ${botId} AND id IN (${run.map(({ row }) => `'${row.id}'`).join()}) ORDER BY last_date, last_ord`,
      missing.length,
      (bytes, starts, lengths) => {
        snapshot.checkTime();
        const { row, found } = run[at++]!;
        const columns = new Map(found);
        for (const [i, name] of missing.entries()) {
          const [start, length] = [starts[i]!, lengths[i]!];
          const column = decodeColumn(name, row.events, length < 0 ? null : bytes.subarray(start, start + length));
          columns.set(name, column);
        }
        cache.set(row.id, columns);
        onChunk({ size: row.events, columns }, row);
      },
    );
  }

  async function eachLoose(names: readonly ColumnName[], onChunk: (chunk: Chunk) => void) {
    const builder = chunkBuilder(names, LOOSE_CHUNK_EVENTS);
    const { until_date, until_ord } = bot!;
    const after = until_date === null ? '' : `AND (e.date, e.ord) > (${until_date}, ${until_ord})`;
    // Without this limit PostgreSQL would read the index from the beginning of the period.
    const first = Math.max(span.from, until_date ?? span.from);
    await snapshot.copy(
      `SELECT ${rowColumns(names)} FROM ${table('events')} e
        WHERE e.bot_id = ${botId} AND e.date >= ${first} AND e.date < ${span.to} ${after} ORDER BY e.date, e.ord`,
      names.length,
      (bytes, starts, lengths) => {
        builder.add(bytes, starts, lengths);
        if (builder.size < LOOSE_CHUNK_EVENTS) return;
        snapshot.checkTime();
        onChunk(builder.build());
      },
    );
    if (builder.size > 0) onChunk(builder.build());
  }

  async function looseChunks(names: readonly ColumnName[]): Promise<Chunk[]> {
    const loose: Chunk[] = [];
    await eachLoose(names, (chunk) => loose.push(chunk));
    return loose;
  }

  return {
    users: bot.user_count,
    utms: bot.utm_count,
    oldestChunk: bot.oldest,
    async each(wanted, onChunk) {
      const names = [...new Set<ColumnName>(['date', ...wanted])];
      const give = (chunk: Chunk) => {
        const dates = numbersOf(chunk, 'date');
        const [begin, end] = [firstFrom(dates, span.from), firstFrom(dates, span.to)];
        if (begin < end) onChunk(chunk, begin, end);
      };
      const changes = await team.once(() => changesOf(names));
      await eachPacked(
        ({ id }) => (changes.has(id) ? withOrder(names) : names),
        (chunk, { id }) => {
          const changed = changes.get(id);
          give(changed === undefined ? chunk : mergeChunks(chunk, changed));
        },
      );
      if (team.size === 1) await eachLoose(names, give);
      else for (const chunk of await team.once(() => looseChunks(names))) give(chunk);
    },
  };
}

/** Chunks that one statement fetches. The scan of the first overlaps with the fetch of the others. */
const MAX_RUN_CHUNKS = 500;
/** Events that are not packed are given in chunks of this size. */
const LOOSE_CHUNK_EVENTS = 4096;
/** Initial capacity for the changed events of a chunk; more events grow it. */
const CHANGED_EVENTS = 32;

interface BotRow {
  readonly user_count: number;
  readonly utm_count: number;
  readonly oldest: string | null;
  /** The last packed event; null: no events are packed. */
  readonly until_date: number | null;
  readonly until_ord: number | null;
  /** Packed events that were changed or added later. Null, as the next two: the bot has had no events. */
  readonly changed: number | null;
  /** Events that are not packed. */
  readonly loose: number | null;
  readonly packed: number | null;
  /** Ids of the chunks in their order, separated by commas; null: there are none. */
  readonly ids: string | null;
  /** How many events each chunk has. */
  readonly sizes: string | null;
}

interface ChunkRow {
  readonly id: string;
  readonly events: number;
}

/** A chunk, with the columns that the cache has, and the names of those to fetch. */
interface CachedChunk {
  readonly row: ChunkRow;
  readonly found: Columns;
  readonly missing: readonly ColumnName[];
}

const NO_COLUMNS: Columns = new Map();

function withOrder(names: readonly ColumnName[]): readonly ColumnName[] {
  return names.includes('ord') ? names : [...names, 'ord'];
}

function same(a: readonly ColumnName[], b: readonly ColumnName[]): boolean {
  return a.length === b.length && a.every((name, i) => name === b[i]);
}
