import { type IncomingMessage, request } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { eventFieldsAnswer, eventsAnswer, reportAnswer, resourcesAnswer } from '../../../src/api/reports/schemas.ts';
import { createBot } from '../../../src/commands/catalog/change-bot.ts';
import { issueKey } from '../../../src/commands/catalog/keys.ts';
import { pause } from '../../../src/util/pause.ts';
import { onOwnServer } from '../../support/database.ts';
import { longOnly } from '../../support/long-only.ts';
import { startTestService, type TestBot, type TestService } from '../../support/service.ts';

onOwnServer();

let service: TestService;
let bot: TestBot;

beforeAll(async () => {
  service = await startTestService({ REPORT_CONCURRENCY: '2', REPORT_TIMEOUT_MS: '10000' });
  bot = await service.createBot({ timezone: 'Europe/Berlin' });
  const key = { 'api-key': bot.apiKey };
  for (const [update_id, id] of [10, 20].entries())
    await service.post('/v1/send-update', { update: start(update_id, id) }, key);
  const paid = (user_id: number, date: string, more: object = {}) => ({ event: 'order_paid', user_id, date, ...more });
  const events = [
    paid(10, '2026-01-31T22:59:59.999Z', { category: 'shoes' }),
    paid(10, '2026-01-31T23:00:00Z', { category: 'shoes' }),
    paid(20, '2026-02-01T12:00:00Z', { category: 'hats' }),
  ];
  const digits = '{"event":"priced","user_id":10,"date":"2026-02-01T00:00:00Z","value_num":';
  await service.post('/v1/send-event', events, key);
  await service.post('/v1/send-event', `[${digits}0.1},${digits}0.2},${digits}123456789012345.123456}]`, key);
  await service.post('/v1/send-target', { target_id: 1, user_id: 20, date: '2026-02-02T00:00:00.000Z' }, key);
  await service.projected();
});
afterAll(() => service.stop());

function start(update_id: number, id: number) {
  const from = { id, is_bot: false, first_name: 'Ada' };
  const message = {
    message_id: 1,
    date: Date.UTC(2026, 0, 1) / 1000,
    chat: { id, type: 'private' },
    from,
    text: '/start',
  };
  return { update_id, message: { ...message, entities: [{ type: 'bot_command', offset: 0, length: 6 }] } };
}
const metric = (more: object = {}) => ({ type: 'trend', event_id: null, event_name: 'any', agr: 'total', ...more });
function config(source: object = {}, params: object = {}) {
  const dates = { ':date_from': '2026-01-31 00:00:00', ':date_to': '2026-02-02 23:59:59', ...params };
  return {
    source_request: { type: 'trends', type_chart: 'line', requests: [metric()], ...source },
    settings: { params: dates },
  };
}
/** A period of 9,999 days. */
function retention(intervals: number, more: object = {}) {
  const entity = { type: 'event', event_id: null, event_name: 'any' };
  const source = { type: 'retention', type_chart: 'retention', target_entity: entity, returning_entity: entity };
  const days = { ':date_from': '2000-01-01 00:00:00', ':date_to': '2027-05-18 00:00:00' };
  const intervalsOf = { retention_type: 'retention_recurring', retention_total_intervals: intervals };
  return config({ ...source, ...intervalsOf, ...more }, days);
}
const preview = (report_config: unknown, headers: Record<string, string> = { 'api-key': bot.apiKey }) =>
  service.post('/v1/reports/preview', { report_config }, headers);
const list = (name: string, apiKey = bot.apiKey, resource?: string) =>
  service.get(`/v1/reports/${name}`, {
    'api-key': apiKey,
    ...(resource !== undefined && { 'resource-key': resource }),
  });

