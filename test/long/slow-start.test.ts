import { createServer, type Server } from 'node:net';
import pg from 'pg';
import { pino } from 'pino';
import { expect, inject, test } from 'vitest';
import { openEmbeddedPostgres } from '../../src/database/embedded/open-embedded-postgres.ts';
import { migrateRuntimeSchema } from '../../src/database/runtime-schema.ts';
import { ANY_CATEGORIES } from '../../src/domain/streams.ts';
import { openEventStoreLog } from '../../src/log/eventstore/eventstore-log.ts';
import { pause } from '../../src/util/pause.ts';
import { createTestDatabase } from '../support/database.ts';
import { temporaryDataDir } from '../support/embedded-postgres.ts';
import { startEventStoreDouble } from '../support/eventstore-double.ts';
import { type ServiceProcess, serviceProcess } from '../support/service-process.ts';
import { tcpProxy } from '../support/tcp-proxy.ts';

/**
 * A start waits for slow servers. During the wait it logs the server's kind and answers requests. A missing server ends
 * the start: start-mistakes.test.ts.
 */

interface Told {
  readonly health: number;
  readonly ready: number;
  readonly api: number;
  readonly reason: string;
}

/** The current answers of the service; null if it does not listen. */
async function told({ address }: ServiceProcess): Promise<Told | null> {
  try {
    const [health, ready, api] = await Promise.all([
      fetch(`${address}/health`),
      fetch(`${address}/ready`),
      fetch(`${address}/v1/send-event`, { method: 'POST', body: 'not even JSON' }),
    ]);
    const { error } = (await ready.json()) as { error?: string };
    return { health: health.status, ready: ready.status, api: api.status, reason: error ?? '' };
  } catch {
    return null;
  }
}

/** Resolves when the service answers that it waits for `what`. @throws if it ends before */
async function waitingFor(what: string, service: ServiceProcess, started: Promise<void>): Promise<void> {
  const ended = started.then(
    () => service.ended(),
    (error: unknown) => Promise.reject(error),
  );
  const attempts = (async () => {
    for (;;) {
      const line = service.output().includes(`"msg":"waiting for ${what}"`);
      const now = await told(service);
      if (line && now?.reason.includes(`waiting for ${what}`)) return now;
      await pause(50);
    }
  })();
  const now = await Promise.race([attempts, ended.then((code) => Promise.reject(new Error(`ended: ${code}`)))]);
  expect(now).toMatchObject({ health: 200, ready: 503, api: 503 });
}

test('a start waits for a silent database, answers 503 until then, and is ready once it answers', async () => {
  const database = await createTestDatabase();
  const proxy = await tcpProxy(database.url);
  proxy.freeze();
  const service = await serviceProcess({ DATABASE_URL: proxy.url, MAX_WAIT_MS: '200' });
  const started = service.start();
  await waitingFor('the database', service, started);
  await proxy.restore();
  await started;
  await service.ready();
  await service.kill('SIGTERM');
  await proxy.close();
  await database.drop();
});

test('a stop ends a start that waits', async () => {
  const proxy = await tcpProxy(inject('databaseUrl'));
  proxy.freeze();
  const service = await serviceProcess({ DATABASE_URL: proxy.url, MAX_WAIT_MS: '200' });
  const started = service.start();
  await waitingFor('the database', service, started);
  service.signal('SIGTERM');
  await expect(started).rejects.toThrow('the service ended: 0');
  await proxy.close();
});

test('a stop ends a start whose query waits for a lock', async () => {
  const database = await createTestDatabase();
  await migrateRuntimeSchema(database.pool);
  const holding = await database.pool.connect();
  await holding.query('BEGIN; LOCK TABLE runtime.kysely_migration');
  const service = await serviceProcess({ DATABASE_URL: database.url });
  const started = service.start();
  await waitingFor('the database', service, started);
  service.signal('SIGTERM');
  await expect(started).rejects.toThrow('the service ended: 0');
  holding.release(true);
  await database.drop();
});

test.each([
  ['kafka', 'KAFKA_BROKERS', (port: number) => `127.0.0.1:${port}`],
  ['eventstoredb', 'EVENTSTORE_URL', (port: number) => `esdb://127.0.0.1:${port}?tls=false`],
])(
  'a start waits for a server of the log that accepts connections but is silent: %s',
  async (engine, name, address) => {
    const database = await createTestDatabase();
    const silent: Server = createServer((socket) => socket.on('error', () => {}).resume());
    await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
    const { port } = silent.address() as { port: number };
    const service = await serviceProcess({ DATABASE_URL: database.url, EVENT_LOG: engine, [name]: address(port) });
    const started = service.start();
    await waitingFor('the log', service, started);
    service.signal('SIGTERM');
    await expect(started).rejects.toThrow('the service ended: 0');
    silent.close();
    await database.drop();
  },
);

test('a start waits while the index has not passed the first append, and then makes the demo', async () => {
  const folder = await temporaryDataDir();
  const store = await startEventStoreDouble();
  const quiet = { info: () => {}, warn: () => {} };
  const server = await openEmbeddedPostgres({ dataDir: folder.path, role: 'command', log: quiet, durable: false });
  const common = { connectionString: server.url, holder: 'test', logger: pino({ level: 'silent' }) };
  const log = await openEventStoreLog({ ...common, url: store.url, anyCategories: ANY_CATEGORIES, mayLead: false });
  await log.close();
  const client = new pg.Client({ connectionString: server.url });
  await client.connect();
  await client.query('BEGIN');
  // The lock keeps the leader of the index from writing.
  await client.query('LOCK TABLE eventstore_index.streams IN SHARE MODE');

  const env = { DATA_DIR: folder.path, EVENT_LOG: 'eventstoredb', EVENTSTORE_URL: store.url, MAX_WAIT_MS: '500' };
  const service = await serviceProcess(env);
  const started = service.start();
  await waitingFor('the log and its index', service, started);
  await client.query('COMMIT');
  await client.end();
  await service.ready();
  expect(service.output()).toContain('A demo bot is ready');
  await service.kill('SIGTERM');
  await server.close();
  store.stop();
  await folder.remove();
});
