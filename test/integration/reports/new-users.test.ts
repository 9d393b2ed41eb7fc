import { afterAll, beforeAll, expect, it } from 'vitest';
import { newUsersAnswer } from '../../../src/api/reports/schemas.ts';
import { type Answer, startTestService, type TestBot, type TestService } from '../../support/service.ts';

let service: TestService;
let bot: TestBot;

/** The clock of Berlin goes forward on the 29th, so that day has 23 hours. */
const VISITS = [
  '2026-03-27T22:59:59Z',
  '2026-03-27T23:00:00Z',
  '2026-03-28T22:59:59Z',
  '2026-03-28T23:00:00Z',
  '2026-03-29T21:59:59Z',
  '2026-03-29T22:00:00Z',
];

beforeAll(async () => {
  service = await startTestService();
  bot = await service.createBot({ timezone: 'Europe/Berlin' });
  const updates = VISITS.map((date, index) => ({
    update: {
      update_id: index + 1,
      message: {
        message_id: 1,
        date: Date.parse(date) / 1000,
        chat: { id: index + 1, type: 'private' },
        from: { id: index + 1, is_bot: false, first_name: 'Ada' },
        text: 'hello',
      },
    },
  }));
  expect((await service.post('/v1/send-batch-update', updates, { 'api-key': bot.apiKey })).status).toBe(200);
  await service.projected();
});
afterAll(() => service.stop());

const newUsers = (from: string, to: string, headers: Record<string, string> = {}): Promise<Answer> =>
  service.get(`/v1/reports/new-users?${new URLSearchParams({ date_from: from, date_to: to })}`, {
    'api-key': bot.apiKey,
    ...headers,
  });

it("counts new users by days of the bot's zone, as many as the list of users has", async () => {
  const [from, to] = ['2026-03-27 00:00:00', '2026-03-30 23:59:59'];
  const { status, body } = await newUsers(from, to);
  expect({ status, body }).toMatchObject({ status: 200 });
  expect(body.data.days).toEqual([
    { date: '2026-03-27T00:00:00+01:00', users: 1 },
    { date: '2026-03-28T00:00:00+01:00', users: 2 },
    { date: '2026-03-29T00:00:00+01:00', users: 2 },
    { date: '2026-03-30T00:00:00+02:00', users: 1 },
  ]);
  expect(body.data.total).toBe(VISITS.length);
  expect(newUsersAnswer.parse(body)).toEqual(body);
  const report_config = {
    source_request: { type: 'list', type_chart: 'list', table: 'users', columns: ['user.user_id'], limit: 1 },
    settings: { params: { ':date_from': from, ':date_to': to } },
  };
  const list = await service.post('/v1/reports/run', { report_config }, { 'api-key': bot.apiKey });
  expect(list.body.data.meta.rows_matching).toBe(VISITS.length);
});

it('counts a part of a day to its last second', async () => {
  const until = async (to: string): Promise<number> => (await newUsers('2026-03-28 00:00:00', to)).body.data.total;
  expect(await until('2026-03-28 00:00:00')).toBe(1);
  expect(await until('2026-03-28 23:59:58')).toBe(1);
  expect(await until('2026-03-28 23:59:59')).toBe(2);
});

it.each([
  ['date_from', 'yesterday', '2026-03-28 00:00:00'],
  ['date_to', '2026-03-28 00:00:00', '2026-03-28'],
  ['date_from', '2026-03-29 00:00:00', '2026-03-28 00:00:00'],
  ['date_from', '2020-01-01 00:00:00', '2026-03-28 00:00:00'],
])('refuses with a word about %s: %s to %s', async (path, from, to) => {
  expect(await newUsers(from, to)).toMatchObject({ status: 400, body: { details: [{ path }] } });
});

it("counts no user of another owner's bot", async () => {
  const other = await service.createBot();
  const [from, to] = ['2026-03-27 00:00:00', '2026-03-30 23:59:59'];
  expect((await newUsers(from, to, { 'api-key': other.apiKey })).body.data.total).toBe(0);
  expect((await newUsers(from, to, { 'api-key': other.apiKey, 'resource-key': bot.publicKey })).status).toBe(403);
});
