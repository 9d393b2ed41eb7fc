import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { broadcastAnswer } from '../../../src/api/broadcast/schemas.ts';
import { advanceBroadcast } from '../../../src/commands/broadcast/change-broadcast.ts';
import { resolveAudience } from '../../../src/commands/broadcast/resolve-audience.ts';
import { changeBot } from '../../../src/commands/catalog/change-bot.ts';
import { changeOwner } from '../../../src/commands/catalog/change-owner.ts';
import type { BroadcastEvent, BroadcastState } from '../../../src/domain/broadcast/broadcast.ts';
import {
  failBroadcast,
  finishBroadcast,
  freezeAudience,
  startResolution,
  startSending,
  stopBroadcast,
} from '../../../src/domain/broadcast/broadcast-steps.ts';
import type { Decision } from '../../../src/domain/decider.ts';
import { type BroadcastApi, broadcastApi } from '../../support/broadcast-api.ts';
import type { Answer, TestBot } from '../../support/service.ts';

/** Statuses over HTTP, row by row of the interface's tables; nothing acts by itself here, the tests take each step. */
let api: BroadcastApi;
let bot: TestBot;

beforeAll(async () => {
  api = await broadcastApi();
  bot = await api.service.createBot({ timezone: 'Europe/Berlin', token: '1:token' });
});
afterAll(() => api.stop());

const own = () => ({ 'api-key': bot.apiKey });
const post = (method: string, body: unknown, headers: Record<string, string> = own()) =>
  api.post(method, body, headers);
const get = (id: unknown, headers = own()) => api.get(`get?id=${id}`, headers);

const CHATS = [3, 1, 2];
const complete = {
  type: 'sendMessage',
  message: { text: 'Hello' },
  segmentations: { include: [{ type: 'list', config: { chat_ids: CHATS } }] },
};
const draft = async (body: object = complete): Promise<number> => (await post('create', body)).body.data.id;

/** Again while there are too many at once for this machine: it was certainly not done. */
async function persistently(method: string, body: unknown, headers: Record<string, string>): Promise<Answer> {
  const answer = await post(method, body, headers);
  return answer.status === 503 ? persistently(method, body, headers) : answer;
}

/** A step that the service takes by itself. */
async function step(id: number, take: (state: BroadcastState, now: number) => Decision<BroadcastEvent>): Promise<void> {
  await advanceBroadcast(api.service.commands, { bot: bot.publicKey, id }, take);
}
async function freeze(id: number): Promise<void> {
  const chats = [...CHATS].sort();
  const { count } = await resolveAudience(api.service.commands, {
    bot: bot.publicKey,
    broadcastId: id,
    async *chats({ after }) {
      if (after === null) yield chats;
    },
  });
  await step(id, (state, now) => freezeAudience(state, count, now));
}
/** Takes a broadcast that is scheduled to a status. */
async function bring(id: number, status: number): Promise<void> {
  if (status === 1) return;
  await step(id, startResolution);
  if (status === 6) return;
  await freeze(id);
  if (status === 7) return;
  await step(id, startSending);
  if (status === 3) await step(id, finishBroadcast);
  if (status === 5) await step(id, (state, now) => failBroadcast(state, 'Unauthorized', now));
  if (status === 4 || status === 8) await post('cancel', { id });
  if (status === 4) await step(id, (state, now) => stopBroadcast(state, null, now));
}
/** A broadcast in a status. */
async function inStatus(status: number): Promise<number> {
  const id = await draft();
  if (status === 0) return id;
  expect((await post('activate', { id })).body.data.status).toBe(1);
  await bring(id, status);
  await api.service.projected();
  expect((await get(id)).body.data.status).toBe(status);
  return id;
}

