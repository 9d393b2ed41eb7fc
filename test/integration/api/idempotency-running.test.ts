import pg from 'pg';
import { expect, test } from 'vitest';
import { startTestInstance, startTestService } from '../../support/service.ts';

test('409 with Retry-After while the first request with an Idempotency-Key is running, from the same instance', async () => {
  const service = await startTestService();
  const other = await startTestInstance(service.env);
  const session = new pg.Client({ connectionString: service.database.url });
  try {
    const bot = await service.createBot();
    const send = async (name: string, address = service.address) => {
      const response = await fetch(`${address}/v1/send-event`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'api-key': bot.apiKey, 'idempotency-key': name },
        body: '{"event": "paid", "user_id": 7}',
      });
      return { status: response.status, headers: response.headers, body: await response.json() };
    };
    // So that the type of event is known, and nothing but the append is left to wait for.
    expect((await send('before')).status).toBe(200);
    expect((await send('elsewhere', other.address)).status).toBe(200);
    await session.connect();
    await session.query('SELECT pg_advisory_lock(hashtextextended($1, 0))', [bot.publicKey]);
    const first = send('a');
    await appendsWait(service.database.pool, 1);
    const second = await send('a');
    expect(second).toMatchObject({ status: 409, body: { ok: false, error_code: 409 } });
    expect(second.headers.get('retry-after')).toBe('1');
    // Another instance leaves it to the log who was first.
    const third = send('a', other.address);
    await appendsWait(service.database.pool, 2);
    await session.query('SELECT pg_advisory_unlock_all()');
    expect(await first).toMatchObject({ status: 200, body: { ok: true } });
    expect(await third).toMatchObject({ status: 200, body: { ok: true } });
    expect((await send('a')).status).toBe(200);
  } finally {
    await session.end();
    await other.stop();
    await service.stop();
  }
});

async function appendsWait(db: pg.Pool, count: number): Promise<void> {
  await expect
    .poll(async () => {
      const { rowCount } = await db.query(
        `SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event = 'advisory'`,
      );
      return rowCount;
    })
    .toBe(count);
}
