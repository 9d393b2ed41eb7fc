import { once } from 'node:events';
import { connect } from 'node:net';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, inject, test } from 'vitest';
import { createOwner } from '../../../src/commands/catalog/change-owner.ts';
import { ANY_CATEGORIES } from '../../../src/domain/streams.ts';
import { type EventLog, hasPassed } from '../../../src/log/port.ts';
import { openPostgresLog } from '../../../src/log/postgres/postgres-log.ts';
import { loadCheckpoint } from '../../../src/projections/runtime/checkpoint.ts';
import { pause } from '../../../src/util/pause.ts';
import { systemSources } from '../../../src/util/system-sources.ts';
import { startLoad } from '../../crash/load.ts';
import { expectOnce } from '../../crash/rounds.ts';
import { administer } from '../../support/administer.ts';
import { createTestDatabase, type TestDatabase } from '../../support/database.ts';
import { eventually } from '../../support/embedded-postgres.ts';
import { readAll } from '../../support/log.ts';
import { longOnly } from '../../support/long-only.ts';
import { firstSchema } from '../../support/read-model-tables.ts';
import { readModels } from '../../support/read-models.ts';
import { replay, rowsOf } from '../../support/replay.ts';
import { type ServiceProcess, serviceProcess } from '../../support/service-process.ts';
import { type TcpProxy, tcpProxy } from '../../support/tcp-proxy.ts';

// Each test starts OS processes and replays their events, which takes long on a busy machine.

/** A stop by SIGTERM or SIGINT, as a supervisor, a terminal and npm send them. */
const STOPS_WITHIN_MS = 15_000;

let database: TestDatabase;
let proxy: TcpProxy;
let log: EventLog;
let apiKey: string;
let service: ServiceProcess;

beforeAll(async () => {
  database = await createTestDatabase();
  proxy = await tcpProxy(inject('databaseUrl'));
  log = await openPostgresLog({ connectionString: database.url, anyCategories: ANY_CATEGORIES });
  const cli = administer({ DATABASE_URL: database.url });
  const { owner_id } = await cli('owner', 'create', '--name', 'Ann');
  const { public_key } = await cli('bot', 'create', '--owner', String(owner_id), '--name', 'Shop');
  ({ api_key: apiKey } = await cli('key', 'issue', '--owner', String(owner_id), '--bot', public_key));
});
afterAll(async () => {
  await proxy.close();
  await log.close();
  await database.drop();
});

/** Starts the service, which connects to the database through the proxy. */
async function processOf(env: Record<string, string> = {}): Promise<ServiceProcess> {
  const url = new URL(proxy.url);
  url.pathname = new URL(database.url).pathname;
  return serviceProcess({ DATABASE_URL: url.href, ...env });
}

/** The exit code, after the process has ended by itself. */
async function ended(after: number): Promise<number | NodeJS.Signals> {
  const code = await service.ended();
  expect(performance.now() - after).toBeLessThan(STOPS_WITHIN_MS);
  return code;
}

