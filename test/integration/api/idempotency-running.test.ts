import pg from 'pg';
import { expect, test } from 'vitest';
import { startTestService } from '../../support/service.ts';

test('409 with Retry-After while the first request with an Idempotency-Key is running', async () => {
  const service = await startTestService();
  const session = new pg.Client({ connectionString: service.database.url });
  try {
    const bot = await service.createBot();
    const send = (name: string) =>
      service.post('/v1/send-event', { event: 'paid', user_id: 7 }, { 'api-key': bot.apiKey, 'idempotency-key': name });
    // So that the type of event is known, and nothing but the append is left to wait for.
    expect((await send('before')).status).toBe(200);
    await session.connect();
    await session.query('SELECT pg_advisory_lock(hashtextextended($1, 0))', [bot.publicKey]);
    const first = send('a');
    await appendWaits(service.database.pool);
    const second = await send('a');
    expect(second).toMatchObject({ status: 409, body: { ok: false, error_code: 409 } });
    expect(second.headers.get('retry-after')).toBe('1');
    await session.query('SELECT pg_advisory_unlock_all()');
    expect(await first).toMatchObject({ status: 200, body: { ok: true } });
    expect((await send('a')).status).toBe(200);
  } finally {
    await session.end();
    await service.stop();
  }
});

async function appendWaits(db: pg.Pool): Promise<void> {
  for (;;) {
    const { rowCount } = await db.query(
      `SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event = 'advisory'`,
    );
    if (rowCount !== 0) return;
  }
}
