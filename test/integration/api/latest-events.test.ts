import { afterAll, beforeAll, expect, it } from 'vitest';
import { operate } from '../../support/operate.ts';
import { type Answer, startTestService, type TestBot, type TestService } from '../../support/service.ts';

/** The events that were received last, over HTTP (decisions.md#latest-events). */

let service: TestService;
let bot: TestBot;

beforeAll(async () => {
  service = await startTestService();
  bot = await service.createBot({ plan: 'free', timezone: 'Europe/Berlin' });
  await meet(bot, [1, 2]);
});
afterAll(() => service.stop());

async function meet(of: TestBot, ids: readonly number[]): Promise<void> {
  const updates = ids.map((id) => ({
    update: {
      update_id: id,
      message: {
        message_id: 1,
        date: Date.parse('2026-03-01T10:00:00Z') / 1000,
        chat: { id, type: 'private' },
        from: { id, is_bot: false, first_name: `User ${id}`, username: `u${id}` },
        text: 'hello',
      },
    },
  }));
  await post(of, 'send-batch-update', updates);
}

async function post(of: TestBot, path: string, body: unknown): Promise<void> {
  const { status, body: answer } = await service.post(`/v1/${path}`, body, { 'api-key': of.apiKey });
  expect(status, JSON.stringify(answer)).toBe(200);
  await service.projected();
}

const latest = (query = '', key = bot.apiKey): Promise<Answer> =>
  service.get(`/v1/events/latest${query}`, { 'api-key': key });
const namesOf = ({ body }: Answer): string[] =>
  body.data.items.map(({ event_name }: { event_name: string }) => event_name);

it('lists events in the order of their receipt, whatever their dates, with all that was sent', async () => {
  await post(bot, 'send-event', { event: 'late', user_id: 2, date: '2026-03-05T10:00:00Z' });
  await post(
    bot,
    'send-event',
    '{"event":"early","user_id":1,"date":"2026-03-02T09:00:00.250Z","value_num":123456789012345.678901,' +
      '"category":"books","value_str":"a","webapp_name":"shop","event_key":"k1","properties":{"n":0.10,"t":"x","b":true}}',
  );
  const answer = await latest();
  expect(namesOf(answer)).toEqual(['early', 'late', 'message', 'message']);
  const [first] = answer.body.data.items;
  expect(first).toMatchObject({
    ...{ user_id: 1, first_name: 'User 1', last_name: null, username: 'u1', event_name: 'early' },
    ...{ date: '2026-03-02T10:00:00.250+01:00', unit: null, category: 'books', value_str: 'a', webapp_name: 'shop' },
    ...{ event_key: 'k1', properties: { n: 0.1, t: 'x', b: true } },
  });
  const text = await (
    await fetch(`${service.address}/v1/events/latest?limit=1`, { headers: { 'api-key': bot.apiKey } })
  ).text();
  expect(text).toContain('"value_int":123456789012345.678901');
  expect(namesOf(await latest('?limit=1'))).toEqual(['early']);
  expect((await latest('?limit=0')).body.data.items).toHaveLength(1);
  expect((await latest('?limit=x')).status).toBe(400);
});

it('shows no event of another bot, and none of a user that the bot has not met', async () => {
  const other = await service.createBot();
  await meet(other, [1]);
  await post(other, 'send-event', [
    { event: 'foreign', user_id: 1 },
    { event: 'unknown', user_id: 404 },
  ]);
  expect(namesOf(await latest('', other.apiKey))).toEqual(['foreign', 'message']);
  expect(namesOf(await latest())).not.toContain('foreign');
});

it('names no erased user', async () => {
  await operate(service.env, ['user', 'erase', '--bot', bot.publicKey, '--user', '2']);
  await service.projected();
  const { items } = (await latest()).body.data;
  expect(items.find((each: { user_id: number }) => each.user_id === 2)).toMatchObject({
    first_name: null,
    username: null,
  });
});
