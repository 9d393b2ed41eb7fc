import { afterAll, beforeAll, expect, it } from 'vitest';
import { type BotApiServer, startBotApi } from '../../support/bot-api-server.ts';
import { sendingBot } from '../../support/broadcasts.ts';
import { type Answer, startTestService, type TestService } from '../../support/service.ts';

/** Test sends of POST /v1/broadcast/test-send never queue (decisions.md#test-send). */

let platform: BotApiServer;
let service: TestService;
let key: Record<string, string>;

beforeAll(async () => {
  platform = await startBotApi();
  service = await startTestService({ TELEGRAM_API_ROOT: platform.root });
  key = { 'api-key': (await sendingBot(service)).apiKey };
});
afterAll(async () => {
  await service?.stop();
  await platform?.close();
});

const send = (body: object): Promise<Answer> => service.post('/v1/broadcast/test-send', body, key);

/** Waits for the bot's turn: a bot sends one test a second. */
async function tested(body: object): Promise<Answer> {
  for (;;) {
    const answer = await send(body);
    if (answer.status !== 429) return answer;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

it('refuses a third test of a bot that waits for the platform', async () => {
  const body = { type: 'sendMessage', message: { text: 'x' }, chat_id: 1 };
  platform.behave(() => ({ hang: true }));
  const sent = platform.calls.length;
  const waiting = [tested(body), tested(body)];
  await expect.poll(() => platform.calls.length).toBe(sent + 2);
  await expect.poll(async () => (await send(body)).body.error).toContain('wait for the platform');
  platform.refuse(true);
  for (const answer of await Promise.all(waiting)) expect(answer.body.data.outcome).toBe('unknown');
  platform.refuse(false);
  platform.behave(() => undefined);
  expect(platform.calls).toHaveLength(sent + 2);
});

it('sends nothing once its caller has gone', async () => {
  const { pool } = service.database;
  const body = { type: 'sendMessage', message: { text: 'x' }, chat_id: 1 };
  const sent = platform.calls.length;
  const blocker = await pool.connect();
  try {
    await blocker.query('BEGIN; LOCK TABLE users_v1.users IN ACCESS EXCLUSIVE MODE');
    const gone = new AbortController();
    const asked = fetch(`${service.address}/v1/broadcast/test-send`, {
      method: 'POST',
      headers: { ...key, 'content-type': 'application/json' },
      body: JSON.stringify(body),
      signal: gone.signal,
    });
    const blocked = async (): Promise<number> => {
      const { rows } = await pool.query(
        `SELECT count(*)::int AS n FROM pg_stat_activity WHERE datname = current_database()
         AND wait_event_type = 'Lock' AND application_name LIKE '%lookups'`,
      );
      return rows[0].n;
    };
    await expect.poll(blocked).toBe(1);
    gone.abort();
    await expect(asked).rejects.toThrow();
    // An answer on another connection comes after the end of the first one was seen.
    await service.get('/health');
  } finally {
    await blocker.query('ROLLBACK');
    blocker.release();
  }
  expect((await tested({ ...body, chat_id: 2 })).status).toBe(200);
  expect(platform.calls.slice(sent).map(({ chatId }) => chatId)).toEqual([2]);
});
