import { type RawBuilder, sql } from 'kysely';
import { CHUNK_EVENTS } from '../../columns/chunk.ts';
import type { Snapshot } from '../../database/snapshot.ts';
import { SERVER_SINCE, withConstants } from '../../database/statement.ts';
import type { KnownEvent, KnownProperty, NamedEvent, NamedProperty } from '../../domain/reports/warnings.ts';
import { type ChunkCache, type Kept, TOO_LARGE } from './chunk-cache.ts';
import { typesOf } from './event-types-and-labels.ts';
import type { ReportTables } from './field-sql.ts';

/** From `from` to before `to`, in milliseconds since 1970 UTC. */
export interface Span {
  readonly from: number;
  readonly to: number;
}

/** A chunk in a list. */
export interface StoredChunk {
  readonly id: string;
  readonly events: number;
  /** The date of its last event. */
  readonly last: number;
}

/** Where the events of a bot in a span are stored, in a report's snapshot. No event is read yet. */
export interface StoredEvents {
  readonly bot: BotRow | undefined;
  /** Chunks that may have events of the span, in the order of their events. */
  readonly chunks: readonly StoredChunk[];
  /** The id of the bot's first chunk, in the span or not; null: no events are packed. */
  readonly oldestChunk: string | null;
  /** The event types that the report names. */
  readonly known: readonly CountedEvent[];
  /** The custom properties that the report names and that events have. */
  readonly properties: readonly KnownProperty[];
}

/** A time before every event (the first day of a JavaScript date), and a time after every event. */
export const ALWAYS = -8_640_000_000_000_000;
export const NEVER = 8_640_000_000_000_001;

/** The events and properties that a report names. */
export interface NamedThings {
  readonly events: readonly NamedEvent[];
  readonly properties: readonly NamedProperty[];
}

/** An event type of the bot. */
interface CountedEvent extends KnownEvent {
  readonly count: number;
}

/** The fields from `until_date` on are null if the bot has had no events. */
interface BotRow {
  readonly user_count: number;
  readonly utm_count: number;
  /** Identifies the source of the numbers below. It changes after a rebuild, and after a restart or crash of the server. */
  readonly source: string;
  /** The last packed event. */
  readonly until_date: number | null;
  readonly until_ord: number | null;
  /** The number of packed events that were changed or added later. */
  readonly changed: number | null;
  /** The number of events that are not packed. */
  readonly loose: number | null;
  readonly packed: number | null;
  /** How often a projector has written events (`writes`) and packed events (`packings`). */
  readonly writes: number | null;
  readonly packings: number | null;
}

export interface StoredEventsOptions {
  readonly botId: number;
  readonly tables: ReportTables;
  readonly span: Span;
  readonly snapshot: Snapshot;
  readonly cache: ChunkCache;
}

const NOTHING_NAMED: NamedThings = { events: [], properties: [] };

/**
 * Finds the chunks of a report's snapshot, and the event types and properties that the report names. The query has no
 * parameters, so that one round trip sends it with the snapshot's BEGIN.
 */
export async function findEvents(
  options: StoredEventsOptions,
  named: NamedThings = NOTHING_NAMED,
): Promise<StoredEvents> {
  const { botId, tables, span, snapshot } = options;
  const table = (name: string) => sql.id(tables.events, name);
  const [found] = await snapshot.query<FoundRow>(
    sql.raw(
      withConstants(sql`
        SELECT b.user_count, b.utm_count, concat_ws(' ', t.tableoid, ${SERVER_SINCE}) AS source,
               t.until_date::float8, t.until_ord::float8, t.changed::float8, t.loose::float8, t.packed::float8,
               t.writes::float8, t.packings::float8, ${namedSql(options, named)}
          FROM ${table('bots')} AS b LEFT JOIN ${table('timelines')} AS t USING (bot_id) WHERE b.bot_id = ${botId}`),
    ),
  );
  if (found === undefined) return { bot: undefined, chunks: [], oldestChunk: null, known: [], properties: [] };
  const { known, properties, ...bot } = found;
  const chunks = await chunksOf(options, bot);
  return {
    bot,
    ...chunks,
    chunks: inSpan(chunks.chunks, span),
    ...namedOf({ known, properties }),
  };
}

interface FoundRow extends BotRow, NamedRow {}

/** As {@link findEvents}, but only the event types and properties. */
export async function findNamed(
  options: StoredEventsOptions,
  named: NamedThings,
): Promise<Pick<StoredEvents, 'known' | 'properties'>> {
  if (named.events.length + named.properties.length === 0) return { known: [], properties: [] };
  const select = withConstants(sql`SELECT ${namedSql(options, named)}`);
  const [row] = await options.snapshot.query<NamedRow>(sql.raw(select));
  return namedOf(row!);
}

interface NamedRow {
  /** Ids, names and counts. */
  readonly known: readonly (readonly [number, string, number])[] | null;
  /** Names, each with the bits of its types, as the table has them. */
  readonly properties: readonly (readonly [string, number])[] | null;
}

