import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Arrays, openArrays } from '../../../src/queries/reports/arrays.ts';
import { createChunkCache } from '../../../src/queries/reports/chunk-cache.ts';
import { inSnapshot } from '../../../src/queries/reports/snapshot.ts';
import { gatherTimelines, type Limits, type TimelineOptions } from '../../../src/queries/reports/timelines.ts';
import { openWalk } from '../../../src/queries/reports/walk.ts';
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
  hits(_, begin, end, add) {
    add(
      Uint32Array.from({ length: end - begin }, (_, i) => begin + i),
      0,
    );
  },
  combinations: null,
};

/** The dates of each user's events, as they are given within such limits. */
function gathered(botId: number, limits: Limits): Promise<number[][]> {
  return inSnapshot(database.pool, 10_000, async (snapshot) => {
    const span = { from: Number.MIN_SAFE_INTEGER, to: Number.MAX_SAFE_INTEGER };
    const walk = await openWalk(
      { botId, tables: TABLES, span, snapshot, cache: createChunkCache(1e6), arrays: openArrays() },
      [],
    );
    const found = await gatherTimelines(walk, ALL, limits);
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
      for (const together of [1, 4, 2 ** 15])
        expect((await gathered(botId, { most, together })).map(key).sort()).toEqual(expected.sort());
  },
);

/** How many arrays are in use. */
function counted(): { readonly arrays: Arrays; readonly used: Set<ArrayBufferLike> } {
  const arrays = openArrays();
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

it('events that do not fit leave no memory in use, before users are given and after', async () => {
  const { arrays, used } = counted();
  await inSnapshot(database.pool, 10_000, async (snapshot) => {
    const span = { from: Number.MIN_SAFE_INTEGER, to: Number.MAX_SAFE_INTEGER };
    const cache = createChunkCache(1e6);
    const walk = await openWalk(
      { botId: Object.values(BOT_IDS)[0]!, tables: TABLES, span, snapshot, cache, arrays },
      [],
    );
    const found = await gatherTimelines(walk, ALL, {
      most: 30,
      together: 64,
    });
    expect(used.size).toBe(0);
    await found.each(() => expect(used.size).toBe(3));
    expect(used.size).toBe(0);
  });
  arrays.close();
});
