import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { eventPropertiesAnswer } from '../../../src/api/reports/schemas.ts';
import { startTestService, type TestBot, type TestService } from '../../support/service.ts';

/** Custom properties of events over HTTP, from intake to every kind of answer (decisions.md#event-properties). */

let service: TestService;
let bot: TestBot;
let key: Record<string, string>;

beforeAll(async () => {
  service = await startTestService();
  bot = await service.createBot({ token: '1:secret' });
  key = { 'api-key': bot.apiKey };
  for (const id of [1, 2]) {
    const message = {
      message_id: 1,
      date: 1767225600,
      chat: { id, type: 'private' },
      from: { id, is_bot: false, first_name: 'A' },
    };
    await service.post('/v1/send-update', { update: { update_id: id, message } }, key);
  }
  const event = (day: string, user: number, properties: string) =>
    `{"event":"order","user_id":${user},"date":"2026-02-0${day}T12:00:00Z","properties":${properties}}`;
  const events = [
    event('1', 1, '{"plan":"pro","items":3,"gift":true,"price":0.1234567890123456789}'),
    event('1', 2, '{"plan":1,"items":2,"price":0.2}'),
    event('2', 2, '{"plan":"1","items":"2","price":123456789012345.000000000000000001}'),
    event('3', 2, '{"plan":1.0,"gift":null}'),
    event('3', 1, '{}'),
  ];
  const target = {
    target_id: 1,
    user_id: 1,
    date: '2026-02-04T00:00:00.000Z',
    properties: { plan: 'pro', note: '"x, y"' },
  };
  expect((await service.post('/v1/send-event', `[${events.join()}]`, key)).body).toEqual({ ok: true });
  expect((await service.post('/v1/send-target', target, key)).body).toEqual({ ok: true });
  await service.projected();
});
afterAll(() => service.stop());

const metric = {
  type: 'trend',
  event_id: null,
  event_name: 'any',
  agr: 'total',
  filters: ['!=', 'events.event_type_id', 8],
};
const run = async (source: object, more: object = {}): Promise<{ text: string; data: Data }> => {
  const settings = { params: { ':date_from': '2026-02-01 00:00:00', ':date_to': '2026-02-28 23:59:59' } };
  const source_request = { type: 'trends', type_chart: 'table', ...source };
  const response = await fetch(`${service.address}/v1/reports/run`, {
    method: 'POST',
    headers: { ...key, 'content-type': 'application/json' },
    body: JSON.stringify({ report_config: { source_request, settings }, ...more }),
  });
  const text = await response.text();
  expect(response.status, text).toBe(200);
  return { text, data: 'format' in more ? (null as unknown as Data) : JSON.parse(text).data };
};
interface Data {
  readonly rows: readonly Readonly<Record<string, unknown>>[];
  readonly columns: readonly object[];
  readonly meta: { readonly warnings: readonly object[] };
}
const counted = async (filters: unknown): Promise<unknown> =>
  (await run({ requests: [{ ...metric, filters }] })).data.rows[0]!['value'];

