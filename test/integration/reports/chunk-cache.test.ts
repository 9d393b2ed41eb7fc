import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Chunk, type ColumnName, codedOf, indexesOf } from '../../../src/columns/chunk.ts';
import { snapshot } from '../../../src/database/snapshot.ts';
import { type ChunkCache, createChunkCache } from '../../../src/queries/reports/chunk-cache.ts';
import { StoredEventSource } from '../../../src/queries/reports/chunks.ts';
import { findEvents } from '../../../src/queries/reports/stored-events.ts';
import { createTestDatabase, type TestDatabase } from '../../support/database.ts';
import { world } from './questions.ts';
import { BOT_IDS, PACK_ALL, pack, storeWorld, TABLES } from './world.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
  await storeWorld(database.pool, world);
});
afterAll(() => database.drop());

/** The columns that each statement fetched: of chunks, and with `e.` of rows. */
async function fetchedFor(
  { botId, cache }: { readonly botId: number; readonly cache: ChunkCache },
  names: readonly ColumnName[],
  onChunk: (chunk: Chunk) => void = () => {},
): Promise<string[]> {
  const fetched = new Set<string>();
  const span = { from: Number.MIN_SAFE_INTEGER, to: Number.MAX_SAFE_INTEGER };
  await snapshot(database.pool, { timeoutMs: 10_000 }, async (opened) => {
    const noted: typeof opened.copy = (select, ...rest) => {
      const [, columns] = select.match(/^SELECT ([\w,]+) FROM \w+\.chunks/) ?? [];
      if (columns !== undefined) fetched.add(columns);
      const [, ofRows] = select.match(/^SELECT ([\w,.]+) FROM \w+\.events /) ?? [];
      if (ofRows !== undefined) fetched.add(ofRows);
      return opened.copy(select, ...rest);
    };
    const options = { botId, tables: TABLES, span, snapshot: { ...opened, copy: noted }, cache };
    const events = new StoredEventSource(options, await findEvents(options));
    await events.each(names, onChunk);
  });
  return [...fetched];
}

/** Users and types of all events in order. */
async function read(source: { readonly botId: number; readonly cache: ChunkCache }): Promise<unknown[]> {
  const found: unknown[] = [];
  await fetchedFor(source, ['user_idx', 'event_id'], (chunk) => {
    const { codes, values } = codedOf(chunk, 'event_id');
    for (const [at, user] of indexesOf(chunk, 'user_idx').entries()) found.push([user, values[codes[at]!]]);
  });
  return found;
}

describe.each([
  ['packed', ''],
  ['mixed', ',ord'],
] as const)('of %s events', (name, order) => {
  const botId = BOT_IDS[name];

  const ofChunks = async (...asked: Parameters<typeof fetchedFor>) =>
    (await fetchedFor(...asked)).filter((columns) => !columns.startsWith('e.'));

  it('fetches a column once, whichever columns earlier reports read', async () => {
    const source = { botId, cache: createChunkCache(1e7) };
    expect(await ofChunks(source, ['user_idx'])).toContain(`date,user_idx${order}`);
    expect(await ofChunks(source, ['event_id'])).toEqual(['event_id']);
    expect(await ofChunks(source, ['event_id', 'user_idx'])).toEqual([]);
    expect(await ofChunks(source, ['event_id', 'unit', 'user_idx'])).toEqual(['unit']);
  });

  it('gives the same events from a cache with all, none or some of their columns', async () => {
    const none = { botId, cache: createChunkCache(1) };
    const all = await read(none);
    expect(all).toHaveLength(world.events.length);
    expect(await fetchedFor(none, ['user_idx'])).not.toEqual([]);
    for (const bytes of [1, 3000, 1e7]) {
      const source = { botId, cache: createChunkCache(bytes) };
      await fetchedFor(source, ['event_id', 'category']);
      for (const _ of ['some', 'all']) expect(await read(source)).toEqual(all);
    }
  });
});

describe('of events that are not packed', () => {
  const source = { botId: BOT_IDS.loose, cache: createChunkCache(1e7) };
  const { events } = TABLES;
  const write = (text: string) => database.pool.query(text.replaceAll('BOT', String(BOT_IDS.loose)));

  it('fetches a column once, until one of them is written', async () => {
    expect(await fetchedFor(source, ['user_idx'])).toEqual(['e.date,e.user_idx']);
    const all = await read(source);
    expect(all).toHaveLength(world.events.length);
    expect(await fetchedFor(source, ['event_id', 'user_idx'])).toEqual([]);
    await write(`UPDATE ${events}.events SET user_idx = 0 WHERE bot_id = ${BOT_IDS.packed}`);
    expect(await fetchedFor(source, ['event_id', 'user_idx'])).toEqual([]);
    await write(`UPDATE ${events}.events SET event_id = 999 WHERE bot_id = BOT`);
    expect(await read(source)).toEqual(all.map((each) => [(each as [number, number])[0], 999]));
    await write(`INSERT INTO ${events}.events (bot_id, user_id, date, ord, session, date_received, commit_id, event_id, user_idx, idx)
      SELECT bot_id, user_id, date, ord + 1, session, date_received, commit_id, event_id, user_idx, idx FROM ${events}.events
       WHERE bot_id = BOT ORDER BY date DESC LIMIT 1`);
    expect(await read(source)).toHaveLength(all.length + 1);
  });

  it('finds them in chunks once they are packed', async () => {
    const before = await read(source);
    await pack(database.pool, PACK_ALL);
    expect(await read(source)).toEqual(before);
    expect(await read({ ...source, cache: createChunkCache(1) })).toEqual(before);
  });
});
