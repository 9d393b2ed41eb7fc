import { afterAll, beforeAll, expect, it } from 'vitest';
import { openArrayPool } from '../../../src/columns/array-pool.ts';
import { snapshot } from '../../../src/database/snapshot.ts';
import { reportFields } from '../../../src/domain/reports/fields.ts';
import { createChunkCache } from '../../../src/queries/reports/chunk-cache.ts';
import type { Utm } from '../../../src/queries/reports/field-sql.ts';
import { openScan } from '../../../src/queries/reports/scan.ts';
import { createTestDatabase, type TestDatabase } from '../../support/database.ts';
import { world } from './questions.ts';
import { BOT_IDS, SOURCES, storeWorld, TABLES } from './world.ts';

let database: TestDatabase;
const cache = createChunkCache(1e6);
const source = reportFields.find('events.utm_source')!;

beforeAll(async () => {
  database = await createTestDatabase();
  await storeWorld(database.pool, world);
});
afterAll(() => database.drop());

/** The labels that a report with a filter on the source gets. */
function utmsOf(botId: number): Promise<readonly Utm[]> {
  return snapshot(database.pool, { timeoutMs: 10_000 }, async (snapshot) => {
    const span = { from: Number.MIN_SAFE_INTEGER, to: Number.MAX_SAFE_INTEGER };
    const scan = await openScan({ botId, tables: TABLES, span, snapshot, cache, arrays: openArrayPool() }, [source]);
    return scan.utms;
  });
}

async function addUtm(botId: number, id: number, label: string): Promise<void> {
  await database.pool.query(`INSERT INTO ${TABLES.events}.utms (bot_id, utm_id, source) VALUES ($1, $2, $3)`, [
    botId,
    id,
    label,
  ]);
  await database.pool.query(`UPDATE ${TABLES.events}.bots SET utm_count = $2 WHERE bot_id = $1`, [botId, id]);
}

it('keeps labels for the next report, which fetches only newer ones', async () => {
  const first = await utmsOf(BOT_IDS.packed);
  expect(first.map(({ source }) => source)).toEqual([null, ...SOURCES]);
  expect(await utmsOf(BOT_IDS.packed)).toBe(first);
  await addUtm(BOT_IDS.packed, SOURCES.length + 1, 'new');
  const second = await utmsOf(BOT_IDS.packed);
  expect(second.map(({ source }) => source)).toEqual([null, ...SOURCES, 'new']);
  expect(second[1]).toBe(first[1]);
  expect(await utmsOf(BOT_IDS.packed)).toBe(second);
});

it('keeps labels by bot, and none for a bot without chunks', async () => {
  await addUtm(BOT_IDS.loose, SOURCES.length + 1, 'other');
  const loose = await utmsOf(BOT_IDS.loose);
  expect(loose.map(({ source }) => source)).toEqual([null, ...SOURCES, 'other']);
  expect(await utmsOf(BOT_IDS.loose)).not.toBe(loose);
  expect((await utmsOf(BOT_IDS.mixed)).map(({ source }) => source)).toEqual([null, ...SOURCES]);
});

it('fetches all labels again after a rebuild, whose chunks are new', async () => {
  const { schema, bot } = { schema: TABLES.events, bot: BOT_IDS.packed };
  await database.pool.query(`UPDATE ${schema}.utms SET source = 'later' WHERE bot_id = $1 AND utm_id = 1`, [bot]);
  expect((await utmsOf(bot))[1]!.source).toBe(SOURCES[0]);
  await database.pool.query(`UPDATE ${schema}.chunks SET id = gen_random_uuid() WHERE bot_id = $1`, [bot]);
  await database.pool.query(`UPDATE ${schema}.timelines SET packings = packings + 1 WHERE bot_id = $1`, [bot]);
  expect((await utmsOf(bot))[1]!.source).toBe('later');
});
