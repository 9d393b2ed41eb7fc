import { expect, test } from 'vitest';
import { administer } from '../support/administer.ts';
import { createTestDatabase } from '../support/database.ts';
import { serviceProcess } from '../support/service-process.ts';

test('the service runs from its source, with the projectors in a separate thread', async () => {
  const database = await createTestDatabase();
  const cli = administer({ DATABASE_URL: database.url });
  const { owner_id } = await cli('owner', 'create', '--name', 'Ann');
  const { public_key } = await cli('bot', 'create', '--owner', String(owner_id), '--name', 'Shop');
  const { api_key } = await cli('key', 'issue', '--owner', String(owner_id), '--bot', public_key);
  const program = ['--import', 'tsx', 'src/app/main.ts'];
  const service = await serviceProcess({ DATABASE_URL: database.url }, { program });
  try {
    await service.start();
    await service.ready();
    const headers = { 'api-key': api_key, 'content-type': 'application/json' };
    const body = '{"event": "paid", "user_id": 7}';
    expect((await fetch(`${service.address}/v1/send-event`, { method: 'POST', headers, body })).status).toBe(200);
    const errors = async () => (await fetch(`${service.address}/v1/bot-errors`, { headers })).json();
    await expect.poll(errors, { timeout: 30_000 }).toMatchObject({ data: { items: [{ kind: 'unknown_user' }] } });
    service.signal('SIGTERM');
    expect([await service.ended(), service.output()]).toEqual([0, expect.not.stringContaining('"level":50')]);
  } finally {
    await service.kill('SIGKILL');
    await database.drop();
  }
});