describe('a service that is ready', () => {
  beforeEach(async () => {
    service = await processOf();
    await service.start();
    await service.ready();
  });
  afterEach(async () => {
    await proxy.restore();
    await service.kill('SIGKILL');
  });

  const losesNothing = async (signals: readonly NodeJS.Signals[]): Promise<void> => {
    // A busy machine may need long to make all tables.
    for (const model of readModels) await eventually(() => loadCheckpoint(database.pool, firstSchema(model)));
    const load = startLoad(service.address, apiKey);
    await pause(1500);
    await expect.poll(() => load.sent.acknowledged.length).toBeGreaterThan(10);
    const stopped = performance.now();
    for (const [n, signal] of signals.entries()) {
      if (n > 0) await pause(100);
      service.signal(signal);
    }
    expect([await ended(stopped), service.output()]).toEqual([0, service.output()]);
    await expectAtCheckpoint();
    await service.start();
    const sent = await load.stop();
    expect(sent.acknowledged.length).toBeGreaterThan(10);
    expectOnce(await readAll(log, { categories: ['intake'] }), sent);
  };

  longOnly('loses nothing under load and ends with 0: SIGTERM', () => losesNothing(['SIGTERM']));

  longOnly('loses nothing under load and ends with 0: SIGINT twice at once, as from a terminal and from npm', () =>
    losesNothing(['SIGINT', 'SIGINT']),
  );

  test('answers the requests under way, refuses new ones, and closes every connection', async () => {
    const [head, body] = message(apiKey);
    const waiting = await exchange(service.address);
    const late = await exchange(service.address);
    proxy.freeze();
    waiting.send(head + body);
    late.send(head);
    await pause(500);
    const stopped = performance.now();
    service.signal('SIGTERM');
    await pause(500);
    late.send(body);
    const refused = await late.answer;
    expect(refused).toMatch(/^HTTP\/1.1 503 .*\nconnection: close\r\n/s);
    expect(refused).toContain('\nretry-after: 1\r\n');
    expect(refused).toContain('{"ok":false,"error":"shutting down","error_code":503}');
    await proxy.restore();
    expect(await waiting.answer).toMatch(/^HTTP\/1.1 200 .*\nconnection: close\r\n/s);
    expect(await ended(stopped)).toBe(0);
  });

  test('a second signal ends it at once', async () => {
    const [head, body] = message(apiKey);
    const waiting = await exchange(service.address);
    proxy.freeze();
    waiting.send(head + body);
    await pause(200);
    service.signal('SIGTERM');
    await pause(700);
    const stopped = performance.now();
    service.signal('SIGTERM');
    expect(await service.ended()).toBe(143);
    expect(performance.now() - stopped).toBeLessThan(4000); // the first signal alone waits for 5 s
  });
});

test('a service that waits for its catalog ends with 0 after a stop', async () => {
  const fresh = await createTestDatabase();
  const newLog = await openPostgresLog({ connectionString: fresh.url, anyCategories: ANY_CATEGORIES });
  const owner = { name: 'Ann', currency: 'USD', plan: 'free', broadcastsPerMonth: 1 } as const;
  await createOwner({ log: newLog, sources: systemSources }, owner);
  // No projector runs.
  service = await serviceProcess({ DATABASE_URL: fresh.url, ROLE: 'api' });
  await service.start();
  expect((await fetch(`${service.address}/ready`)).status).toBe(503);
  const stopped = performance.now();
  service.signal('SIGTERM');
  expect([await ended(stopped), service.output()]).toEqual([0, service.output()]);
  await newLog.close();
  await fresh.drop();
});

/** Expects that the rows of each read model are those of the log up to its checkpoint. */
async function expectAtCheckpoint(): Promise<void> {
  let commitsSeen = 0;
  for (const model of readModels) {
    const cursor = await loadCheckpoint(database.pool, firstSchema(model));
    const commits = await readAll(log, { categories: model.categories, to: cursor });
    const seen = commits.filter(({ position }) => hasPassed(cursor, position));
    expect(await rowsOf(database.pool, model), model.name).toEqual(await replay(model, seen, log.keys));
    commitsSeen += seen.length;
  }
  expect(commitsSeen).toBeGreaterThan(0);
}

/** A request that appends an event, cut in two. */
function message(key: string): [head: string, body: string] {
  const body = JSON.stringify({ event: 'event_0', user_id: 1 });
  const head = `POST /v1/send-event HTTP/1.1\r\nhost: x\r\napi-key: ${key}\r\ncontent-type: application/json\r\n`;
  return [head, `content-length: ${body.length}\r\n\r\n${body}`];
}

/** Opens a connection. `answer` is everything that arrives until the server closes it. */
async function exchange(address: string): Promise<{ send(text: string): void; readonly answer: Promise<string> }> {
  const { hostname, port } = new URL(address);
  const socket = connect(Number(port), hostname);
  await once(socket, 'connect');
  let text = '';
  socket.on('data', (chunk) => {
    text += chunk.toString();
  });
  return { send: (part) => void socket.write(part), answer: once(socket, 'close').then(() => text) };
}