describe('reports count the events that were sent', () => {
  it('by day, in the bot’s time zone', async () => {
    const { items } = (await list('events')).body.data;
    const { event_id } = items.find(({ name }: { name: string }) => name === 'order_paid');
    const requests = [metric({ event_id }), metric({ event_id, agr: 'total_uniq_user_id', label: 'Buyers' })];
    const { status, body } = await preview(config({ requests }));
    expect(status).toBe(200);
    expect(body).toMatchObject({
      ok: true,
      data: { meta: { timezone: 'Europe/Berlin', rows_total: 3, truncated: false } },
    });
    expect(body.data.rows).toEqual([
      { date: '2026-01-31T00:00:00+01:00', s0: 1, s1: 1 },
      { date: '2026-02-01T00:00:00+01:00', s0: 2, s1: 2 },
      { date: '2026-02-02T00:00:00+01:00', s0: 0, s1: 0 },
    ]);
    expect(body.data.columns[2]).toEqual({ key: 's1', label: 'Buyers', type: 'number', metric: 1, total: 2 });
    expect(body.data.meta.lag_ms).toBe(0);
  });

  it('in a table, with filters', async () => {
    const filters = ['and', ['=', 'events.category', 'shoes'], ['=', 'user.first_name', 'Ada']];
    const { body } = await preview(
      config({ type_chart: 'table', requests: [metric({ filters }), metric({ agr: 'total_uniq' })] }),
    );
    expect(body.data.rows).toEqual([
      { metric: 0, label: 'any', value: 2 },
      { metric: 1, label: 'any', value: 2 },
    ]);
  });

  it('with every digit of their values', async () => {
    const requests = [metric({ agr: 'property_sum', agr_field: 'events.value_int' })];
    const response = await fetch(`${service.address}/v1/reports/preview`, {
      method: 'POST',
      headers: { 'api-key': bot.apiKey, 'content-type': 'application/json' },
      body: JSON.stringify({ report_config: config({ type_chart: 'number', requests }) }),
    });
    expect(await response.text()).toContain('"total":123456789012345.423456');
  });

  it('as a funnel, by the steps that users took', async () => {
    const { body } = await preview(
      config({
        type: 'funnels',
        type_chart: 'funnels',
        requests: [
          metric({ filters: ['=', 'events.category', 'shoes'] }),
          metric({ event_name: 'more', label: 'More' }),
        ],
        separators: [{ property: 'user.first_name' }],
      }),
    );
    const breakdown = { 'user.first_name': 'Ada', other: false };
    const all = { users: 1, share_of_first: 1, share_of_previous: 1, dropped: 0, in_progress: 0 };
    expect(body.data.rows).toEqual([
      { ...breakdown, step: 1, label: 'any', ...all, median_seconds: null },
      { ...breakdown, step: 2, label: 'More', ...all, median_seconds: 3600 },
    ]);
  });

  it('as retention, by the users who returned', async () => {
    const entity = { type: 'event', event_id: null, event_name: 'any' };
    const { body } = await preview(
      config({
        type: 'retention',
        type_chart: 'retention',
        target_entity: { ...entity, filters: ['=', 'events.category', 'shoes'] },
        returning_entity: entity,
        retention_total_intervals: 2,
      }),
    );
    const empty = { size: 0, users_0: 0, share_0: null, users_1: 0, share_1: null };
    expect(body.data.rows).toEqual([
      { cohort: '2026-01-31T00:00:00+01:00', size: 1, users_0: 1, share_0: 1, users_1: 1, share_1: 1 },
      { cohort: '2026-02-01T00:00:00+01:00', ...empty },
      { cohort: '2026-02-02T00:00:00+01:00', ...empty },
    ]);
  });

  it('with at most ten rows in a preview', async () => {
    const { body } = await preview(config({ granularity: 'hour' }));
    expect(body.data.rows).toHaveLength(10);
    expect(body.data.meta).toMatchObject({ rows_total: 72, truncated: true });
  });
});

