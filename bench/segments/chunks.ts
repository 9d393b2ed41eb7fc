import { sql } from 'kysely';
import { type Chunk, type Column, type ColumnName, numbersOf } from '../../src/columns/chunk.ts';
import type { EventSource, OnChunk } from '../../src/columns/event-source.ts';
import { firstFrom } from '../../src/columns/positions.ts';
import { type Kept, TOO_LARGE } from '../../src/queries/reports/chunk-cache.ts';
import { StoredEventSource as PackedEventSource } from '../../src/queries/reports/chunks.ts';
import { ALWAYS, NEVER, type StoredEvents, type StoredEventsOptions } from '../../src/queries/reports/stored-events.ts';
import { amountsOf, type Money } from './amounts.ts';
import { partOf } from './chunk-rows.ts';
import { byMoment, dateOf, type Fact, factsOf, mergeSegments, ordOf, segmentOf } from './segment.ts';
import { type Part, settle } from './sessions.ts';

/** The events of a bot as reports scan them: the chunks with their late events, then the fresh events. */
export class StoredEventSource implements EventSource {
  readonly users: number;
  readonly utms: number;
  readonly oldestChunk: string | null;
  readonly #options: StoredEventsOptions;
  readonly #stored: StoredEvents;
  readonly #packed: PackedEventSource;

  constructor(options: StoredEventsOptions, stored: StoredEvents) {
    this.#options = options;
    this.#stored = stored;
    const bot = stored.bot && { ...stored.bot, changed: 0, writes: null };
    this.#packed = new PackedEventSource({ ...options, span: { from: ALWAYS, to: NEVER } }, { ...stored, bot });
    this.users = this.#packed.users;
    this.utms = this.#packed.utms;
    this.oldestChunk = stored.oldestChunk;
  }

  async each(wanted: Iterable<ColumnName>, onChunk: OnChunk): Promise<void> {
    const { span, cache } = this.#options;
    const { bot, chunks } = this.#stored;
    if (bot === undefined || bot.writes === null) return;
    const asked = new Set<ColumnName>(['date', ...wanted]);
    const money = asked.has('value_amount') ? await this.#money() : null;
    const pending = await this.#pending();
    const names = new Set(asked);
    if (names.delete('value_amount')) for (const name of ['value_int', 'unit', 'event_id'] as const) names.add(name);
    if (names.has('session')) names.add('user_idx');
    if (names.has('session') || pending.late.size > 0) names.add('ord');
    const give = (chunk: Chunk) => {
      const dates = numbersOf(chunk, 'date');
      const [begin, end] = [firstFrom(dates, span.from), firstFrom(dates, span.to)];
      if (begin >= end) return;
      const columns =
        money === null ? chunk.columns : new Map(chunk.columns).set('value_amount', amountsOf(chunk, money));
      onChunk({ size: chunk.size, columns }, begin, end);
    };
    const held: Chunk[] = [];
    const take = names.has('session') ? (chunk: Chunk) => void held.push(chunk) : give;
    let at = 0;
    await this.#packed.each(names, (chunk) => {
      const { id } = chunks[at++]!;
      const late = pending.late.get(id);
      take(late === undefined ? chunk : withLate(chunk, late, names, { cache, key: `${id} with ${late.length}` }));
    });
    if (pending.fresh.length > 0) take(freshChunk(pending, names));
    if (held.length > 0) for (const chunk of withSessions(held, pending, `${span.from} ${span.to}`)) give(chunk);
  }

  /** The events that are not in chunks. Segments never change, so a thread reads only those that it has not. */
  async #pending(): Promise<Pending> {
    const { botId, cache, tables, snapshot } = this.#options;
    const { source, writes, packings, until_date, until_ord } = this.#stored.bot!;
    const key = `${source} ${botId} segments`;
    const found = cache.kept<Pending>(key);
    let kept = found === TOO_LARGE ? undefined : found;
    if (kept?.writes === writes && kept?.packings === packings) return kept;
    const table = (name: string) => sql.id(tables.events, name);
    if (kept === undefined || kept.packings !== packings) {
      const chunks = await snapshot.query(sql<{ id: string; date: number; ord: number }>`
        SELECT id, last_date::float8 AS date, last_ord::float8 AS ord FROM ${table('chunks')} WHERE bot_id = ${botId} ORDER BY last_date, last_ord`);
      kept = {
        writes: writes!,
        packings: packings!,
        seq: 0,
        chunks,
        fresh: [],
        late: new Map(),
        bytes: 0,
        built: null,
        sessions: null,
      };
    }
    const rows = await snapshot.query(sql<{ seq: number; chunk: string | null; body: string }>`
      SELECT s.seq::float8, c.id AS chunk, s.body FROM ${table('segments')} AS s LEFT JOIN ${table('chunks')} AS c USING (bot_id, last_date, last_ord)
       WHERE s.bot_id = ${botId} AND s.seq > ${kept.seq}::bigint`);
    const late = new Map(kept.late);
    const fresh = [...kept.fresh];
    for (const { chunk, body } of rows)
      for (const fact of factsOf(body)) {
        const isFresh =
          chunk === null &&
          (until_date === null ||
            dateOf(fact) > until_date ||
            (dateOf(fact) === until_date && ordOf(fact) > until_ord!));
        if (isFresh) {
          fresh.push(fact);
          continue;
        }
        const id = chunk ?? chunkOf(kept.chunks, fact);
        late.set(id, [...(late.get(id) ?? []), fact]);
      }
    fresh.sort(byMoment);
    const lateEvents = [...late.values()].reduce((sum, { length }) => sum + length, 0);
    const bytes = 300 * (fresh.length + lateEvents);
    const seq = rows.reduce((last, { seq }) => Math.max(last, seq), kept.seq);
    kept = { ...kept, writes: writes!, packings: packings!, seq, fresh, late, bytes, built: null, sessions: null };
    cache.keep(key, kept);
    return kept;
  }

  async #money(): Promise<Money> {
    const { botId, cache, tables, snapshot } = this.#options;
    const table = (name: string) => sql.id(tables.events, name);
    const [row] = await snapshot.query(sql<{ n: number }>`SELECT n::float8 FROM ${table('money_changes')}`);
    const key = `${this.#stored.bot!.source} ${botId} money`;
    const kept = cache.kept<Kept & { readonly money: Money }>(key);
    if (kept !== undefined && kept !== TOO_LARGE && kept.money.changes === row!.n) return kept.money;
    const [found] = await snapshot.query(sql<{
      currency: string | null;
      units: Money['units'];
      targets: number[] | null;
      system: number[] | null;
      rates: [string, number, string][] | null;
    }>`
      SELECT o.currency, b.units,
             (SELECT array_agg(event_id) FROM ${table('event_types')} t WHERE t.bot_id = b.bot_id AND target_id IS NOT NULL) AS targets,
             (SELECT array_agg(event_id) FROM ${table('event_types')} t WHERE t.bot_id = b.bot_id AND kind = 'system') AS system,
             (SELECT json_agg(json_build_array(unit, day, rate::text) ORDER BY unit, day) FROM ${table('rates')} r WHERE r.currency = o.currency) AS rates
        FROM ${table('bots')} b LEFT JOIN ${table('owner_currencies')} o ON o.owner_id = b.owner_id AND o.to_at = 9223372036854775807
       WHERE b.bot_id = ${botId}`);
    const rates = new Map<string, { day: number; rate: string }[]>();
    for (const [unit, day, rate] of found!.rates ?? []) rates.set(unit, [...(rates.get(unit) ?? []), { day, rate }]);
    const { currency, units, targets, system } = found!;
    const money: Money = {
      changes: row!.n,
      currency,
      units,
      rates,
      targets: new Set(targets),
      systemEvents: new Set(system),
    };
    const entry = { bytes: 100 * (found!.rates?.length ?? 0), money };
    cache.keep(key, entry);
    return money;
  }
}

