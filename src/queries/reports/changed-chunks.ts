import { sql } from 'kysely';
import type { Chunk, Column, ColumnName } from '../../columns/chunk.ts';
import { type ChunkBuilder, chunkBuilder, rowColumns } from '../../columns/chunk-builder.ts';
import { mergeChunks } from '../../columns/merge-chunks.ts';
import { bytesOfColumns, type Kept, TOO_LARGE } from './chunk-cache.ts';
import type { StoredChunk, StoredEvents, StoredEventsOptions } from './stored-events.ts';

type Bot = NonNullable<StoredEvents['bot']>;

/** Chunks with events that were changed or added since they were packed, merged with these events. */
export interface ChangedChunks {
  /** The columns that {@link merge} needs of the chunk. Null: the chunk has not changed. */
  needs(chunk: StoredChunk): readonly ColumnName[] | null;
  /** @param packed the chunk with these columns */
  merge(chunk: StoredChunk, packed: Chunk): Chunk;
}

const UNCHANGED: ChangedChunks = { needs: () => null, merge: (_, packed) => packed };

/** A chunk as a thread keeps it until the chunk changes again or is replaced. */
interface KeptMerged extends Kept {
  readonly lastWrite: number;
  readonly merged: Chunk;
}

/** Reads the changed events of chunks that the thread does not keep merged, with these columns. */
export async function readChangedChunks(
  options: StoredEventsOptions,
  { bot, chunks }: StoredEvents,
  names: readonly ColumnName[],
): Promise<ChangedChunks> {
  if (!bot?.changed) return UNCHANGED;
  const { cache } = options;
  const lastWrites = await lastWritesOf(options, bot);
  const keyOf = (id: string) => `${bot.source} ${id} merged`;
  const keptOf = (id: string): Chunk | null => {
    const kept = cache.kept<KeptMerged>(keyOf(id));
    return kept !== undefined && kept !== TOO_LARGE && kept.lastWrite === lastWrites.get(id) ? kept.merged : null;
  };
  const [complete, others] = [new Map<string, Chunk>(), new Map<string, Chunk | null>()];
  const missing = new Set<ColumnName>();
  for (const { id } of chunks) {
    if (!lastWrites.has(id)) continue;
    const kept = keptOf(id);
    const absent = names.filter((name) => !kept?.columns.has(name));
    if (kept !== null && absent.length === 0) complete.set(id, kept);
    else others.set(id, kept);
    for (const name of absent) missing.add(name);
  }
  const needed = [...new Set<ColumnName>([...missing, 'date', 'ord'])];
  const changed = await changedEvents(options, [...others.keys()], needed);
  return {
    needs: ({ id }) => (complete.has(id) ? [] : others.has(id) ? needed : null),
    merge({ id }, packed) {
      const kept = complete.get(id);
      complete.delete(id); // the cache may have evicted it since
      if (kept !== undefined) return kept;
      const incomplete = others.get(id);
      if (incomplete === undefined) return packed;
      const more = mergeChunks(packed, changed.get(id)!);
      const columns = new Map<ColumnName, Column>([...more.columns, ...(incomplete?.columns ?? [])]);
      const merged = { size: more.size, columns };
      const entry: KeptMerged = { lastWrite: lastWrites.get(id)!, merged, bytes: bytesOfColumns(columns) };
      cache.keep(keyOf(id), entry);
      return merged;
    },
  };
}

/** The changed chunks of a bot, as a thread keeps them until events are written or packed. */
interface KeptLastWrites extends Kept {
  readonly writes: number;
  readonly packings: number;
  readonly lastWrites: ReadonlyMap<string, number>;
}

/** Bytes of a chunk in the list. */
const LISTED_BYTES = 150;

/** By chunk id, the number of the bot's write that changed events of the chunk last. */
async function lastWritesOf(
  { botId, tables, snapshot, cache }: StoredEventsOptions,
  { source, writes, packings }: Bot,
): Promise<ReadonlyMap<string, number>> {
  const key = `${source} ${botId} last writes`;
  const found = cache.kept<KeptLastWrites>(key);
  const kept = found === TOO_LARGE || found?.packings !== packings || found.writes > writes! ? undefined : found;
  if (kept?.writes === writes) return kept.lastWrites;
  const [row] = await snapshot.query(sql<Record<'ids' | 'writes', string | null>>`
    SELECT string_agg(id::text, ',' ORDER BY id) AS ids, string_agg(last_write::text, ',' ORDER BY id) AS writes
      FROM ${sql.id(tables.events, 'chunks')}
     WHERE bot_id = ${botId} AND last_write > 0 AND last_write > ${kept?.writes ?? 0}::bigint`);
  const numbers = row!.writes?.split(',') ?? [];
  const read = (row!.ids?.split(',') ?? []).map((id, i) => [id, Number(numbers[i])] as const);
  const lastWrites = new Map([...(kept?.lastWrites ?? []), ...read]);
  const entry: KeptLastWrites = {
    writes: writes!,
    packings: packings!,
    lastWrites,
    bytes: lastWrites.size * LISTED_BYTES,
  };
  cache.keep(key, entry);
  return lastWrites;
}

/** Initial capacity for the changed events of a chunk; more events grow it. */
const CHANGED_EVENTS = 32;

/** By chunk id, the events that were changed or added since the chunk was packed. */
async function changedEvents(
  { botId, tables, snapshot }: StoredEventsOptions,
  chunks: readonly string[],
  columns: readonly ColumnName[],
): Promise<ReadonlyMap<string, Chunk>> {
  const builders = new Map<string, ChunkBuilder>();
  if (chunks.length === 0) return new Map();
  await snapshot.copy(
    `SELECT ${rowColumns(columns)}, c.chunk::text FROM ${tables.events}.changed_events c
       JOIN ${tables.events}.events e USING (bot_id, user_id, date, ord)
      WHERE c.bot_id = ${botId} AND c.chunk IN (${chunks.map((id) => `'${id}'`).join()}) ORDER BY c.chunk, c.date, c.ord`,
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
