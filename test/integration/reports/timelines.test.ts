import { afterAll, beforeAll, expect, it } from 'vitest';
import { type ArrayPool, openArrayPool } from '../../../src/columns/array-pool.ts';
import { gatherTimelines, type TimelineLimits, type TimelineOptions } from '../../../src/columns/timelines.ts';
import { snapshot } from '../../../src/database/snapshot.ts';
import { createChunkCache } from '../../../src/queries/reports/chunk-cache.ts';
import { openScan } from '../../../src/queries/reports/scan.ts';
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

const ALL: TimelineOptions = {
  columns: [],
  dated: true,
  select(_, begin, end, add) {
    add(
      Uint32Array.from({ length: end - begin }, (_, i) => begin + i),
      0,
    );
  },
  combinations: null,
};

/** The dates of each user's events, gathered within limits. */
function gathered(botId: number, limits: TimelineLimits): Promise<number[][]> {
  return snapshot(database.pool, { timeoutMs: 10_000 }, async (snapshot) => {
    const span = { from: Number.MIN_SAFE_INTEGER, to: Number.MAX_SAFE_INTEGER };
    const scan = await openScan(
      { botId, tables: TABLES, span, snapshot, cache: createChunkCache(1e6), arrays: openArrayPool() },
      [],
    );
    const found = await gatherTimelines(scan, ALL, limits);
    const users: number[][] = [];
    await found.each(({ begin, end, dates }) => users.push([...dates.subarray(begin, end)]));
    return users;
  });
}

it.each(Object.entries(BOT_IDS))(
  'gives each user once, with all events in order, from %s events, however few fit into memory',
  async (_, botId) => {
    const key = (dates: readonly number[]) => dates.join();
    const expected = timelines(world).map((events) => key(events.map(({ date }) => date)));
    for (const maxEvents of [1, 30, 399, 400, 5000])
      for (const usersPerBin of [1, 4, 2 ** 15])
        expect((await gathered(botId, { maxEvents, usersPerBin })).map(key).sort()).toEqual(expected.sort());
  },
);

/** A pool that knows which of its arrays are in use. */
function counted(): { readonly arrays: ArrayPool; readonly used: Set<ArrayBufferLike> } {
  const arrays = openArrayPool();
  const used = new Set<ArrayBufferLike>();
  const taken = <A extends Uint32Array | Float64Array>(array: A): A => {
    used.add(array.buffer);
    return array;
  };
  return {
    used,
    arrays: {
      uint32: (length) => taken(arrays.uint32(length)),
      float64: (length) => taken(arrays.float64(length)),
      free(array) {
        used.delete(array.buffer);
        arrays.free(array);
      },
      close: arrays.close,
    },
  };
}

it('holds no arrays before and after giving users, if events do not fit into memory', async () => {
  const { arrays, used } = counted();
  await snapshot(database.pool, { timeoutMs: 10_000 }, async (snapshot) => {
    const span = { from: Number.MIN_SAFE_INTEGER, to: Number.MAX_SAFE_INTEGER };
    const cache = createChunkCache(1e6);
    const scan = await openScan(
      { botId: Object.values(BOT_IDS)[0]!, tables: TABLES, span, snapshot, cache, arrays },
      [],
    );
    const found = await gatherTimelines(scan, ALL, {
      maxEvents: 30,
      usersPerBin: 64,
    });
    expect(used.size).toBe(0);
    await found.each(() => expect(used.size).toBe(3));
    expect(used.size).toBe(0);
  });
  arrays.close();
});