interface Pending extends Kept {
  readonly writes: number;
  readonly packings: number;
  /** The last segment that was read. */
  readonly seq: number;
  readonly chunks: readonly { readonly id: string; readonly date: number; readonly ord: number }[];
  /** In the order of (date, ord). */
  readonly fresh: readonly Fact[];
  /** By the id of the chunk. */
  readonly late: ReadonlyMap<string, readonly Fact[]>;
  built: Chunk | null;
  /** The settled sessions of a span, by chunk. */
  sessions: { readonly span: string; readonly ofChunks: readonly Float64Array[] } | null;
}

function chunkOf(chunks: Pending['chunks'], fact: Fact): string {
  let [low, high] = [0, chunks.length - 1];
  while (low < high) {
    const middle = (low + high) >> 1;
    const { date, ord } = chunks[middle]!;
    if (date < dateOf(fact) || (date === dateOf(fact) && ord < ordOf(fact))) low = middle + 1;
    else high = middle;
  }
  return chunks[low]!.id;
}

function freshChunk(pending: Pending, names: ReadonlySet<ColumnName>): Chunk {
  const missing = [...names].filter((name) => !pending.built?.columns.has(name));
  const hasProperties = missing.some((name) => name.startsWith('properties.'));
  if (pending.built === null || missing.length > 0) {
    const more = segmentOf(pending.fresh, missing, hasProperties);
    const columns = new Map<ColumnName, Column>([...(pending.built?.columns ?? []), ...more.columns]);
    for (const name of missing)
      if (!columns.has(name))
        columns.set(name, segmentOf(pending.fresh, ['app_session' as ColumnName], false).columns.get('app_session')!);
    pending.built = { size: pending.fresh.length, columns };
  }
  return pending.built;
}

interface Place {
  readonly cache: StoredEventsOptions['cache'];
  readonly key: string;
}

/** A chunk with its late events. Their number names them: they only become more until the chunk is replaced. */
function withLate(chunk: Chunk, late: readonly Fact[], names: ReadonlySet<ColumnName>, { cache, key }: Place): Chunk {
  const size = chunk.size + late.length;
  const found = cache.get(key);
  const missing = [...names].filter((name) => !found?.has(name));
  if (missing.length === 0) return { size, columns: found! };
  const needed = [...new Set<ColumnName>(['date', 'ord', ...missing])];
  const packed = { size: chunk.size, columns: new Map(needed.map((name) => [name, chunk.columns.get(name)!])) };
  const added = segmentOf(
    [...late].sort(byMoment),
    needed,
    needed.some((name) => name.startsWith('properties.')),
  );
  const columns = new Map(mergeSegments([packed, added]).columns);
  if (found !== undefined) for (const [name, column] of found) columns.set(name, column);
  cache.set(key, columns);
  return { size, columns };
}

function withSessions(chunks: readonly Chunk[], pending: Pending, span: string): Chunk[] {
  if (pending.sessions?.span !== span) {
    const parts: Part[] = chunks.map(partOf);
    settle(parts);
    pending.sessions = { span, ofChunks: parts.map(({ sessions }) => sessions) };
  }
  return chunks.map(({ size, columns }, i) => ({
    size,
    columns: new Map(columns).set('session', { kind: 'number', numbers: pending.sessions!.ofChunks[i]! }),
  }));
}
