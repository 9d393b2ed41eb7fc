import type { ClientBase } from 'pg';
import { CHUNK_EVENTS, type Chunk, type ColumnName } from '../../src/columns/chunk.ts';
import { dueTimelines, type PackLimits } from '../../src/projections/events/packed/due.ts';
import { EVENTS_DDL } from '../../src/projections/events/tables.ts';
import { addChunk, type ChunkKey, chunksOf, partOf, readChunk, replaceChunk } from './chunk-rows.ts';
import {
  bodyOf,
  byMoment,
  commitOf,
  dateOf,
  type Fact,
  factsOf,
  mergeSegments,
  ordOf,
  SESSION,
  segmentOf,
} from './segment.ts';
import { type Frontier, type Part, SESSION_GAP_MS, settle } from './sessions.ts';

/**
 * The tables of today's read model, where `events` stays empty. `segments` has the events of a batch and bot in a row; a merge moves
 * them to `chunks`. Events before the end of the last chunk wait in rows for each chunk, until there are many.
 */
const LIMITS: PackLimits = { chunk: CHUNK_EVENTS, newest: 512, changed: 2000, share: 32, changedInChunk: 512 };
const CHUNKS_AT_ONCE = 8;
/** A slice reads as many fresh rows as have about so many events. */
const EVENTS_AT_ONCE = 40_000;

export const SEGMENTS_DDL = `${EVENTS_DDL.replace('2000 + packed / 128', '2000 + packed / 32')}
CREATE TABLE segments (
  bot_id int NOT NULL,
  seq bigint GENERATED ALWAYS AS IDENTITY,
  /* the last event of the chunk that the events belong to; null: they are fresh */
  last_date bigint,
  last_ord bigint,
  events int NOT NULL,
  body text NOT NULL,
  PRIMARY KEY (bot_id, seq)
) WITH (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 2000);
ALTER TABLE segments ALTER COLUMN body SET STORAGE EXTERNAL;
CREATE INDEX segments_late ON segments (bot_id, last_date, last_ord) WHERE last_date IS NOT NULL;
ALTER TABLE chunks ADD event_key bytea, ADD commits bytea;
ALTER TABLE chunks ALTER event_key SET STORAGE EXTERNAL, ALTER commits SET STORAGE EXTERNAL;
CREATE TABLE money_changes (n bigint NOT NULL);
INSERT INTO money_changes VALUES (0);
`;

export async function addSegment(tx: ClientBase, bot: number, facts: readonly Fact[], chunk?: ChunkKey): Promise<void> {
  await tx.query({
    name: 'segments.add',
    text: 'INSERT INTO segments (bot_id, last_date, last_ord, events, body) VALUES ($1, $2, $3, $4, $5)',
    values: [bot, chunk?.date ?? null, chunk?.ord ?? null, facts.length, bodyOf(facts)],
  });
}

/** Counts as the trigger of today's `events` does. */
export async function countFresh(tx: ClientBase, bot: number, events: number): Promise<void> {
  await tx.query({
    name: 'segments.count',
    text: `INSERT INTO timelines AS t (bot_id, loose, writes) VALUES ($1, $2, 1)
           ON CONFLICT (bot_id) DO UPDATE SET loose = t.loose + EXCLUDED.loose, writes = t.writes + 1`,
    values: [bot, events],
  });
}

/** Does one slice of merging. @returns whether there is more */
export async function mergeSlice(
  tx: ClientBase,
  behind: boolean,
  frontierOf: (bot: number) => Frontier | undefined,
): Promise<boolean> {
  const limits = behind ? { ...LIMITS, changed: Number.MAX_SAFE_INTEGER, changedInChunk: 2 ** 31 - 1 } : LIMITS;
  const [timeline] = await dueTimelines(tx, limits, { most: 1, lock: true });
  if (timeline === undefined) return false;
  const { bot_id: bot, until, loose } = timeline;
  if (loose >= LIMITS.chunk + LIMITS.newest) await packFresh(tx, bot, until);
  else await packLate(tx, bot, frontierOf(bot));
  return (await dueTimelines(tx, limits, { most: 1 })).length > 0;
}

