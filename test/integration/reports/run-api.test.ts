import { parse } from 'csv-parse/sync';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { reportAnswer, utmLabelsAnswer } from '../../../src/api/reports/schemas.ts';
import { createBot } from '../../../src/commands/catalog/change-bot.ts';
import { issueKey } from '../../../src/commands/catalog/keys.ts';
import { type Answer, startTestService, type TestBot, type TestService } from '../../support/service.ts';

let service: TestService;
let bot: TestBot;

beforeAll(async () => {
  service = await startTestService();
  bot = await service.createBot({ timezone: 'Europe/Berlin' });
  const key = { 'api-key': bot.apiKey };
  const payloads = [
    'source-ads_medium-cpc',
    'source-ads_campaign-may',
    'source-blog',
    'term-hats',
    'source-Blog',
    null,
  ];
  for (const [index, payload] of payloads.entries())
    await service.post('/v1/send-update', { update: start(index + 1, payload) }, key);
  const event = '{"event":"priced","user_id":1,"date":"2026-01-01T12:00:00Z","value_num":';
  await service.post('/v1/send-event', `[${event}0.1},${event}0.2},${event}123456789012345.123456}]`, key);
  await service.projected();
});
afterAll(() => service.stop());

function start(id: number, payload: string | null): object {
  const from = { id, is_bot: false, first_name: 'Ada' };
  const text = payload === null ? '/start' : `/start ${payload}`;
  const date = Date.UTC(2026, 0, 1) / 1000;
  const entities = [{ type: 'bot_command', offset: 0, length: 6 }];
  return { update_id: id, message: { message_id: 1, date, chat: { id, type: 'private' }, from, text, entities } };
}

const metric = (more: object = {}) => ({ type: 'trend', event_id: null, event_name: 'any', agr: 'total', ...more });
const config = (source: object = {}, params: object = {}): object => ({
  source_request: { type: 'trends', type_chart: 'line', requests: [metric()], ...source },
  settings: { params: { ':date_from': '2026-01-01 00:00:00', ':date_to': '2026-01-03 23:59:59', ...params } },
});
const run = (body: object, apiKey = bot.apiKey, more: Record<string, string> = {}): Promise<Answer> =>
  service.post('/v1/reports/run', body, { 'api-key': apiKey, ...more });
async function saved(report_config: object): Promise<string> {
  const answer = await service.post('/v1/reports/save', { name: 'R', report_config }, { 'api-key': bot.apiKey });
  return answer.body.data.uuid;
}

