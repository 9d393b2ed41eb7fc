import { createServer, type Socket } from 'node:net';
import { expect, it } from 'vitest';
import { createPool } from '../../../src/database/pool.ts';
import { openGrowthNotifier } from '../../../src/log/postgres/growth-notifier.ts';

it('connects again to a server that accepts connections and never answers, and close() leaves no connection', async () => {
  const open = new Set<Socket>();
  let listens = 0;
  const server = createServer((socket) => {
    open.add(socket);
    socket.on('data', (data) => {
      if (data.includes('botledger log notifier')) listens++;
    });
    socket.on('error', () => {}).on('close', () => open.delete(socket));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as { port: number };
  const connectionString = `postgres://tester@127.0.0.1:${port}/none`;
  const pool = createPool({ connectionString, max: 1, name: 'test', maxWaitMs: 100, onError: () => {} });
  const notifier = openGrowthNotifier({ connectionString, pool, onError: () => {} });
  notifier.next();
  await expect.poll(() => listens).toBeGreaterThan(1);
  await notifier.close();
  await pool.end();
  await expect.poll(() => open.size).toBe(0);
  server.close();
});