async function packFresh(tx: ClientBase, bot: number, until: ChunkKey): Promise<void> {
  const { rows } = await tx.query<[string, string]>({
    name: 'segments.take_fresh',
    text: `DELETE FROM segments WHERE bot_id = $1 AND seq IN (
             SELECT seq FROM (SELECT seq, sum(events) OVER (ORDER BY seq) - events AS before FROM segments
                               WHERE bot_id = $1 AND last_date IS NULL) s WHERE before < $2)
           RETURNING seq, body`,
    values: [bot, EVENTS_AT_ONCE],
    rowMode: 'array',
  });
  const facts = rows.flatMap(([, body]) => factsOf(body)).sort(byMoment);
  const fresh = facts.findIndex(
    (fact) => dateOf(fact) > until.date || (dateOf(fact) === until.date && ordOf(fact) > until.ord),
  );
  const late = fresh < 0 ? facts : facts.slice(0, fresh);
  const onTime = fresh < 0 ? [] : facts.slice(fresh);
  const packed = Math.max(0, Math.floor((onTime.length - LIMITS.newest) / LIMITS.chunk)) * LIMITS.chunk;
  const chunks = packed + late.length > 0 ? await chunksOf(tx, bot) : [];
  for (let at = 0; at < packed; at += LIMITS.chunk) await addChunk(tx, bot, onTime.slice(at, at + LIMITS.chunk));
  if (packed < onTime.length) await addSegment(tx, bot, onTime.slice(packed));
  await addLate(tx, bot, chunks, late);
  const last = packed === 0 ? null : onTime[packed - 1]!;
  await tx.query({
    name: 'segments.packed',
    text: `UPDATE timelines SET until_date = coalesce($2, until_date), until_ord = coalesce($3, until_ord), loose = loose - $4 - $5,
                                packed = packed + $4, changed = changed + $5, packings = packings + 1 WHERE bot_id = $1`,
    values: [bot, last === null ? null : dateOf(last), last === null ? null : ordOf(last), packed, late.length],
  });
}

async function addLate(tx: ClientBase, bot: number, chunks: readonly ChunkKey[], late: readonly Fact[]): Promise<void> {
  const counts: [number, number, number][] = [];
  for (let at = 0, c = 0; at < late.length; ) {
    const [date, ord] = [dateOf(late[at]!), ordOf(late[at]!)];
    while (chunks[c]!.date < date || (chunks[c]!.date === date && chunks[c]!.ord < ord)) c++;
    const chunk = chunks[c]!;
    let end = at + 1;
    while (
      end < late.length &&
      (dateOf(late[end]!) < chunk.date || (dateOf(late[end]!) === chunk.date && ordOf(late[end]!) < chunk.ord))
    )
      end++;
    await addSegment(tx, bot, late.slice(at, end), chunk);
    counts.push([chunk.date, chunk.ord, end - at]);
    at = end;
  }
  await tx.query({
    name: 'segments.count_late',
    text: `UPDATE chunks c SET changed = c.changed + n.count FROM unnest($2::bigint[], $3::bigint[], $4::int[]) AS n (date, ord, count)
            WHERE c.bot_id = $1 AND c.last_date = n.date AND c.last_ord = n.ord`,
    values: [bot, counts.map(([date]) => date), counts.map(([, ord]) => ord), counts.map(([, , count]) => count)],
  });
}

