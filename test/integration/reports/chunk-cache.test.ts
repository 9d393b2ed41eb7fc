import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Chunk, type ColumnName, codedOf, indexesOf } from '../../../src/projections/events/packed/chunk.ts';
import { type ChunkCache, createChunkCache } from '../../../src/queries/reports/chunk-cache.ts';
import { findEvents, openEvents } from '../../../src/queries/reports/event-source.ts';
import { inSnapshot } from '../../../src/queries/reports/snapshot.ts';
import { ALONE } from '../../../src/queries/reports/team.ts';
import { createTestDatabase, type TestDatabase } from '../../support/database.ts';
import { world } from './questions.ts';
import { BOT_IDS, storeWorld, TABLES } from './world.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
  await storeWorld(database.pool, world);
});
afterAll(() => database.drop());

/** The source of a bot's events, and the columns of chunks that each statement fetched for it. */
async function fetchedFor(
  { botId, cache }: { readonly botId: number; readonly cache: ChunkCache },
  names: readonly ColumnName[],
  onChunk: (chunk: Chunk) => void = () => {},
): Promise<string[]> {
  const fetched = new Set<string>();
  const span = { from: Number.MIN_SAFE_INTEGER, to: Number.MAX_SAFE_INTEGER };
  await inSnapshot(database.pool, 10_000, async ({ query, copy, checkTime }) => {
    const noted: typeof copy = (select, ...rest) => {
      const [, columns] = select.match(/^SELECT ([\w,]+) FROM \w+\.chunks/) ?? [];
      if (columns !== undefined) fetched.add(columns);
      return copy(select, ...rest);
    };
    const snapshot = { query, copy: noted, checkTime };
    const options = { botId, tables: TABLES, span, snapshot, cache };
    const events = openEvents(options, await findEvents(options), ALONE);
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

  it('fetches a column once, whichever columns earlier reports read', async () => {
    const source = { botId, cache: createChunkCache(1e7) };
    expect(await fetchedFor(source, ['user_idx'])).toContain(`date,user_idx${order}`);
    expect(await fetchedFor(source, ['event_id'])).toEqual(['event_id']);
    expect(await fetchedFor(source, ['event_id', 'user_idx'])).toEqual([]);
    expect(await fetchedFor(source, ['event_id', 'unit', 'user_idx'])).toEqual(['unit']);
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