describe('custom properties', () => {
  it.each<[unknown, number]>([
    [['=', 'events.properties.plan', 'pro'], 2],
    [['=', 'events.properties.plan', 1], 2],
    [['=', 'events.properties.plan', '1'], 1],
    [['in', 'events.properties.plan', ['pro', 1]], 4],
    [['>=', 'events.properties.items', 2], 2],
    [['<', 'events.properties.items', '3'], 1],
    [['between', 'events.properties.price', 0.1, 0.15], 1],
    [['=', 'events.properties.gift', true], 1],
    [['and', ['=', 'events.properties.plan', 'pro'], ['!=', 'events.properties.gift', true]], 1],
    [['=', 'events.properties.note', '"x, y"'], 1],
  ])('are compared with constants of their type: %j', async (filter, events) => {
    expect(await counted(filter)).toBe(events);
  });

  it.each<[unknown, string]>([
    [['>', 'events.properties.gift', true], 'events.properties.gift: > does not compare boolean values'],
    [['between', 'events.properties.items', 1, 'x'], 'both ends must be of one type'],
    [['=', 'events.properties.items', [1]], 'expected a string, a number, true or false'],
    [['=', 'events.properties.category', 1], 'events.properties.category: expected a string'],
  ])('refuse an operator or a constant that does not fit: %j', async (filters, message) => {
    const source_request = { type: 'trends', type_chart: 'table', requests: [{ ...metric, filters }] };
    const settings = { params: { ':date_from': '2026-02-01 00:00:00', ':date_to': '2026-02-28 23:59:59' } };
    const { status, body } = await service.post(
      '/v1/reports/run',
      { report_config: { source_request, settings } },
      key,
    );
    expect([status, body.error]).toEqual([400, expect.stringContaining(message)]);
  });

  it('break a report down by value and type', async () => {
    const { data } = await run({ requests: [metric], separators: [{ property: 'events.properties.plan' }] });
    expect(data.rows.map((row) => [row['events.properties.plan'], row['value']])).toEqual([
      [1, 2],
      ['pro', 2],
      [null, 1],
      ['1', 1],
    ]);
  });

  it('are summed with all their digits; text and missing values contribute nothing', async () => {
    const chart = (agr: string, field: string) => ({
      ...metric,
      agr: `property_${agr}`,
      agr_field: `events.properties.${field}`,
    });
    const requests = [chart('sum', 'price'), chart('avg', 'items'), chart('max', 'items'), chart('median', 'items')];
    const { text } = await run({ type_chart: 'number', granularity: 'month', requests });
    expect(text).toContain(
      '"rows":[{"date":"2026-02-01T00:00:00+00:00","s0":123456789012345.3234567890123456799,"s1":2.5,"s2":3,"s3":2.5}]',
    );
  });

  it('are columns of lists and of CSV', async () => {
    const list = {
      type: 'list',
      type_chart: 'list',
      table: 'events',
      columns: ['events.properties.plan', 'events.properties.price', 'events.properties.note'],
      filters: ['!=', 'events.event_type_id', 8],
      order: { 'events.properties.plan': 'asc', 'events.date': 'asc' },
    };
    expect((await run(list)).text).toContain(
      '"rows":[{"events.properties.plan":1,"events.properties.price":0.2,"events.properties.note":null},',
    );
    expect((await run(list, { format: 'csv' })).text.split('\n')).toEqual([
      'events.properties.plan,events.properties.price,events.properties.note',
      '1,0.2,',
      '1,,',
      '1,123456789012345.000000000000000001,',
      'pro,0.1234567890123456789,',
      'pro,,"""x, y"""',
      ',,',
      '',
    ]);
  });

  it('have users behind each number', async () => {
    const source_request = {
      type: 'trends',
      type_chart: 'line',
      requests: [{ ...metric, agr: 'property_sum', agr_field: 'events.properties.items' }],
    };
    const settings = { params: { ':date_from': '2026-02-01 00:00:00', ':date_to': '2026-02-28 23:59:59' } };
    const bucket = '2026-02-02T00:00:00+00:00';
    const users = async (cell: object) =>
      (await service.post('/v1/reports/users', { report_config: { source_request, settings }, cell }, key)).body.data
        .count;
    expect(await users({ series: 0 })).toBe(2);
    // The only event of that day has a text.
    expect(await users({ series: 0, bucket })).toBe(0);
  });

  it('select users of an audience', async () => {
    const size = async (conditions: unknown) => {
      const config = { event_filters: ['performed_event', { conditions }] };
      const segmentations = { include: [{ type: 'filter', config }], exclude: [] };
      const { status, body } = await service.post('/v1/broadcast/audience-size', { segmentations }, key);
      expect(status, JSON.stringify(body)).toBe(200);
      return body.data.count;
    };
    expect(await size(['=', 'events.properties.plan', 'pro'])).toBe(1);
    expect(await size(['>', 'events.properties.items', 1])).toBe(2);
    expect(await size(['like', 'events.properties.note', '%x,%'])).toBe(1);
    expect(await size(['is', 'events.properties.plan', null])).toBe(2);
  });

  it('are listed by name, with the types that values came with', async () => {
    const { body } = await service.get('/v1/reports/event-properties', key);
    const { items } = eventPropertiesAnswer.parse(body).data;
    expect(items.map(({ name, types }) => [name, types])).toEqual([
      ['events.properties.gift', ['boolean']],
      ['events.properties.items', ['string', 'number']],
      ['events.properties.note', ['string']],
      ['events.properties.plan', ['string', 'number']],
      ['events.properties.price', ['number']],
    ]);
    expect(items[0]).toMatchObject({
      type: 'dynamic',
      separator: true,
      operators: expect.arrayContaining(['between']),
    });
  });

  it('that no event has are a warning at each place that names them', async () => {
    const absent = 'events.properties.plam';
    const filters = ['or', ['=', absent, 'pro'], ['in', 'events.properties.plan', ['x', 'events.properties.y']]];
    const requests = [{ ...metric, filters, agr: 'property_sum', agr_field: 'events.properties.note' }];
    const chart = {
      type_chart: 'line',
      requests,
      separators: [{ property: 'events.properties.plan' }, { property: absent }],
    };
    const message = 'no event of the bot has the property plam';
    expect((await run(chart)).data.meta.warnings).toEqual([
      { path: 'source_request.requests.0.filters.1.1', message },
      {
        path: 'source_request.requests.0.agr_field',
        message: 'no event of the bot has a number in the property note, but string',
      },
      { path: 'source_request.separators.1.property', message },
    ]);
    const list = {
      type: 'list',
      type_chart: 'list',
      table: 'events',
      columns: ['events.date', absent],
      order: { [absent]: 'asc' },
    };
    expect((await run(list)).data.meta.warnings).toEqual([
      { path: 'source_request.columns.1', message },
      { path: `source_request.order.${absent}`, message },
    ]);
  });
});

describe('a request with bad properties', () => {
  it('is refused whole, with the place of each value', async () => {
    const before = await service.log.endCursor();
    const event = { event: 'order', user_id: 1 };
    const bad = { plan: { nested: 1 }, 'a b': 1, category: 'x' };
    const refused = await service.post('/v1/send-event', [event, { ...event, properties: bad }], key);
    expect(refused.status).toBe(400);
    expect(refused.body.details.map(({ path }: { path: string }) => path)).toEqual([
      '1.properties.plan',
      '1.properties.a b',
      '1.properties.category',
    ]);
    const target = await service.post('/v1/send-target', { target_id: 1, user_id: 1, properties: { plan: [] } }, key);
    expect([target.status, Object.keys(target.body.error)]).toEqual([400, ['properties.plan']]);
    expect(await service.log.endCursor()).toEqual(before);
  });
});
