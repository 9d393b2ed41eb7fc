import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { segmentFromReportAnswer } from '../../../src/api/broadcast/schemas.ts';
import { userFieldsAnswer, usersAnswer } from '../../../src/api/reports/users-schemas.ts';
import { importUsers } from '../../../src/commands/intake/import-users.ts';
import { eraseUser } from '../../../src/commands/intake/personal-keys.ts';
import { unpackChats } from '../../../src/domain/broadcast/packed-chats.ts';
import { segmentPartUploaded } from '../../../src/domain/broadcast/segment.ts';
import { type Answer, startTestService, type TestBot, type TestService } from '../../support/service.ts';

let service: TestService;
let bot: TestBot;
let buy: number;
const key = (): Record<string, string> => ({ 'api-key': bot.apiKey });
const HOSTILE = '<img src=x onerror=alert(1)>';

beforeAll(async () => {
  service = await startTestService();
  bot = await service.createBot({ timezone: 'Europe/Berlin' });
  for (let id = 1; id <= 6; id++) await service.post('/v1/send-update', { update: start(id) }, key());
  const event = (user_id: number, category: string) =>
    `{"event":"buy","user_id":${user_id},"date":"2026-01-02T12:00:00Z","category":${JSON.stringify(category)},"value_num":1}`;
  await service.post(
    '/v1/send-event',
    `[${[event(1, 'a'), event(2, 'a'), event(2, 'a'), event(3, HOSTILE), event(6, 'a')]}]`,
    key(),
  );
  await service.projected();
  await eraseUser(service.commands, bot.publicKey, 6);
  await service.projected();
  const { body } = await service.get('/v1/reports/events', key());
  buy = body.data.items.find(({ name }: { name: string }) => name === 'buy').event_id;
});
afterAll(() => service.stop());

function start(id: number): object {
  const from = {
    id,
    is_bot: false,
    first_name: id === 3 ? HOSTILE : `User ${id}`,
    username: `u${id}`,
    language_code: 'en',
  };
  const date = Date.UTC(2026, 0, 1) / 1000;
  return { update_id: id, message: { message_id: 1, date, chat: { id, type: 'private' }, from, text: '/start' } };
}

const settings = { params: { ':date_from': '2026-01-01 00:00:00', ':date_to': '2026-01-03 23:59:59' } };
const metric = (event_id: number | null, agr = 'total') => ({ type: 'trend', event_id, event_name: 'x', agr });
const trends = (more: object = {}) => ({
  source_request: { type: 'trends', type_chart: 'line', requests: [metric(buy)], ...more },
  settings,
});
const funnel = () => ({
  source_request: { type: 'funnels', type_chart: 'funnels', requests: [metric(1), metric(buy)] },
  settings,
});
const ask = (body: object): Promise<Answer> => service.post('/v1/reports/users', body, key());
const freeze = (body: object, more: Record<string, string> = {}): Promise<Answer> =>
  service.post('/v1/broadcast/segment-from-report', body, { ...key(), ...more });
const idsOf = ({ body }: Answer): number[] => body.data.users.map(({ user_id }: { user_id: number }) => user_id);

async function draft(): Promise<number> {
  const body = { type: 'sendMessage', name: 'B', message: { text: 'Hello' } };
  return (await service.post('/v1/broadcast/create', body, key())).body.data.id;
}

/** The chats of a list, as the log has them. */
async function chatsOf(segment: number): Promise<number[]> {
  const { commits } = await service.log.read(`segment-${bot.publicKey}/${segment}`);
  return commits.flatMap(({ events }) => unpackChats(segmentPartUploaded.read(events[0]!).data.chats));
}

