import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type BroadcastApi, broadcastApi } from '../../support/broadcast-api.ts';
import { TOKEN } from '../../support/broadcasts.ts';
import type { Answer, TestBot } from '../../support/service.ts';

/** Lists of broadcasts over HTTP. */
let api: BroadcastApi;
let bot: TestBot;

beforeAll(async () => {
  api = await broadcastApi();
  bot = await api.service.createBot();
});
afterAll(() => api.stop());

const own = () => ({ 'api-key': bot.apiKey });
const list = (query: Record<string, string>, key = bot.apiKey): Promise<Answer> =>
  api.get(`list?${new URLSearchParams(query)}`, { 'api-key': key });

describe('the list', () => {
  it('is filtered, ordered and paged', async () => {
    const shop = await api.service.createBot({ timezone: 'Pacific/Auckland', token: TOKEN });
    const key = { 'api-key': shop.apiKey };
    const make = async (body: object) => (await api.post('create', { type: 'sendMessage', ...body }, key)).body.data;
    const a = await make({ name: 'Äpfel 100%', date_send: '2030-01-02 00:00:00' });
    const b = await make({ name: 'birnen_', date_send: '2030-01-01 00:00:00' });
    const c = await make({ message: { text: 'x' }, segmentations: { include: [{ type: 'all' }] }, activate: true });
    const ids = async (query: Record<string, string>) =>
      (await list(query, shop.apiKey)).body.data.items.map(({ id }: { id: number }) => id);
    const all = await list({}, shop.apiKey);
    const data_as_of = expect.stringMatching(/^\d{4}-\d\d-\d\dT.*[+-]\d\d:\d\d$/);
    expect(all.body.data).toEqual({ items: [c, b, a], total: 3, limit: 100, offset: 0, data_as_of });
    expect(await ids({ 'orders[id]': 'asc' })).toEqual([a.id, b.id, c.id]);
    expect(await ids({ 'filters[status]': '0' })).toEqual([b.id, a.id]);
    expect(await ids({ 'filters[status]': '5' })).toEqual([]);
    // Missing last, both ways; ties by id.
    expect(await ids({ 'orders[name]': 'asc' })).toEqual([b.id, a.id, c.id]);
    expect(await ids({ 'orders[name]': 'desc' })).toEqual([a.id, b.id, c.id]);
    expect(await ids({ 'orders[date_send]': 'asc' })).toEqual([b.id, a.id, c.id]);
    expect(await ids({ 'orders[date_send]': 'desc' })).toEqual([a.id, b.id, c.id]);
    expect(await ids({ 'orders[date_finish]': 'asc' })).toEqual([c.id, b.id, a.id]);
    expect(await ids({ 'orders[status]': 'desc', 'orders[date_create]': 'asc' })).toEqual([c.id, a.id, b.id]);
    // The scheduled one runs next.
    expect(await ids({ 'orders[running]': 'desc', 'orders[id]': 'asc' })).toEqual([c.id, a.id, b.id]);
    // Literal, whatever the case.
    expect(await ids({ 'filters[name]': 'äPF' })).toEqual([a.id]);
    expect(await ids({ 'filters[name]': '%' })).toEqual([a.id]);
    expect(await ids({ 'filters[name]': '_' })).toEqual([b.id]);
    expect(await ids({ 'filters[name]': '100\\%' })).toEqual([]);
    expect(await ids({ 'filters[name]': '' })).toHaveLength(3);
    const page = await list({ limit: '1', offset: '1' }, shop.apiKey);
    expect(page.body.data).toMatchObject({ items: [b], total: 3, limit: 1, offset: 1 });
    expect((await list({ offset: '9' }, shop.apiKey)).body.data).toMatchObject({ items: [], total: 3 });
    // Days of the bot's zone.
    const today = a.date_create.slice(0, 10);
    const [before, after] = [-1, 1].map((days) =>
      new Date(Date.parse(`${today}T00:00:00Z`) + days * 86_400_000).toISOString().slice(0, 10),
    );
    expect(await ids({ 'filters[date_create]': `${before},${after}` })).toHaveLength(3);
    expect((await ids({ 'filters[date_create]': `${today},${after}` })).includes(a.id)).toBe(true);
    expect(await ids({ 'filters[date_create]': before! })).toEqual([]);
  });

  it.each([
    { limit: '0' },
    { limit: '501' },
    { limit: 'x' },
    { offset: '-1' },
    { 'filters[status]': '9' },
    { 'filters[status]': 'x' },
    { 'filters[type]': 'sendMessage' },
    { filters: 'x' },
    { 'orders[type]': 'asc' },
    { 'orders[id]': 'up' },
    { 'filters[date_create]': '2026-02-30' },
    { 'filters[date_create]': '2026-02-02,2026-02-01' },
    { 'filters[date_create]': '2026-02-01,2026-02-02,2026-02-03' },
    { 'filters[name]': 'a\0' },
  ])('refuses %j', async (query) => {
    const answer = await list(query as Record<string, string>);
    expect(answer.status).toBe(400);
    expect(answer.body.details[0].path).toBe(Object.keys(query)[0]);
  });

  it('never answers a 5xx, whatever is asked', async () => {
    const key = fc.constantFrom(
      ...['status', 'name', 'date_create', 'x'].map((name) => `filters[${name}]`),
      ...['id', 'name', 'date_finish', 'x'].map((name) => `orders[${name}]`),
      ...['limit', 'offset', 'filters', 'orders[]', '__proto__'],
    );
    const value = fc.oneof(
      fc.string({ maxLength: 5 }),
      fc.constantFrom('asc', 'desc', '0', '3', '-1', '9'.repeat(20), '%', '2026-01-01', '2026-01-01,2026-12-31', '\0'),
    );
    await fc.assert(
      fc.asyncProperty(fc.dictionary(key, value, { maxKeys: 4 }), async (query) => {
        expect([200, 400]).toContain((await list(query)).status);
      }),
      { numRuns: 60 },
    );
  });

  it('refuses a filter that is given twice', async () => {
    expect((await api.get('list?filters[status]=1&filters[status]=2', own())).status).toBe(400);
    expect((await list({ limit: '500' })).status).toBe(200);
  });
});