describe('a run', () => {
  it('has all rows of a report, saved or not', async () => {
    const hourly = config({ granularity: 'hour' });
    for (const body of [
      { report_config: hourly },
      { uuid: await saved(hourly) },
      { report_config: hourly, uuid: null },
    ]) {
      const { data } = (await run(body)).body;
      expect(data.rows).toHaveLength(72);
      expect(data.meta).toMatchObject({ rows_total: 72, truncated: false });
      expect(reportAnswer.parse({ ok: true, data })).toEqual({ ok: true, data });
    }
  });

  it('takes another period for a saved report, whole or in part', async () => {
    const uuid = await saved(config());
    const dates = async (params: object): Promise<string[]> =>
      (await run({ uuid, params })).body.data.rows.map(({ date }: { date: string }) => date.slice(0, 10));
    expect(await dates({})).toEqual(['2026-01-01', '2026-01-02', '2026-01-03']);
    expect(await dates({ ':date_from': '2026-01-03 00:00:00' })).toEqual(['2026-01-03']);
    const period = { ':date_from': '2025-12-31 00:00:00', ':date_to': '2025-12-31 23:59:59' };
    expect(await dates(period)).toEqual(['2025-12-31']);
    expect(await dates({ ':date_from': null, ':date_to': '2026-01-01 00:00:00' })).toEqual(['2026-01-01']);
    // The saved report does not change.
    expect(await dates({})).toHaveLength(3);
  });

  it.each<[string, object, string]>([
    ['neither report', {}, 'report_config'],
    ['both', { uuid: 'x', report_config: config() }, 'report_config'],
    ['a wrong config', { report_config: config({ granularity: 'year' }) }, 'source_request.granularity'],
    ['an unknown format', { report_config: config(), format: 'xml' }, 'format'],
    ['params that are none', { uuid: 'x', params: [] }, 'params'],
    ['params without a saved report', { report_config: config(), params: {} }, 'params'],
  ])('refuses %s', async (_, body, path) => {
    expect(await run(body)).toMatchObject({ status: 400, body: { details: [{ path }] } });
  });

  it('gives the path in params for a problem of the period', async () => {
    const uuid = await saved(config());
    const answer = await run({ uuid, params: { ':date_to': 'today' } });
    expect(answer.body).toMatchObject({ error_code: 400, details: [{ path: 'params.:date_to' }] });
  });

  it('gives the path in params for an unknown key of the period', async () => {
    const warned = async (uuid: string) =>
      (await run({ uuid, params: { date_from: 1 } })).body.data.meta.warnings.map(({ path }: { path: string }) => path);
    expect(await warned(await saved(config()))).toEqual(['params.date_from']);
    expect(await warned(await saved(config({}, { until: 1 })))).toEqual(['settings.params.until', 'params.date_from']);
  });

  it('warns of an event that the bot does not have, and of an id next to the name of another event', async () => {
    const START = 1;
    const entity = (event_id: number | null, event_name = 'any') => ({ type: 'event', event_id, event_name });
    const warned = async (source: object) =>
      (await run({ report_config: config(source) })).body.data.meta.warnings as { path: string; message: string }[];
    const priced = { event_id: 101, event_name: 'priced' };
    const chart = [metric(priced), metric({ ...priced, event_name: 'Prices' }), metric({ event_name: 'priced' })];
    expect(await warned({ requests: chart })).toEqual([]);
    expect(
      await warned({ requests: [metric({ event_id: 999 }), metric({ event_id: START, event_name: 'priced' })] }),
    ).toEqual([
      {
        path: 'source_request.requests.0.event_id',
        message: 'the bot has no event with the id 999: it counts nothing',
      },
      {
        path: 'source_request.requests.1.event_name',
        message: expect.stringMatching(/^event_id 1 is \w+, and priced has the event_id 101: the id decides$/),
      },
    ]);
    const steps = { type: 'funnels', type_chart: 'funnels', requests: [metric(priced), metric({ event_id: 999 })] };
    const others = {
      ...{ type: 'retention', type_chart: 'retention', requests: undefined },
      ...{ target_entity: entity(START, 'priced'), returning_entity: entity(-999_999_999_999) },
    };
    const paths = async (source: object) => (await warned(source)).map(({ path }) => path);
    expect(await paths(steps)).toEqual(['source_request.requests.1.event_id']);
    expect(await paths(others)).toEqual([
      'source_request.target_entity.event_name',
      'source_request.returning_entity.event_id',
    ]);
  });

  it('requires the bot from a key for several bots, except with the uuid of a report', async () => {
    const { publicKey } = await createBot(service.commands, { ownerId: bot.ownerId, name: 'Second', timezone: 'UTC' });
    const issued = { ownerId: bot.ownerId, bots: 'all', kind: 'service', name: null, expiresAt: null } as const;
    const { apiKey } = await issueKey(service.commands, issued);
    const free = await service.createBot({ plan: 'free' });
    const wide = { ...issued, ownerId: free.ownerId };
    const { apiKey: freeWide } = await issueKey(service.commands, wide);
    await service.projected();
    const report_config = config();
    expect((await run({ report_config }, apiKey)).body.details).toMatchObject([{ path: 'resource_key' }]);
    // Checked before the plan.
    expect((await run({ report_config }, freeWide)).status).toBe(400);
    expect((await run({ uuid: 'x' }, freeWide)).status).toBe(403);
    expect((await run({ report_config }, apiKey, { 'resource-key': publicKey })).body.data.meta.timezone).toBe('UTC');
    expect((await run({ uuid: await saved(report_config) }, apiKey)).body.data.meta.timezone).toBe('Europe/Berlin');
    expect((await run({ report_config }, free.apiKey)).status).toBe(403);
  });
});