describe('the users behind a number', () => {
  it('come with their open fields, in pages by id', async () => {
    const body = { report_config: trends(), cell: { series: 0, bucket: '2026-01-02T00:00:00+01:00' } };
    const whole = await ask(body);
    expect(usersAnswer.parse(whole.body)).toEqual(whole.body);
    expect(whole.body.data).toMatchObject({ count: 4 });
    expect(idsOf(whole)).toEqual([1, 2, 3, 6]);
    expect(whole.body.data.users[0]).toEqual({
      user_id: 1,
      first_name: 'User 1',
      last_name: null,
      username: 'u1',
      language_code: 'en',
      user_status: 'active',
      date_create: '2026-01-01T01:00:00+01:00',
      date_last_active: '2026-01-01T01:00:00+01:00',
    });
    expect(whole.body.data.users[2].first_name).toBe(HOSTILE);
    // An erased user still counts; nothing personal is left.
    expect(whole.body.data.users[3]).toMatchObject({ user_id: 6, first_name: null, username: null });
    const page = await ask({ ...body, limit: 2, offset: 1 });
    expect([page.body.data.count, idsOf(page)]).toEqual([4, [2, 3]]);
    expect(idsOf(await ask({ ...body, offset: 9 }))).toEqual([]);
  });

  it('are those of a funnel, a breakdown, a retention and a list', async () => {
    const cell = (step: number, kind: string) => ask({ report_config: funnel(), cell: { step, kind } });
    expect(idsOf(await cell(2, 'reached'))).toEqual([1, 2, 3, 6]);
    expect(idsOf(await cell(2, 'dropped'))).toEqual([4, 5]);
    const table = trends({ type_chart: 'table', separators: [{ property: 'events.category' }] });
    const named = { series: 0, breakdown: { 'events.category': HOSTILE } };
    expect(idsOf(await ask({ report_config: table, cell: named }))).toEqual([3]);
    const entity = (event_id: number) => ({ type: 'event', event_id, event_name: 'x' });
    const retention = {
      source_request: {
        type: 'retention',
        type_chart: 'retention',
        target_entity: entity(1),
        returning_entity: entity(buy),
      },
      settings,
    };
    const cohort = '2026-01-01T00:00:00+01:00';
    expect(idsOf(await ask({ report_config: retention, cell: { cohort, interval: 1 } }))).toEqual([1, 2, 3, 6]);
    const source_request = { type: 'list', type_chart: 'list', table: 'users', columns: ['user.user_id'], limit: 2 };
    expect(idsOf(await ask({ report_config: { source_request, settings } }))).toHaveLength(2);
  });

  it('are those of a saved report', async () => {
    const saved = await service.post('/v1/reports/save', { name: 'R', report_config: funnel() }, key());
    const { uuid } = saved.body.data;
    const cell = { step: 2, kind: 'reached' };
    expect(idsOf(await ask({ uuid, cell }))).toEqual([1, 2, 3, 6]);
    const before = await ask({ uuid, cell, params: { ':date_to': '2026-01-01 23:59:59' } });
    expect(before.body.data).toMatchObject({ count: 0, users: [] });
  });

  it.each<[string, () => object, string]>([
    ['no report', () => ({ cell: { series: 0 } }), 'report_config'],
    ['no cell', () => ({ report_config: trends() }), 'cell'],
    ['an unknown series', () => ({ report_config: trends(), cell: { series: 1 } }), 'cell.series'],
    [
      'an unknown bucket',
      () => ({ report_config: trends(), cell: { series: 0, bucket: '2026-01-02' } }),
      'cell.bucket',
    ],
    ['a wrong report', () => ({ report_config: trends({ type_chart: 'x' }), cell: {} }), 'source_request.type_chart'],
    ['a limit of 201', () => ({ report_config: trends(), cell: { series: 0 }, limit: 201 }), 'limit'],
    ['a negative offset', () => ({ report_config: trends(), cell: { series: 0 }, offset: -1 }), 'offset'],
    [
      'a combination that is not shown',
      () => ({
        report_config: trends({ type_chart: 'table', separators: [{ property: 'events.category' }] }),
        cell: { series: 0, breakdown: { 'events.category': 'z' } },
      }),
      'cell.breakdown',
    ],
    [
      'others of a report that shows all',
      () => ({
        report_config: trends({ type_chart: 'table', separators: [{ property: 'events.category' }] }),
        cell: { series: 0, other: true },
      }),
      'cell.other',
    ],
  ])('are refused for %s', async (_, body, path) => {
    const answer = await ask(body());
    expect(answer).toMatchObject({ status: 400, body: { ok: false, error_code: 400, details: [{ path }] } });
  });

  it('need a premium plan, and a bot of the key', async () => {
    const body = { report_config: trends(), cell: { series: 0 } };
    const free = await service.createBot({ plan: 'free' });
    expect((await service.post('/v1/reports/users', body, { 'api-key': free.apiKey })).status).toBe(403);
    const other = await service.createBot();
    const foreign = { 'api-key': other.apiKey, 'resource-key': bot.publicKey };
    expect((await service.post('/v1/reports/users', body, foreign)).status).toBe(403);
  });
});

