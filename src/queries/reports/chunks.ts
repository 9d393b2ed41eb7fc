import { type Chunk, type Column, type ColumnName, mergeChunks, numbersOf } from '../../columns/chunk.ts';
import { type ChunkBuilder, chunkBuilder, rowColumns } from '../../columns/chunk-builder.ts';
import { decodeColumn } from '../../columns/encoding.ts';
import type { EventSource } from '../../columns/event-source.ts';
import { firstFrom } from '../../columns/positions.ts';
import { propertyOf } from '../../columns/properties.ts';
import { bytesOfColumns, type Columns, type Kept, TOO_LARGE } from './chunk-cache.ts';
import type { StoredChunk, StoredEvents, StoredEventsOptions } from './stored-events.ts';
import type { Team } from './team.ts';

/** The events of a bot as the database has them. */
export interface StoredEventSource extends EventSource {
  /** How many combinations of UTM labels the bot has. Their ids are 1 to that number. */
  readonly utms: number;
  /** The id of the bot's first chunk, in the span or not; null: no events are packed. */
  readonly oldestChunk: string | null;
}

/**
 * Packed events come first, from the cache or the table, merged with the events that were changed or added since they were
 * packed. Then come the events that are not packed yet. A team's leader alone reads rows, and the others get its chunks.
 */
