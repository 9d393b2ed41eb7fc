import { afterAll, beforeAll, expect, it } from 'vitest';
import { openArrays } from '../../../src/queries/report/arrays.ts';
import { createChunkCache } from '../../../src/queries/report/chunk-cache.ts';
import { inSnapshot } from '../../../src/queries/report/snapshot.ts';
import { gatherTimelines } from '../../../src/queries/report/timelines.ts';
import { openWalk } from '../../../src/queries/report/walk.ts';
import { createTestDatabase, type TestDatabase } from '../../support/database.ts';
import { timelines } from './oracle-parts.ts';
import { world } from './questions.ts';
import { BOT_IDS, storeWorld, TABLES } from './world.ts';

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
  await storeWorld(database.pool, world);
});
afterAll(() => database.drop());

/** The dates of each user's events, as they are given with room for so many events at once. */
function gathered(botId: number, most: number): Promise<number[][]> {
  return inSnapshot(database.pool, 10_000, async (snapshot) => {
    const span = { from: Number.MIN_SAFE_INTEGER, to: Number.MAX_SAFE_INTEGER };
    const walk = await openWalk(
      { botId, tables: TABLES, span, snapshot, cache: createChunkCache(1e6), arrays: openArrays() },
      [],
    );
    const found = await gatherTimelines(walk, { columns: [], mark() {}, all: true, combinations: null }, most);
    const users: number[][] = [];
    await found.each(({ begin, end, dates }) => users.push([...dates.subarray(begin, end)]));
    return users;
  });
}

it.each(Object.entries(BOT_IDS))(
  'every user comes once, whole and in order, of %s events, however few fit',
  async (_, botId) => {
    const key = (dates: readonly number[]) => dates.join();
    const expected = timelines(world).map((events) => key(events.map(({ date }) => date)));
    for (const most of [1, 30, 399, 400, 5000])
      expect((await gathered(botId, most)).map(key).sort()).toEqual(expected.sort());
  },
);