describe('create', () => {
  it('makes a draft of a type alone, with the defaults shown', async () => {
    const { status, body } = await post('create', { type: 'sendPhoto' });
    expect(status).toBe(200);
    expect(body.data).toEqual({
      id: expect.any(Number),
      status: 0,
      name: null,
      type: 'sendPhoto',
      segmentations: { include: [], exclude: [] },
      message: {},
      settings: { intervalCap: 10, rateLimitOnError: { stop: true, extraDelay: 0 }, track_clicks: false },
      date_send: null,
      date_create: expect.stringMatching(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/),
      date_activate: null,
      date_finish: null,
      count_recipients: 0,
      count_delivered: 0,
      count_not_delivered: 0,
      count_cancelled: 0,
      count_unknown: 0,
      error: null,
      paused_until: null,
    });
    expect(broadcastAnswer.parse(body)).toBeDefined();
    expect((await get(body.data.id)).body).toEqual(body);
  });

  it('launches with activate, or creates nothing', async () => {
    const { body } = await post('create', { ...complete, activate: true });
    expect(body.data).toMatchObject({ status: 1, date_activate: body.data.date_create });
    const total = async () => (await api.get('list?limit=1', own())).body.data.total;
    const before = await total();
    const refused = await post('create', { type: 'sendMessage', activate: true });
    expect(refused).toMatchObject({
      status: 400,
      body: {
        details: [
          { path: 'message.text', message: expect.stringMatching(/^text is required/) },
          { path: 'segmentations.include' },
        ],
      },
    });
    expect(await total()).toBe(before);
    expect((await post('create', { ...complete, activate: false })).body.data.status).toBe(0);
  });
});

describe('save', () => {
  it('replaces what is given in a draft, each as a whole', async () => {
    const id = await draft({ ...complete, name: 'A', settings: { intervalCap: 5 } });
    const first = await post('save', { id, message: { text: 'Bye', pin_message: true }, name: 'B' });
    expect(first.body.data).toMatchObject({ name: 'B', message: { text: 'Bye', pin_message: true } });
    const second = await post('save', { id, message: { parse_mode: 'html' }, settings: {}, segmentations: {} });
    expect(second.body.data).toMatchObject({
      name: 'B',
      message: { parse_mode: 'html' },
      settings: { intervalCap: 10 },
      segmentations: { include: [], exclude: [] },
    });
    expect(second.body.data.message).not.toHaveProperty('text');
    expect((await get(id)).body).toEqual(second.body);
    expect((await post('save', { id })).body).toEqual(second.body);
  });
});

describe('activate', () => {
  it('saves what is given and schedules', async () => {
    const id = await draft({ type: 'sendMessage' });
    const { body } = await post('activate', { ...complete, id, name: 'Now' });
    expect(body.data).toMatchObject({ status: 1, name: 'Now', message: { text: 'Hello' } });
    expect(body.data.date_activate).not.toBeNull();
    expect((await get(id)).body).toEqual(body);
  });

  it('saves nothing of what cannot be sent', async () => {
    const id = await draft({ type: 'sendMessage' });
    const none = { include: [{ type: 'filter', config: {} }] };
    const refused = await post('activate', { id, name: 'Now', message: { text: 'x' }, segmentations: none });
    expect(refused).toMatchObject({ status: 400, body: { details: [{ path: 'segmentations.include.0.config' }] } });
    expect((await get(id)).body.data).toMatchObject({ status: 0, name: null, message: {} });
  });

  it.each([4, 5])('resumes in status %i, with another message and settings, and nothing else', async (status) => {
    const id = await inStatus(status);
    const ended = (await get(id)).body.data;
    expect(ended.date_finish).not.toBeNull();
    expect(ended.error).toBe(status === 5 ? 'Unauthorized' : null);
    expect(ended).toMatchObject({ count_recipients: 3, count_cancelled: 3, count_delivered: 0 });
    const { data } = (
      await post('activate', {
        id,
        name: 'Other',
        message: { text: 'Again' },
        settings: { intervalCap: 3 },
        segmentations: {},
        date_send: '2100-01-01 00:00:00',
      })
    ).body;
    expect(data).toMatchObject({
      status: 1,
      name: null,
      message: { text: 'Again' },
      settings: { intervalCap: 3 },
      segmentations: ended.segmentations,
      date_send: null,
      date_finish: null,
      count_cancelled: 0,
      error: null,
    });
    // The audience is there already.
    await step(id, startSending);
    await api.service.projected();
    expect((await get(id)).body.data).toMatchObject({ status: 2, count_recipients: 3, count_cancelled: 0 });
  });
});

