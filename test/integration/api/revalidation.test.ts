import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestService, type TestBot, type TestService } from '../../support/service.ts';

/** A client that has an answer already gets 304 while the answer is the same (decisions.md#revalidation). */

let service: TestService;
let bot: TestBot;
beforeAll(async () => {
  service = await startTestService();
  bot = await service.createBot({ kind: 'personal' });
});
afterAll(() => service.stop());

async function read(path: string, headers: Record<string, string>) {
  const answer = await fetch(service.address + path, { headers });
  return {
    status: answer.status,
    etag: answer.headers.get('etag'),
    headers: answer.headers,
    text: await answer.text(),
  };
}

const EVENTS = '/v1/reports/events';
const PERIOD = new URLSearchParams({ date_from: '2026-01-01 00:00:00', date_to: '2026-01-31 23:59:59' });

test('an unchanged answer is 304 without a body, and a changed one is 200 with another tag', async () => {
  const key = { 'api-key': bot.apiKey };
  const first = await read(EVENTS, key);
  expect([first.status, first.headers.get('cache-control')]).toEqual([200, 'private, no-cache']);
  expect(first.headers.get('vary')).toBe('Api-Key, Authorization, Resource-Key, Cookie');
  for (const tag of [first.etag!, `W/${first.etag}`, `"other", ${first.etag}`]) {
    const again = await read(EVENTS, { ...key, 'if-none-match': tag });
    expect(again).toMatchObject({ status: 304, etag: first.etag, text: '' });
  }
  await service.post('/v1/send-event', { event: 'a_new_name', user_id: 1 }, key);
  await service.projected();
  await expect.poll(async () => (await read(EVENTS, { ...key, 'if-none-match': first.etag! })).status).toBe(200);
  const changed = await read(EVENTS, key);
  expect(changed.etag).not.toBe(first.etag);
  expect(changed.text).toContain('a_new_name');
});

test('a list with data_as_of is 304 while it shows the same, and a header says how far it is counted now', async () => {
  const key = { 'api-key': bot.apiKey };
  const lists = ['/v1/broadcast/list', '/v1/referral/referrers', `/v1/reports/new-users?${PERIOD}`];
  for (const path of lists) {
    const first = await read(path, key);
    expect(first, path).toMatchObject({ status: 200, etag: expect.stringMatching(/^W\/"/) });
    const { data_as_of } = JSON.parse(first.text).data;
    expect(first.headers.get('data-as-of'), path).toBe(data_as_of);
    const asOf = async (tag: string) => {
      const again = await read(path, { ...key, 'if-none-match': tag });
      expect(again, path).toMatchObject({ status: 304, etag: first.etag, text: '' });
      return Date.parse(again.headers.get('data-as-of')!);
    };
    await expect.poll(() => asOf(first.etag!)).toBeGreaterThan(Date.parse(data_as_of));
    await asOf(first.etag!.slice('W/'.length));
  }
  const [list] = lists;
  const { etag } = await read(list!, key);
  await service.post('/v1/broadcast/create', { type: 'sendMessage', message: { text: 'a' } }, key);
  await service.projected();
  const changed = await read(list!, { ...key, 'if-none-match': etag! });
  expect(changed.status).toBe(200);
  expect(JSON.parse(changed.text).data.total).toBe(1);
});

test('a tag of one key gives no other key an answer', async () => {
  const other = await service.createBot({ kind: 'personal' });
  const { etag } = await read(EVENTS, { 'api-key': bot.apiKey });
  const answer = await read(EVENTS, { 'api-key': other.apiKey, 'if-none-match': etag! });
  expect(answer.status).toBe(200);
  expect(answer.text).not.toContain('a_new_name');
  expect((await read(EVENTS, { 'api-key': 'wrong:key', 'if-none-match': etag! })).status).toBe(401);
});

test('the look-up of a session is 304 while nothing has changed, and 401 after log-out', async () => {
  const url = `${service.address}/console/session`;
  const headers = { 'content-type': 'application/json', 'sec-fetch-site': 'same-origin' };
  const logIn = await fetch(url, { method: 'POST', headers, body: JSON.stringify({ key: bot.apiKey }) });
  expect(logIn.headers.get('etag')).toBeNull();
  const cookie = logIn.headers.get('set-cookie')!.split(';')[0]!;
  const { etag } = await read('/console/session', { cookie });
  expect(await read('/console/session', { cookie, 'if-none-match': etag! })).toMatchObject({ status: 304, text: '' });
  await fetch(url, { method: 'DELETE', headers: { ...headers, cookie } });
  expect((await read('/console/session', { cookie, 'if-none-match': etag! })).status).toBe(401);
});

test('a refusal, a POST and a GET that changes something have no tag', async () => {
  const key = { 'api-key': bot.apiKey };
  expect((await read('/v1/bot-errors?limit=x', key)).etag).toBeNull();
  expect(
    (await service.post('/v1/send-event', { event: 'a_new_name', user_id: 1 }, key)).headers.get('etag'),
  ).toBeNull();
  const created = await read('/v1/referral/create-code?user_id=5', key);
  expect([created.status, created.etag, created.headers.get('cache-control')]).toEqual([200, null, 'no-store']);
});
