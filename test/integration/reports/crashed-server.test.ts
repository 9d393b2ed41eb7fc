import { afterAll, beforeAll, expect, it } from 'vitest';
import { snapshot } from '../../../src/database/snapshot.ts';
import { createChunkCache } from '../../../src/queries/reports/chunk-cache.ts';
import { findEvents } from '../../../src/queries/reports/stored-events.ts';
import { createTestDatabase, onOwnServer, type TestDatabase } from '../../support/database.ts';
import { storeWorld, TABLES } from './world.ts';

onOwnServer();

let database: TestDatabase;
beforeAll(async () => {
  database = await createTestDatabase();
  database.pool.on('error', () => {}); // the crash ends all connections
  database.pool.on('connect', (client) => void client.on('error', () => {}));
  await storeWorld(database.pool, { users: new Map(), events: [] });
});
afterAll(() => database.drop());

const span = { from: 0, to: 1 };
const cache = createChunkCache(1e6);

/** The name under which a thread keeps the numbers of writes and packings. */
async function source(): Promise<string> {
  const { bot } = await snapshot(database.pool, { timeoutMs: 10_000 }, (snapshot) =>
    findEvents({ botId: 7, tables: TABLES, span, snapshot, cache }),
  );
  return bot!.source;
}

const startOfServer = async () =>
  (await database.pool.query<{ at: Date }>('SELECT pg_postmaster_start_time() AS at')).rows[0]!.at;

/** Only the embedded server runs where this process can kill one of its processes. */
it.skipIf(process.env['TEST_DATABASE_URL'] !== undefined)(
  'a thread uses nothing that it read before a crash of the server, which may have lost commits',
  async () => {
    const [before, started] = [await source(), await startOfServer()];
    expect(await source()).toBe(before);
    const victim = await database.pool.connect();
    const { rows } = await victim.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
    process.kill(rows[0]!.pid, 'SIGKILL');
    victim.release(true);
    await expect.poll(() => source().catch(() => before), { timeout: 120_000 }).not.toBe(before);
    expect(await startOfServer(), 'the server was not started again').toEqual(started);
  },
);