describe('lists', () => {
  it('of events: system events, goals and names, with counts and dates', async () => {
    const { body } = await list('events');
    const byName = Object.fromEntries(body.data.items.map((item: { name: string }) => [item.name, item]));
    expect(byName['order_paid']).toEqual({
      event_id: expect.any(Number),
      name: 'order_paid',
      kind: 'custom',
      first_seen: '2026-01-31T23:59:59+01:00',
      last_seen: '2026-02-01T13:00:00+01:00',
      count: 3,
      title: null,
      description: null,
      hidden: false,
    });
    expect(byName['Sale']).toMatchObject({ event_id: 100, kind: 'target', target_id: 1, count: 1 });
    expect(byName['start']).toMatchObject({ event_id: 1, kind: 'system', count: 2 });
    expect(byName['payment']).toMatchObject({ event_id: 3, count: 0, first_seen: null, last_seen: null });
  });

  it('of resources: the bots that the key can access', async () => {
    const resource = { resource_key: bot.publicKey, name: 'Bot', username: null, timezone: 'Europe/Berlin' };
    expect((await list('resources')).body).toEqual({ ok: true, data: { items: [resource] } });
  });

  it('of event fields: the fixed columns', async () => {
    const { items } = (await list('event-fields')).body.data;
    const names = (some: readonly { name: string }[]) => some.map(({ name }) => name.slice('events.'.length)).join(' ');
    expect(names(items)).toBe(
      'date user_id event_type_id value_int value_amount unit value_str category webapp_name session_id app_session_id ' +
        'date_received utm_source utm_medium utm_campaign utm_term utm_content',
    );
    const separators = items.filter(({ separator }: { separator: boolean }) => separator);
    expect(names(separators)).toBe('event_type_id unit value_str category webapp_name');
    const dates = items.filter(({ type }: { type: string }) => type === 'date');
    expect(names(dates)).toBe('date date_received');
    expect(items).toContainEqual({
      name: 'events.value_int',
      type: 'number',
      operators: ['=', '!=', '>', '<', '>=', '<=', 'in', 'between'],
      separator: false,
    });
  });
});

describe('refusals', () => {
  it('name the offending value, after the message of the interface', async () => {
    const { status, body } = await preview(config({ requests: [metric({ agr: 'total_uniq' })] }));
    expect(status).toBe(400);
    expect(body).toMatchObject({
      ok: false,
      error: expect.stringMatching(/^Unsupported aggregation/),
      error_code: 400,
      details: [{ path: 'source_request.requests.0.agr', allowed: expect.arrayContaining(['total_uniq_user_id']) }],
    });
  });

  it.each([
    ['no report_config', {}],
    ['a report_config of null', { report_config: null }],
    ['one that is no object', { report_config: 'x' }],
    ['a body that is no object', []],
  ])('%s', async (_, body) => {
    const answer = await service.post('/v1/reports/preview', body, { 'api-key': bot.apiKey });
    expect(answer.status).toBe(400);
    expect(answer.body.details).toMatchObject([{ path: 'report_config' }]);
  });

  it('without access: no key, no plan, no bot, an unknown bot, another owner’s bot', async () => {
    const free = await service.createBot({ plan: 'free' });
    const { publicKey } = await createBot(service.commands, { ownerId: bot.ownerId, name: 'Second', timezone: 'UTC' });
    const { apiKey } = await issueKey(service.commands, {
      ownerId: bot.ownerId,
      bots: 'all',
      kind: 'service',
      name: null,
      expiresAt: null,
    });
    await service.projected();
    const status = async (headers: Record<string, string>) => (await preview(config(), headers)).status;
    expect(await status({})).toBe(401);
    expect(await status({ 'api-key': free.apiKey })).toBe(403);
    expect((await list('resources', free.apiKey)).status).toBe(403);
    expect(await status({ 'api-key': apiKey })).toBe(400);
    expect(await status({ 'api-key': apiKey, 'resource-key': 'unknown' })).toBe(404);
    expect(await status({ 'api-key': apiKey, 'resource-key': free.publicKey })).toBe(403);
    expect(await status({ 'api-key': apiKey, 'resource-key': publicKey })).toBe(200);
    expect((await list('resources', apiKey)).body.data.items).toHaveLength(2);
    expect((await list('event-fields', apiKey)).status).toBe(200);
    for (const name of ['resources', 'event-fields']) {
      expect((await list(name, apiKey, 'unknown')).status, name).toBe(404);
      expect((await list(name, apiKey, free.publicKey)).status, name).toBe(403);
      expect((await list(name, apiKey, publicKey)).status, name).toBe(200);
    }
  });

  it('of reports with more numbers than the limit', async () => {
    const hours = { ':date_from': '2026-01-01 00:00:00', ':date_to': '2027-02-20 13:59:59' };
    const lines = (count: number, more: object = {}) =>
      config({ granularity: 'hour', requests: Array(count).fill(metric()), ...more }, hours);
    const byCategory = { separators: [{ property: 'events.category' }] };
    // Two categories and a missing one, at 9,974 hours or at each day.
    for (const [most, more] of [
      [lines(33, byCategory), lines(34, byCategory)],
      [retention(48), retention(50)],
      [retention(10, byCategory), retention(20, byCategory)],
    ]) {
      expect((await preview(most)).status).toBe(200);
      const { status, body } = await preview(more);
      expect(status).toBe(400);
      expect(body).toMatchObject({ error_code: 400, details: [{ path: 'source_request' }] });
      expect(body.error).toMatch(/^more than 1000000 numbers/);
    }
  });

  longOnly('of reports that take too long, and of too many reports at once', async () => {
    const blocker = await service.database.pool.connect();
    try {
      await blocker.query('BEGIN; LOCK TABLE events_v1.timelines IN ACCESS EXCLUSIVE MODE');
      const statuses = await Promise.all([preview(config()), preview(config()), preview(config())]);
      expect(statuses.map(({ status }) => status).sort()).toEqual([429, 502, 502]);
      const refused = statuses.find(({ status }) => status === 429);
      expect(refused?.headers.get('retry-after')).toBe('1');
    } finally {
      await blocker.query('ROLLBACK');
      blocker.release();
    }
    expect((await preview(config())).status).toBe(200);
  });
});

