import { afterAll, beforeAll, expect, test } from 'vitest';
import { readAll } from '../../support/log.ts';
import type { Answer, TestBot, TestService } from '../../support/service.ts';

/** Idempotency-Key (decisions.md#idempotency-key): the same on every engine of the log. */
export function describeIdempotency(start: () => Promise<TestService>): void {
  let service: TestService;
  let bot: TestBot;

  beforeAll(async () => {
    service = await start();
    bot = await service.createBot();
  });
  afterAll(() => service.stop());

  const valid = { event: 'paid', user_id: 7 };
  const send = (name: string, body: unknown, path = 'send-event', apiKey = bot.apiKey): Promise<Answer> =>
    service.post(`/v1/${path}`, body, { 'api-key': apiKey, 'idempotency-key': name });

  /** Requests that are in the log, of every bot. */
  async function count(): Promise<number> {
    return (await readAll(service.log, { categories: ['intake'] })).length;
  }

  test('the same key and body is one append', async () => {
    const before = await count();
    expect((await send('a', valid)).body).toEqual({ ok: true });
    expect((await send('a', valid)).body).toEqual({ ok: true });
    expect((await count()) - before).toBe(1);
  });

  test('the same key with another body is 422', async () => {
    await send('b', valid);
    const answer = await send('b', { ...valid, user_id: 8 });
    expect(answer).toMatchObject({ status: 422, body: { ok: false, error_code: 422 } });
  });

  test('a repeat that is refused leaves no name behind', async () => {
    await send('names', valid);
    expect((await send('names', { ...valid, event: 'left behind' })).status).toBe(422);
    const catalog = await readAll(service.log, { categories: ['eventtypes'] });
    expect(JSON.stringify(catalog)).toContain('"paid"');
    expect(JSON.stringify(catalog)).not.toContain('left behind');
  });

  test('many at once are one append; the others are 409 or the same answer', async () => {
    const before = await count();
    const answers = await Promise.all(Array.from({ length: 20 }, () => send('c', valid)));
    expect(answers.every(({ status }) => status === 200 || status === 409)).toBe(true);
    expect(answers.some(({ status }) => status === 200)).toBe(true);
    expect((await count()) - before).toBe(1);
  });

  test('a refused request leaves the key free', async () => {
    expect((await send('d', { event: 5 })).status).toBe(400);
    expect((await send('d', valid)).status).toBe(200);
  });

  test('the key of another route or bot is another key', async () => {
    const before = await count();
    const other = await service.createBot();
    expect((await send('e', valid)).status).toBe(200);
    expect((await send('e', { target_id: 1, user_id: 7 }, 'send-target')).status).toBe(200);
    expect((await send('e', { ...valid, user_id: 8 }, 'send-event', other.apiKey)).status).toBe(200);
    expect((await count()) - before).toBe(3);
  });

  test('1 to 255 characters', async () => {
    expect((await send('x'.repeat(255), valid)).status).toBe(200);
    expect((await send('x'.repeat(256), valid)).status).toBe(400);
  });

  test.each<[string, () => Promise<void>]>([
    ['a restart', async () => {}],
    ['the loss of all that is not the log', () => service.dropDerived()],
  ])('is remembered over %s', async (name, meanwhile) => {
    expect((await send(name, valid)).status).toBe(200);
    const before = await count();
    await service.restart(meanwhile);
    expect((await send(name, valid)).body).toEqual({ ok: true });
    expect((await send(name, { ...valid, user_id: 8 })).status).toBe(422);
    expect(await count()).toBe(before);
  });
}