/** Merges the chunks with the most late events with these. Sessions that change by them change in other chunks, too. */
async function packLate(tx: ClientBase, bot: number, frontier: Frontier | undefined): Promise<void> {
  const keys = await chunksOf(tx, bot);
  const { rows } = await tx.query<{ id: string }>({
    name: 'segments.most_late',
    text: `SELECT id FROM chunks WHERE bot_id = $1 AND changed > 0 AND 4 * changed >= (SELECT max(changed) FROM chunks WHERE bot_id = $1)
            ORDER BY changed DESC LIMIT $2`,
    values: [bot, CHUNKS_AT_ONCE],
  });
  const merged = new Map<number, { readonly chunk: Chunk; readonly commits: Map<number, string> }>();
  let added = 0;
  for (const { id } of rows) {
    const p = keys.findIndex((key) => key.id === id);
    const late = await takeLate(tx, bot, keys[p]!);
    added += late.length;
    const stored = await readChunk(tx, bot, keys[p]!);
    for (const fact of late) stored.commits.set(Math.floor(ordOf(fact) / 1024), commitOf(fact));
    merged.set(p, { chunk: mergeSegments([stored.chunk, segmentOf(late)]), commits: stored.commits });
  }
  const parts: (Part | undefined)[] = keys.map((_, p) => (merged.has(p) ? partOf(merged.get(p)!.chunk) : undefined));
  parts.push(undefined);
  let fresh: Fact[] = [];
  for (let missing = settle(parts); missing !== null; missing = settle(parts)) {
    if (missing === keys.length) {
      fresh = await readFresh(tx, bot);
      parts[missing] = partOf(segmentOf(fresh, ['date', 'ord', 'user_idx', 'session'], false));
    } else
      parts[missing] = partOf((await readChunk(tx, bot, keys[missing]!, ['date', 'ord', 'user_idx', 'session'])).chunk);
  }
  for (const [p, part] of parts.entries()) {
    if (part === undefined) continue;
    if (p === keys.length && part.changed) await replaceFresh(tx, bot, fresh, part);
    else if (p < keys.length && !merged.has(p) && part.changed) merged.set(p, await readChunk(tx, bot, keys[p]!));
    if (part.changed && p >= keys.length - 1) frontier?.learn(part);
  }
  for (const [p, { chunk, commits }] of merged) {
    const columns = new Map(chunk.columns).set('session', { kind: 'number', numbers: parts[p]!.sessions });
    await replaceChunk(tx, bot, keys[p]!, { size: chunk.size, columns }, commits);
  }
  await tx.query({
    name: 'segments.packed_late',
    text: `UPDATE timelines SET packed = packed + $2, changed = changed - $2, packings = packings + 1, writes = writes + 1 WHERE bot_id = $1`,
    values: [bot, added],
  });
}

async function takeLate(tx: ClientBase, bot: number, { date, ord }: ChunkKey): Promise<Fact[]> {
  const { rows } = await tx.query<[string]>({
    name: 'segments.take_late',
    text: 'DELETE FROM segments WHERE bot_id = $1 AND last_date = $2 AND last_ord = $3 RETURNING body',
    values: [bot, date, ord],
    rowMode: 'array',
  });
  return rows.flatMap(([body]) => factsOf(body)).sort(byMoment);
}

async function readFresh(tx: ClientBase, bot: number): Promise<Fact[]> {
  const { rows } = await tx.query<[string]>({
    text: 'SELECT body FROM segments WHERE bot_id = $1 AND last_date IS NULL',
    values: [bot],
    rowMode: 'array',
  });
  return rows.flatMap(([body]) => factsOf(body)).sort(byMoment);
}

async function replaceFresh(tx: ClientBase, bot: number, fresh: readonly Fact[], { sessions }: Part): Promise<void> {
  for (const [i, fact] of fresh.entries()) fact[SESSION] = Number.isNaN(sessions[i]!) ? null : sessions[i]!;
  await tx.query('DELETE FROM segments WHERE bot_id = $1 AND last_date IS NULL', [bot]);
  await addSegment(tx, bot, fresh);
}

/** Fills a frontier from the newest events of the database. */
export async function loadFrontier(tx: ClientBase, bot: number, frontier: Frontier): Promise<void> {
  const { rows } = await tx.query<[number]>({
    text: 'SELECT until_date::float8 FROM timelines WHERE bot_id = $1',
    values: [bot],
    rowMode: 'array',
  });
  const from = (rows[0]?.[0] ?? Number.NEGATIVE_INFINITY) - 2 * SESSION_GAP_MS;
  if (rows.length === 0) return;
  const names: ColumnName[] = ['date', 'ord', 'user_idx', 'session'];
  frontier.completeFrom = from;
  for (const key of await chunksOf(tx, bot, Math.max(from, Number.MIN_SAFE_INTEGER)))
    frontier.learn(partOf((await readChunk(tx, bot, key, names)).chunk));
  frontier.learn(partOf(segmentOf(await readFresh(tx, bot), names, false)));
}