it('counts an answer that no client reads as a running report', async () => {
  const waiting = await Promise.all([unread(retention(48)), unread(retention(48))]);
  expect((await preview(config())).status).toBe(429);
  for (const response of waiting) response.destroy();
  await expect.poll(async () => (await preview(config())).status).toBe(200);
});

it('counts a report whose client has disconnected until it ends', async () => {
  const blocker = await service.database.pool.connect();
  try {
    await blocker.query('BEGIN; LOCK TABLE events_v1.timelines IN ACCESS EXCLUSIVE MODE');
    const gone = AbortSignal.timeout(500);
    const headers = { 'api-key': bot.apiKey, 'content-type': 'application/json' };
    const body = JSON.stringify({ report_config: config() });
    const asked = [1, 2].map(() =>
      fetch(`${service.address}/v1/reports/preview`, { method: 'POST', headers, body, signal: gone }),
    );
    await Promise.allSettled(asked);
    await pause(200); // until the service has noticed
    expect((await preview(config())).status).toBe(429);
  } finally {
    await blocker.query('ROLLBACK');
    blocker.release();
  }
  await expect.poll(async () => (await preview(config())).status).toBe(200);
});

/** Runs a report and does not read the answer. Repeats a 429: an earlier report may count until just after its answer. */
async function unread(report_config: unknown): Promise<IncomingMessage> {
  const headers = { 'api-key': bot.apiKey, 'content-type': 'application/json' };
  const send = () =>
    new Promise<IncomingMessage>((resolve, reject) => {
      const sent = request(`${service.address}/v1/reports/run`, { method: 'POST', headers });
      sent.once('response', resolve).once('error', reject);
      sent.end(JSON.stringify({ report_config }));
    });
  for (;;) {
    const response = await send();
    if (response.statusCode !== 429) return response;
    response.resume();
  }
}

it('answers match the schemas of OpenAPI', async () => {
  const shown = [
    [reportAnswer, (await preview(config())).body],
    [reportAnswer, (await preview(config({ type_chart: 'table' }))).body],
    [reportAnswer, (await preview(config({ separators: [{ property: 'events.category' }] }))).body],
    [reportAnswer, (await preview(config({ type_chart: 'utm_table' }))).body],
    [resourcesAnswer, (await list('resources')).body],
    [eventsAnswer, (await list('events')).body],
    [eventFieldsAnswer, (await list('event-fields')).body],
  ] as const;
  for (const [shape, body] of shown) expect(shape.parse(body)).toEqual(body);
  const { paths } = (await service.get('/openapi.json')).body;
  expect(paths['/v1/reports/preview'].post.responses).toHaveProperty('502');
});