describe('as CSV', () => {
  const text = { type_chart: 'table', requests: [metric({ label: 'a "b", c\nd' }), metric({ label: '=1+1' })] };

  it('has the labels as its header, and quotes where needed', async () => {
    const { status, headers, body } = await run({ report_config: config(text), format: 'csv' });
    expect(status).toBe(200);
    expect(headers.get('content-type')).toBe('text/csv; charset=utf-8');
    expect(headers.get('content-disposition')).toBe('attachment; filename="report.csv"');
    expect(parse(body)).toEqual([
      ['Metric', 'Label', 'Value'],
      ['0', 'a "b", c\nd', '9'],
      ['1', "'=1+1", '9'],
    ]);
  });

  it('has every digit, and an empty cell for a measure of no events', async () => {
    const amount = { agr_field: 'events.value_int', event_id: 101 };
    const requests = [
      metric({ ...amount, agr: 'property_sum', label: 'Sum' }),
      metric({ ...amount, agr: 'property_avg' }),
    ];
    const { body } = await run({ report_config: config({ requests }), format: 'csv' });
    const [header, first, second] = parse(body) as string[][];
    expect(header).toEqual(['Date', 'Sum', 'any']);
    expect(first!.slice(0, 2)).toEqual(['2026-01-01T00:00:00+01:00', '123456789012345.423456']);
    expect(second).toEqual(['2026-01-02T00:00:00+01:00', '0', '']);
  });

  it('has all rows, also of a saved report with another period', async () => {
    const uuid = await saved(config({ granularity: 'hour' }));
    const params = { ':date_from': '2025-11-01 00:00:00', ':date_to': '2026-01-31 23:59:59' };
    const { body } = await run({ uuid, params, format: 'csv' });
    expect(parse(body)).toHaveLength(1 + 92 * 24);
  });

  it('is shown by OpenAPI', async () => {
    const { paths } = (await service.get('/openapi.json')).body;
    const { content } = paths['/v1/reports/run'].post.responses['200'];
    expect(content['application/json'].schema).toEqual(
      paths['/v1/reports/preview'].post.responses['200'].content['application/json'].schema,
    );
    expect(content['text/csv']).toEqual({ schema: { type: 'string' } });
  });

  it('is refused as JSON', async () => {
    const { headers, body } = await run({ report_config: config({ requests: [] }), format: 'csv' });
    expect(headers.get('content-type')).toMatch(/^application\/json/);
    expect(body).toMatchObject({ ok: false, error_code: 400 });
  });
});

describe('utm-labels', () => {
  it('are the labels of visits, the most used first, then by code points', async () => {
    const { body } = await service.get('/v1/reports/utm-labels', { 'api-key': bot.apiKey });
    expect(body).toEqual({
      ok: true,
      data: { sources: ['ads', 'Blog', 'blog'], mediums: ['cpc'], campaigns: ['may'], terms: ['hats'], contents: [] },
    });
    expect(utmLabelsAnswer.parse(body)).toEqual(body);
  });

  it('are those of the bot, and need the premium plan', async () => {
    const other = await service.createBot();
    const empty = { sources: [], mediums: [], campaigns: [], terms: [], contents: [] };
    const ask = (apiKey: string) => service.get('/v1/reports/utm-labels', { 'api-key': apiKey });
    expect((await ask(other.apiKey)).body.data).toEqual(empty);
    expect((await ask((await service.createBot({ plan: 'free' })).apiKey)).status).toBe(403);
  });
});