describe('a segment from a report', () => {
  it('freezes the users of a cell as a list of the draft, without erased users', async () => {
    const task_id = await draft();
    const { body } = await freeze({ task_id, report_config: funnel(), cell: { step: 2, kind: 'reached' } });
    expect(segmentFromReportAnswer.parse(body)).toEqual(body);
    const { segment_id, count } = body.data;
    expect(count).toBe(3);
    expect(await chatsOf(segment_id)).toEqual([1, 2, 3]);
    const segmentations = { include: [{ type: 'custom', config: { segment_id } }] };
    const named = await service.post('/v1/broadcast/save', { id: task_id, segmentations }, key());
    expect(named).toMatchObject({ status: 200, body: { data: { segmentations } } });
    // The list is locked to its draft.
    const elsewhere = await service.post('/v1/broadcast/save', { id: await draft(), segmentations }, key());
    expect(elsewhere.status).toBe(400);
  });

  it('is the same list for a repeat, whatever has happened since', async () => {
    const task_id = await draft();
    const body = { task_id, report_config: funnel(), cell: { step: 2, kind: 'dropped' } };
    const once = { 'idempotency-key': 'k1' };
    const first = await freeze(body, once);
    expect(first.body.data.count).toBe(2);
    const late = { event: 'buy', user_id: 4, date: '2026-01-03T10:00:00Z' };
    await service.post('/v1/send-event', late, key());
    await service.projected();
    expect((await freeze(body, once)).body).toEqual(first.body);
    expect((await freeze(body)).body.data).toMatchObject({ count: 1 });
    expect((await freeze({ ...body, task_id: await draft() }, once)).status).toBe(422);
  });

  it.each<[string, (id: number) => object, number, string]>([
    [
      'a broadcast that does not exist',
      () => ({ task_id: 999_999, report_config: funnel(), cell: {} }),
      404,
      'task_id',
    ],
    ['no broadcast', () => ({ report_config: funnel(), cell: { step: 1, kind: 'reached' } }), 400, 'task_id'],
    ['no report', (task_id) => ({ task_id, cell: {} }), 400, 'report_config'],
    [
      'an unknown cell',
      (task_id) => ({ task_id, report_config: funnel(), cell: { step: 9, kind: 'reached' } }),
      400,
      'cell.step',
    ],
    [
      'a cell without users',
      (task_id) => ({ task_id, report_config: funnel(), cell: { step: 1, kind: 'dropped' } }),
      400,
      'cell',
    ],
    [
      "another's report",
      (task_id) => ({ task_id, uuid: '0b9e5f0c-6f4e-4d5b-9a37-2f7c1f3f9d10', cell: {} }),
      404,
      'uuid',
    ],
  ])('is refused for %s', async (_, body, status, path) => {
    expect(await freeze(body(await draft()))).toMatchObject({ status, body: { details: [{ path }] } });
  });

  it('is refused for a broadcast that is no draft any more', async () => {
    const create = {
      type: 'sendMessage',
      message: { text: 'x' },
      segmentations: { include: [{ type: 'list', config: { chat_ids: [1] } }] },
      date_send: '2100-01-01 00:00:00',
      activate: true,
    };
    const other = await service.createBot({ token: '1:x' });
    const own = { 'api-key': other.apiKey };
    const made = await service.post('/v1/broadcast/create', create, own);
    const body = { task_id: made.body.data.id, report_config: funnel(), cell: { step: 1, kind: 'reached' } };
    expect(await service.post('/v1/broadcast/segment-from-report', body, own)).toMatchObject({
      status: 400,
      body: { details: [{ path: 'task_id', message: 'the broadcast is no draft any more' }] },
    });
  });
});

it('the fields of users are listed with the custom fields of the bot', async () => {
  const items = [{ user_id: 1, custom_fields: { city: 'Bath', '': 'no name' } }];
  await importUsers(service.commands, bot.publicKey, items);
  await service.projected();
  const answer = await service.get('/v1/reports/user-fields', key());
  expect(userFieldsAnswer.parse(answer.body)).toEqual(answer.body);
  const names = answer.body.data.items.map(({ name }: { name: string }) => name);
  expect(names).toEqual(
    expect.arrayContaining(['user.user_id', 'user.language_code', 'user.addition_fields.referral_code']),
  );
  expect(answer.body.data.items.at(-1)).toMatchObject({ name: 'user.custom_fields.city', type: 'dynamic' });
  expect(names.filter((name: string) => name.startsWith('events.'))).toEqual([]);
});