function namedOf({ known, properties }: NamedRow): Pick<StoredEvents, 'known' | 'properties'> {
  return {
    known: known?.map(([event_id, name, count]) => ({ event_id, name, count })) ?? [],
    properties: properties?.map(([name, bits]) => ({ name, types: typesOf(bits) })) ?? [],
  };
}

/** The columns of {@link NamedRow}. */
function namedSql(options: StoredEventsOptions, { events, properties }: NamedThings): RawBuilder<unknown> {
  const known = events.length === 0 ? sql`NULL` : sql`(${knownEventsSql(options, events)})`;
  const ofBot = properties.length === 0 ? sql`NULL` : sql`(${knownPropertiesSql(options, properties)})`;
  return sql`${known} AS known, ${ofBot} AS properties`;
}

function knownEventsSql({ botId, tables }: StoredEventsOptions, named: readonly NamedEvent[]): RawBuilder<unknown> {
  const ids = JSON.stringify(named.map(({ eventId }) => eventId));
  const names = JSON.stringify(named.flatMap(({ name }) => (name === undefined ? [] : [name])));
  return sql`SELECT json_agg(json_build_array(event_id, name, count) ORDER BY event_id)
    FROM ${sql.id(tables.events, 'event_types')}
   WHERE bot_id = ${botId} AND (event_id = ANY (ARRAY(SELECT json_array_elements_text(${ids}::json)::bigint))
                                OR name = ANY (ARRAY(SELECT json_array_elements_text(${names}::json))))`;
}

function knownPropertiesSql(
  { botId, tables }: StoredEventsOptions,
  named: readonly NamedProperty[],
): RawBuilder<unknown> {
  const names = JSON.stringify([...new Set(named.map(({ name }) => name))]);
  return sql`SELECT json_agg(json_build_array(name, types))
    FROM ${sql.id(tables.events, 'event_properties')}
   WHERE bot_id = ${botId} AND types <> 0 AND name = ANY (ARRAY(SELECT json_array_elements_text(${names}::json)))`;
}

/** A thread keeps the list of a bot's chunks until events are packed again. */
interface KeptChunks extends Kept {
  readonly packings: number;
  readonly chunks: readonly StoredChunk[];
}

/** Memory of one entry of the list, in bytes (estimated). */
const LISTED_BYTES = 150;
/** The thread does not keep a longer list: each packing would read the whole list again, but a short period needs a part. */
const MOST_KEPT = 4096;

async function chunksOf(
  options: StoredEventsOptions,
  { source, packings, packed }: BotRow,
): Promise<Pick<StoredEvents, 'chunks' | 'oldestChunk'>> {
  if (!packings) return { chunks: [], oldestChunk: null };
  const { cache, span } = options;
  if ((packed ?? 0) > MOST_KEPT * CHUNK_EVENTS) {
    const [oldest] = await readChunks(options, sql`ORDER BY last_date, last_ord LIMIT 1`);
    const next = sql`(SELECT min(last_date) FROM ${chunksTable(options)} WHERE bot_id = ${options.botId} AND last_date >= ${span.to}::bigint)`;
    const within = sql`AND last_date >= ${span.from}::bigint AND last_date <= coalesce(${next}, ${span.to}::bigint)`;
    return { chunks: await readChunks(options, within), oldestChunk: oldest?.id ?? null };
  }
  const key = `${source} ${options.botId} chunks`;
  const found = cache.kept<KeptChunks>(key);
  let kept = found === TOO_LARGE ? undefined : found;
  if (kept?.packings !== packings) {
    const chunks = await readChunks(options, sql``);
    kept = { packings, chunks, bytes: chunks.length * LISTED_BYTES };
    cache.keep(key, kept);
  }
  return { chunks: kept.chunks, oldestChunk: kept.chunks[0]?.id ?? null };
}

/** Reads the list as one row of long texts: one row for each chunk takes longer. */
async function readChunks(options: StoredEventsOptions, rest: RawBuilder<unknown>): Promise<StoredChunk[]> {
  const list = (column: string) =>
    sql`string_agg(${sql.ref(column)}::text, ',' ORDER BY last_date, last_ord) AS ${sql.id(column)}`;
  const [row] = await options.snapshot.query(sql<Record<'id' | 'events' | 'last_date', string | null>>`
    SELECT ${list('id')}, ${list('events')}, ${list('last_date')}
      FROM (SELECT id, events, last_date, last_ord FROM ${chunksTable(options)} WHERE bot_id = ${options.botId} ${rest}) AS c`);
  const [ids, events, dates] = [row!.id, row!.events, row!.last_date].map((text) => text?.split(',') ?? []);
  return ids!.map((id, i) => ({ id, events: Number(events![i]), last: Number(dates![i]) }));
}

function chunksTable({ tables }: StoredEventsOptions) {
  return sql.id(tables.events, 'chunks');
}

/** The chunks whose events may lie in the span. Each chunk begins where the chunk before it ends. */
function inSpan(chunks: readonly StoredChunk[], { from, to }: Span): readonly StoredChunk[] {
  const after = chunks.find(({ last }) => last >= to)?.last ?? Number.POSITIVE_INFINITY;
  return chunks.filter(({ last }) => last >= from && last <= after);
}