export function openEvents(
  options: StoredEventsOptions,
  { bot, chunks, oldestChunk }: StoredEvents,
  team: Team,
): StoredEventSource {
  const { botId, tables, span, snapshot, cache } = options;
  const table = (name: string) => `${tables.events}.${name}`;
  if (bot === undefined) return { users: 0, utms: 0, oldestChunk, each: async () => {} };

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
    columnsOf: (chunk: StoredChunk) => readonly ColumnName[],
    onChunk: (chunk: Chunk, row: StoredChunk) => void,
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

    function lookUp(row: StoredChunk): CachedChunk {
      const found = cache.get(row.id) ?? NO_COLUMNS;
      return { row, found, missing: columnsOf(row).filter((name) => !found.has(name)) };
    }
  }

  /** Fetches the columns that are missing in all chunks of the run. */
  async function fetchRun(
    run: readonly CachedChunk[],
    missing: readonly ColumnName[],
    onChunk: (chunk: Chunk, row: StoredChunk) => void,
  ): Promise<void> {
    let at = 0;
    await snapshot.copy(
      `SELECT ${missing.map(bytesOf).join()} FROM ${table('chunks')} c
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

  /** SQL: the bytes of a column of the chunk `c`. */
  function bytesOf(name: ColumnName): string {
    const property = propertyOf(name);
    if (property === null) return name;
    return `(SELECT p.bytes FROM ${table('chunk_properties')} p
              WHERE p.bot_id = ${botId} AND p.chunk = c.id AND p.name = '${property}')`;
  }

  async function looseChunks(names: readonly ColumnName[]): Promise<Chunk[]> {
    const loose: Chunk[] = [];
    await eachLoose(options, bot!, names, (chunk) => loose.push(chunk));
    return loose;
  }

  /** By the names of their columns. */
  const shared = new Map<string, SharedEvents>();

  /**
   * The events that the leader reads and gives to the others. The threads of a team take the same steps, but a thread whose users
   * have many events repeats a scan more often than another: a repeated scan takes no step.
   */
  async function sharedEvents(names: readonly ColumnName[]): Promise<SharedEvents> {
    const key = names.join();
    let events = shared.get(key);
    if (events === undefined) {
      events = await team.once(async () => ({ changes: await changesOf(names), loose: await looseChunks(names) }));
      shared.set(key, events);
    }
    return events;
  }

  return {
    users: bot.user_count,
    utms: bot.utm_count,
    oldestChunk,
    async each(wanted, onChunk) {
      const names = [...new Set<ColumnName>(['date', ...wanted])];
      const give = (chunk: Chunk) => {
        const dates = numbersOf(chunk, 'date');
        const [begin, end] = [firstFrom(dates, span.from), firstFrom(dates, span.to)];
        if (begin < end) onChunk(chunk, begin, end);
      };
      const isAlone = team.size === 1;
      const { changes, loose } = isAlone ? { changes: await changesOf(names), loose: [] } : await sharedEvents(names);
      await eachPacked(
        ({ id }) => (changes.has(id) ? withOrder(names) : names),
        (chunk, { id }) => {
          const changed = changes.get(id);
          give(changed === undefined ? chunk : mergeChunks(chunk, changed));
        },
      );
      if (isAlone) await eachLoose(options, bot, names, give);
      for (const chunk of loose) give(chunk);
    },
  };
}

/** Events that are read from rows. */
interface SharedEvents {
  /** By chunk id, those that were changed or added since the chunk was packed. */
  readonly changes: ReadonlyMap<string, Chunk>;
  /** Those that are not packed yet. */
  readonly loose: readonly Chunk[];
}

/** Chunks that one statement fetches. The scan of the first overlaps with the fetch of the others. */
const MAX_RUN_CHUNKS = 500;
/** Initial capacity for the changed events of a chunk; more events grow it. */
const CHANGED_EVENTS = 32;

/** A chunk, with the columns that the cache has, and the names of those to fetch. */
interface CachedChunk {
  readonly row: StoredChunk;
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

/** Events that are not packed, as a thread keeps them until events are written or packed. */
interface KeptLooseEvents extends Kept {
  readonly writes: number;
  readonly packings: number;
  readonly chunks: readonly Chunk[];
}

/** Events that are not packed are given in chunks of this size. */
const LOOSE_CHUNK_EVENTS = 4096;
/** More rows than these are not kept. */
const MOST_KEPT = 16_384;

/** Gives the events of the span that are not packed, perhaps with others. */
export async function eachLoose(
  options: StoredEventsOptions,
  bot: NonNullable<StoredEvents['bot']>,
  names: readonly ColumnName[],
  onChunk: (chunk: Chunk) => void,
): Promise<void> {
  const { span, cache } = options;
  const { until_date, source, loose, writes, packings } = bot;
  if (writes === null || packings === null || (until_date !== null && span.to <= until_date)) return;
  if ((loose ?? 0) > MOST_KEPT) return readLoose(options, bot, names, onChunk, span);
  const key = `${source} ${options.botId} loose`;
  const found = cache.kept<KeptLooseEvents>(key);
  const isKept = found !== undefined && found !== TOO_LARGE && found.writes === writes && found.packings === packings;
  const kept = isKept ? found.chunks : null;
  const missing = kept === null ? names : names.filter((name) => kept.some(({ columns }) => !columns.has(name)));
  let chunks = kept ?? [];
  if (missing.length > 0) {
    const read: Chunk[] = [];
    await readLoose(options, bot, missing, (chunk) => read.push(chunk), ALWAYS);
    // The same rows in the same order as before: nothing was written.
    chunks = kept === null ? read : kept.map((chunk, i) => withColumns(chunk, read[i]!));
    const bytes = chunks.reduce((sum, { columns }) => sum + bytesOfColumns(columns), 0);
    const events: KeptLooseEvents = { writes, packings, chunks, bytes };
    cache.keep(key, events);
  }
  for (const chunk of chunks) onChunk(chunk);
}

/** Before and after all dates. */
const ALWAYS = { from: Number.MIN_SAFE_INTEGER, to: Number.MAX_SAFE_INTEGER };

function withColumns({ size, columns }: Chunk, more: Chunk): Chunk {
  return { size, columns: new Map<ColumnName, Column>([...columns, ...more.columns]) };
}

async function readLoose(
  { botId, tables, snapshot }: StoredEventsOptions,
  { until_date, until_ord }: NonNullable<StoredEvents['bot']>,
  names: readonly ColumnName[],
  onChunk: (chunk: Chunk) => void,
  { from, to }: StoredEventsOptions['span'],
): Promise<void> {
  const builder = chunkBuilder(names, LOOSE_CHUNK_EVENTS);
  const after = until_date === null ? '' : `AND (e.date, e.ord) > (${until_date}, ${until_ord})`;
  // Without this limit PostgreSQL would read the index from the beginning of the period.
  const first = Math.max(from, until_date ?? from);
  await snapshot.copy(
    `SELECT ${rowColumns(names)} FROM ${tables.events}.events e
      WHERE e.bot_id = ${botId} AND e.date >= ${first} AND e.date < ${to} ${after} ORDER BY e.date, e.ord`,
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
