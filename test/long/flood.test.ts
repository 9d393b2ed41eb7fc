import { expect, test } from 'vitest';
import { pause } from '../../src/util/pause.ts';
import { administer } from '../support/administer.ts';
import { createTestDatabase } from '../support/database.ts';
import { serviceProcess } from '../support/service-process.ts';
import { tcpProxy } from '../support/tcp-proxy.ts';

const CLIENTS = 400;
const FLOOD_MS = 10_000;
/** Measured: 140 MB at rest, 0.6 GB under large bodies, 1.0 GB under large numbers of small events. */
const MOST_MB = 1500;

test.each([
  ['large events', 250],
  ['small events', 1],
])('the service stays within 1.5 GB under a flood of %s while the log does not answer', async (_, length) => {
  const database = await createTestDatabase();
  const proxy = await tcpProxy(database.url);
  const cli = administer({ DATABASE_URL: database.url });
  const { owner_id } = await cli('owner', 'create', '--name', 'Ann');
  const { public_key } = await cli('bot', 'create', '--owner', String(owner_id), '--name', 'Shop');
  const { api_key } = await cli('key', 'issue', '--owner', String(owner_id), '--bot', public_key);
  const service = await serviceProcess({ DATABASE_URL: proxy.url });
  await service.start();
  await service.ready();
  const megabytes = async (): Promise<number> => {
    const metrics = await (await fetch(`${service.address}/metrics`)).text();
    return Number(/^process_resident_memory_bytes (\S+)/m.exec(metrics)![1]) / 2 ** 20;
  };
  const text = 'x'.repeat(length);
  const events = Array.from({ length: 1000 }, (_, i) => ({
    event: 'e',
    user_id: i + 1,
    value_str: text,
    category: text,
  }));
  const init = {
    method: 'POST',
    headers: { 'api-key': api_key, 'content-type': 'application/json' },
    body: JSON.stringify(events),
  };
  const post = async (): Promise<number> => (await fetch(`${service.address}/v1/send-event`, init)).status;
  expect(await post()).toBe(200);

  proxy.freeze();
  const over = new AbortController();
  const statuses = new Map<number, number>();
  const flood = Array.from({ length: CLIENTS }, async () => {
    while (!over.signal.aborted) {
      const status = await post();
      statuses.set(status, (statuses.get(status) ?? 0) + 1);
    }
  });
  let most = 0;
  for (const end = performance.now() + FLOOD_MS; performance.now() < end; await pause(250))
    most = Math.max(most, await megabytes());
  over.abort();
  await proxy.restore();
  await Promise.all(flood);
  console.log(`at most ${Math.round(most)} MB`, Object.fromEntries(statuses));
  expect(most).toBeLessThan(MOST_MB);
  expect([...statuses.keys()].every((status) => [200, 500, 503].includes(status))).toBe(true);
  expect(await post()).toBe(200);
  await service.kill('SIGTERM');
  await proxy.close();
  await database.drop();
});