describe('cancel', () => {
  it('makes a draft again of what was not picked up, as it was', async () => {
    const id = await draft();
    const before = (await get(id)).body;
    await post('activate', { id });
    expect((await post('cancel', { id })).body).toEqual(before);
    expect((await get(id)).body).toEqual(before);
  });

  it.each([6, 7, 2])('stops in status %i', async (status) => {
    const id = await inStatus(status);
    expect((await post('cancel', { id })).body.data.status).toBe(8);
    await step(id, (state, now) => stopBroadcast(state, null, now));
    await api.service.projected();
    const { data } = (await get(id)).body;
    expect(data).toMatchObject({ status: 4, error: null, count_cancelled: status === 6 ? 0 : 3 });
    expect(data.date_finish).not.toBeNull();
  });

  it('of a later launch that was not picked up stops it again', async () => {
    const id = await inStatus(4);
    await post('activate', { id });
    expect((await post('cancel', { id })).body.data).toMatchObject({ status: 4, count_cancelled: 3 });
    await api.service.projected();
    expect((await get(id)).body.data).toMatchObject({ status: 4, count_cancelled: 3 });
  });
});

describe('what the tables do not have', () => {
  const IGNORED = { save: [1, 2, 3, 4, 5, 6, 7, 8], activate: [1, 2, 3, 6, 7, 8], cancel: [0, 3, 4, 5, 8] };

  it.each([0, 1, 2, 3, 4, 5, 6, 7, 8])('changes nothing in status %i, without an error', async (status) => {
    const id = await inStatus(status);
    const before = (await get(id)).body;
    const body = { id, name: 'Other', message: { text: 'Bye' }, segmentations: {}, date_send: null };
    for (const [method, statuses] of Object.entries(IGNORED)) {
      if (!statuses.includes(status)) continue;
      expect(await post(method, body), method).toMatchObject({ status: 200, body: before });
    }
    expect((await get(id)).body).toEqual(before);
  });
});

describe('date_send', () => {
  const saved = async (id: number, date_send: unknown) => (await post('save', { id, date_send })).body.data.date_send;

  it('is a time of the bot’s zone; what it skips moves forward, of two the first', async () => {
    const id = await draft();
    expect(await saved(id, '2027-07-01 10:00:00')).toBe('2027-07-01 10:00:00');
    expect(await saved(id, '2027-03-28 02:30:00')).toBe('2027-03-28 03:30:00');
    expect(await saved(id, '2027-10-31 02:30:00')).toBe('2027-10-31 02:30:00');
    const events = (await api.service.log.read(`broadcast-${bot.publicKey}/${id}`)).commits.at(-1)!.events;
    expect(events[0]!.data).toEqual({ id, date_send: Date.UTC(2027, 9, 31, 0, 30) });
    expect((await post('save', { id, name: 'x' })).body.data.date_send).toBe('2027-10-31 02:30:00');
    expect(await saved(id, null)).toBeNull();
  });

  it('to come waits in 1, past is at once', async () => {
    const due = async (date_send: string) => {
      const id = await draft({ ...complete, date_send, activate: true });
      const { events } = (await api.service.log.read(`broadcast-${bot.publicKey}/${id}`)).commits[0]!;
      return (events[1]!.data as { date_send: number | null }).date_send;
    };
    expect(await due('2099-01-01 00:00:00')).toBe(Date.UTC(2098, 11, 31, 23));
    expect(await due('2020-01-01 00:00:00')).toBeNull();
  });
});

