import { type Chunk, type Column, type ColumnName, numbersOf } from '../../columns/chunk.ts';
import { chunkBuilder, rowColumns } from '../../columns/chunk-builder.ts';
import { decodeColumn } from '../../columns/encoding.ts';
import type { EventSource, OnChunk } from '../../columns/event-source.ts';
import { firstFrom } from '../../columns/positions.ts';
import { propertyOf } from '../../columns/property-codes.ts';
import { readChangedChunks } from './changed-chunks.ts';
import { bytesOfColumns, type Columns, type Kept, TOO_LARGE } from './chunk-cache.ts';
import type { StoredChunk, StoredEvents, StoredEventsOptions } from './stored-events.ts';

/**
 * The events of a bot as the database has them. Packed events come first, from the cache or the table, merged with the events
 * that were changed or added since they were packed. Then come the events that are not packed yet.
 */
export class StoredEventSource implements EventSource {
  readonly users: number;
  /** How many combinations of UTM labels the bot has. Their ids are 1 to that number. */
  readonly utms: number;
  /** The id of the bot's first chunk, in the span or not; null: no events are packed. */
  readonly oldestChunk: string | null;
  readonly #options: StoredEventsOptions;
  readonly #stored: StoredEvents;

  constructor(options: StoredEventsOptions, stored: StoredEvents) {
    this.#options = options;
    this.#stored = stored;
    this.users = stored.bot?.user_count ?? 0;
    this.utms = stored.bot?.utm_count ?? 0;
    this.oldestChunk = stored.oldestChunk;
  }

  async each(wanted: Iterable<ColumnName>, onChunk: OnChunk): Promise<void> {
    const { span } = this.#options;
    const { bot } = this.#stored;
    if (bot === undefined) return;
    const names = [...new Set<ColumnName>(['date', ...wanted])];
    const give = (chunk: Chunk) => {
      const dates = numbersOf(chunk, 'date');
      const [begin, end] = [firstFrom(dates, span.from), firstFrom(dates, span.to)];
      if (begin < end) onChunk(chunk, begin, end);
    };
    const changed = await readChangedChunks(this.#options, this.#stored, names);
    await this.#eachPacked(
      (row) => changed.needs(row) ?? names,
      (chunk, row) => give(changed.merge(row, chunk)),
    );
    await eachLoose(this.#options, bot, names, give);
  }

  /** Gives the packed chunks in their order. Fetches only columns that the cache does not have. */
  async #eachPacked(columnsOf: (chunk: StoredChunk) => readonly ColumnName[], onChunk: OnStoredChunk): Promise<void> {
    const { chunks } = this.#stored;
    const { snapshot, cache } = this.#options;
    const lookUp = (row: StoredChunk): CachedChunk => {
      const columns = columnsOf(row);
      // A merged chunk needs no columns. Their entry may leave the cache first.
      const found = (columns.length === 0 ? undefined : cache.get(row.id)) ?? NO_COLUMNS;
      return { row, found, missing: columns.filter((name) => !found.has(name)) };
    };
    for (let next = 0; next < chunks.length; ) {
      const { row, found, missing } = lookUp(chunks[next]!);
      if (missing.length === 0) {
        snapshot.checkTime();
        cache.hit();
        onChunk({ size: row.events, columns: found }, row);
        next++;
        continue;
      }
      const fetched: CachedChunk[] = [];
      while (fetched.length < MOST_FETCHED && next < chunks.length) {
        const cached = lookUp(chunks[next]!);
        if (!same(cached.missing, missing)) break;
        fetched.push(cached);
        next++;
      }
      await this.#fetch(fetched, missing, onChunk);
    }
  }

  /** Fetches the columns that are missing in each of the chunks. */
  async #fetch(chunks: readonly CachedChunk[], missing: readonly ColumnName[], onChunk: OnStoredChunk): Promise<void> {
    const { botId, snapshot, cache } = this.#options;
    let at = 0;
    await snapshot.copy(
      `SELECT ${missing.map((name) => this.#bytesOf(name)).join()} FROM ${this.#table('chunks')} c
        WHERE bot_id = ${botId} AND id IN (${chunks.map(({ row }) => `'${row.id}'`).join()}) ORDER BY last_date, last_ord`,
      missing.length,
      (bytes, starts, lengths) => {
        snapshot.checkTime();
        const { row, found } = chunks[at++]!;
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
  #bytesOf(name: ColumnName): string {
    const property = propertyOf(name);
    if (property === null) return name;
    return `(SELECT p.bytes FROM ${this.#table('chunk_properties')} p
              WHERE p.bot_id = ${this.#options.botId} AND p.chunk = c.id AND p.name = '${property}')`;
  }

  #table(name: string): string {
    return `${this.#options.tables.events}.${name}`;
  }
}

type OnStoredChunk = (chunk: Chunk, row: StoredChunk) => void;

/** Chunks that one statement fetches. The scan of the first overlaps with the fetch of the others. */
const MOST_FETCHED = 500;

/** A chunk, with the columns that the cache has, and the names of those to fetch. */
interface CachedChunk {
  readonly row: StoredChunk;
  readonly found: Columns;
  readonly missing: readonly ColumnName[];
}

const NO_COLUMNS: Columns = new Map();

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
async function eachLoose(
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
