import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { administer } from '../support/administer.ts';
import { createTestDatabase } from '../support/database.ts';
import { serviceProcess } from '../support/service-process.ts';

/** The bound of docs/decisions.md#body-pools. Measured: 140 MB at rest. */
const MOST_MB = 1000;
const MIB = 1 << 20;

const listOf = (element: string, bytes: number): string =>
  `[${Array(Math.floor(bytes / (element.length + 1)))
    .fill(element)
    .join()}]`;

/** The largest bodies of each shape that the scan lets through, and one that it refuses. */
const bodies: readonly (readonly [shape: string, body: string])[] = [
  ['chat ids', `{"task_id":1,"chat_ids":${listOf('123456789012345', 16_000_000)}}`],
  ['empty objects', listOf('{}', 3 * 499_999)],
  ['lists 90 deep', listOf('['.repeat(90) + ']'.repeat(90), 181 * 5500)],
  ['objects of one field', listOf('{"abc":{"x":1}}', 16 * 120_000)],
  ['texts of many letters', listOf(JSON.stringify({ event: 'e', user_id: 1, value_str: 'ж'.repeat(250) }), 8 * MIB)],
  ['long numbers', listOf('12345678901234567890.123', 25 * 99_000)],
  ['lists deeper than is accepted', `${'['.repeat(8 * MIB - 1)}${']'.repeat(8 * MIB - 1)}`],
];

test('large bodies at once keep the service below 1 GB, whatever their shape', async () => {
  const database = await createTestDatabase();
  const cli = administer({ DATABASE_URL: database.url });
  const keys: string[] = [];
  for (const name of ['Ann', 'Ben']) {
    const { owner_id } = await cli('owner', 'create', '--name', name, '--plan', 'premium');
    const { public_key } = await cli('bot', 'create', '--owner', String(owner_id), '--name', 'Shop');
    keys.push((await cli('key', 'issue', '--owner', String(owner_id), '--bot', public_key)).api_key);
  }
  const service = await serviceProcess({ DATABASE_URL: database.url });
  await service.start();
  await service.ready();
  try {
    for (const [shape, body] of bodies) {
      const path = shape === 'chat ids' ? '/v1/broadcast/upload-segment' : '/v1/send-event';
      // Two bodies of each owner: the pool takes these at once.
      const statuses = await Promise.all(
        [...keys, ...keys].map(async (key) => {
          const headers = { 'api-key': key, 'content-type': 'application/json' };
          return (await fetch(`${service.address}${path}`, { method: 'POST', headers, body })).status;
        }),
      );
      const peakMb = await peakOf(service.pid());
      console.log(`${shape}, ${(body.length / MIB).toFixed(1)} MiB: ${statuses}, at most ${peakMb} MB`);
      expect(peakMb).toBeLessThan(MOST_MB);
      for (const status of statuses) expect([400, 404, 413]).toContain(status);
    }
  } finally {
    await service.kill('SIGTERM');
    await database.drop();
  }
});

/** The most resident memory that the OS process has had, in MB. */
async function peakOf(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8');
  return Math.round(Number(/^VmHWM:\s+(\d+) kB/m.exec(status)![1]) / 1000);
}