describe('the quota', () => {
  it('lets so many through, however many come at once, and forgets who was cancelled in time', async () => {
    const { ownerId, apiKey } = await api.service.createBot({ token: '1:token' });
    await changeOwner(api.service.commands, ownerId, { broadcasts_per_month: 3 });
    const key = { 'api-key': apiKey };
    const ids: number[] = [];
    for (let chunk = 0; chunk < 10; chunk++) {
      const made = await Promise.all(Array.from({ length: 10 }, () => post('create', complete, key)));
      ids.push(...made.map(({ body }) => body.data.id));
    }
    expect(new Set(ids).size).toBe(100);
    const answers = await Promise.all(
      ids.map(async (id) => ({ id, ...(await persistently('activate', { id }, key)) })),
    );
    const launched = answers.filter(({ status }) => status === 200);
    expect(launched).toHaveLength(3);
    for (const { status, body } of answers.filter(({ status }) => status !== 200))
      expect({ status, body }).toEqual({
        status: 403,
        body: { ok: false, error: 'mailing_not_allowed', error_code: 403 },
      });
    expect((await api.get('list?filters[status]=1', key)).body.data.total).toBe(3);
    const create = () => post('create', { ...complete, activate: true }, key);
    expect((await create()).status).toBe(403);
    await post('cancel', { id: launched[0]!.id }, key);
    expect((await create()).status).toBe(200);
    expect((await create()).status).toBe(403);
    const refused = ids.find((id) => launched.every((one) => one.id !== id));
    expect((await post('activate', { id: refused, name: 'No' }, key)).status).toBe(403);
    expect((await get(refused, key)).body.data).toMatchObject({ status: 0, name: null });
  });
});

describe('an Idempotency-Key', () => {
  const keyed = (key: string) => ({ ...own(), 'idempotency-key': key });

  it('is answered as it was first, whatever happened since', async () => {
    const created = await post('create', { ...complete, activate: true }, keyed('a'));
    const { id } = created.body.data;
    const cancelled = await post('cancel', { id }, keyed('b'));
    const saved = await post('save', { id, name: 'New' }, keyed('c'));
    const activated = await post('activate', { id, name: 'Newer' }, keyed('d'));
    const unchanged = await post('save', { id, name: 'Not' }, keyed('e'));
    expect(unchanged.body.data.name).toBe('Newer');
    expect((await post('create', { ...complete, activate: true }, keyed('a'))).body).toEqual(created.body);
    expect((await post('cancel', { id }, keyed('b'))).body).toEqual(cancelled.body);
    expect((await post('save', { id, name: 'New' }, keyed('c'))).body).toEqual(saved.body);
    expect((await post('activate', { id, name: 'Newer' }, keyed('d'))).body).toEqual(activated.body);
    expect((await post('save', { id, name: 'Not' }, keyed('e'))).body).toEqual(unchanged.body);
    expect((await get(id)).body.data).toMatchObject({ status: 1, name: 'Newer' });
    for (const [method, key] of [
      ['create', 'a'],
      ['cancel', 'b'],
      ['save', 'c'],
      ['activate', 'd'],
      ['save', 'e'],
    ] as const)
      expect((await post(method, { ...complete, id, more: 1 }, keyed(key))).status).toBe(422);
  });

  it('is answered as it was first, also where it would be refused by now', async () => {
    const settings = { intervalCap: 100 };
    await changeBot(api.service.commands, bot.publicKey, { paid_broadcasts: true });
    const create = () => post('create', { ...complete, settings }, keyed('paid'));
    const created = await create();
    const { id } = created.body.data;
    const save = () => post('save', { id, settings }, keyed('paid too'));
    const saved = await save();
    const activate = () => post('activate', { id, settings }, keyed('paid for'));
    const activated = await activate();
    expect([created, saved, activated].map(({ status }) => status)).toEqual([200, 200, 200]);
    await changeBot(api.service.commands, bot.publicKey, { paid_broadcasts: false });
    expect((await post('save', { id, settings }, own())).status).toBe(400);
    expect((await create()).body).toEqual(created.body);
    expect((await save()).body).toEqual(saved.body);
    expect((await activate()).body).toEqual(activated.body);
  });
});
