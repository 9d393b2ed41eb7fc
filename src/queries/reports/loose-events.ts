import type { Chunk, Column, ColumnName } from '../../columns/chunk.ts';
import { chunkBuilder, rowColumns } from '../../columns/chunk-builder.ts';
import { bytesOfColumns } from './chunk-cache.ts';
import type { StoredEvents, StoredEventsOptions } from './stored-events.ts';

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
  const found = cache.loose(key);
  const kept = found?.writes === writes && found.packings === packings ? found.chunks : null;
  const missing = kept === null ? names : names.filter((name) => kept.some(({ columns }) => !columns.has(name)));
  let chunks = kept ?? [];
  if (missing.length > 0) {
    const read: Chunk[] = [];
    await readLoose(options, bot, missing, (chunk) => read.push(chunk), ALWAYS);
    // The same rows in the same order as before: nothing was written.
    chunks = kept === null ? read : kept.map((chunk, i) => withColumns(chunk, read[i]!));
    const bytes = chunks.reduce((sum, { columns }) => sum + bytesOfColumns(columns), 0);
    cache.setLoose(key, { writes, packings, chunks, bytes });
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
