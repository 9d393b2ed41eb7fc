import { parse } from 'csv-parse/sync';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { reportAnswer } from '../../../src/api/reports/schemas.ts';
import { type Answer, startTestService, type TestBot, type TestService } from '../../support/service.ts';

let service: TestService;
let bot: TestBot;

beforeAll(async () => {
  service = await startTestService();
  bot = await service.createBot({ timezone: 'Europe/Berlin' });
  const from = { id: 1, is_bot: false, first_name: 'Ada' };
  const message = {
    message_id: 1,
    date: Date.UTC(2026, 0, 1) / 1000,
    chat: { id: 1, type: 'private' },
    from,
    text: 'hi',
  };
  await service.post('/v1/send-update', { update: { update_id: 1, message } }, { 'api-key': bot.apiKey });
  const events = Array.from({ length: 12 }, (_, index) => {
    const amount = index === 0 ? ',"value_num":123456789012345.10,"category":"a \\"b\\", c"' : '';
    return `{"event":"priced","user_id":1,"date":"2026-01-01T12:00:00.250Z","value_str":"${index}"${amount}}`;
  });
  await service.post('/v1/send-event', `[${events.join()}]`, { 'api-key': bot.apiKey });
  await service.projected();
});
afterAll(() => service.stop());

const config = (source: object = {}): object => ({
  source_request: {
    type: 'list',
    type_chart: 'list',
    table: 'events',
    columns: ['events.date', 'events.value_str', 'events.value_int', 'events.category'],
    filters: ['=', 'events.event_type_id', 101],
    ...source,
  },
  settings: { params: { ':date_from': '2026-01-01 00:00:00', ':date_to': '2026-01-03 23:59:59' } },
});
const ask = (path: string, body: object): Promise<Answer> =>
  service.post(`/v1/reports/${path}`, body, { 'api-key': bot.apiKey });

describe('a list', () => {
  it('has dates with milliseconds, and events of one request in its order', async () => {
    const { status, body } = await ask('run', { report_config: config() });
    expect(status).toBe(200);
    expect(body.data.columns[0]).toEqual({ key: 'events.date', label: 'events.date', type: 'date' });
    expect(body.data.rows).toHaveLength(12);
    expect(body.data.rows[1]).toEqual({
      'events.date': '2026-01-01T13:00:00.250+01:00',
      'events.value_str': '1',
      'events.value_int': null,
      'events.category': null,
    });
    const texts = body.data.rows.map((row: Record<string, unknown>) => row['events.value_str']);
    expect(texts).toEqual(Array.from({ length: 12 }, (_, index) => String(index)));
    expect(reportAnswer.parse(body)).toEqual(body);
  });

  it('shows its first 10 rows in a preview, and the number of rows of a run', async () => {
    const { data } = (await ask('preview', { report_config: config({ offset: 1 }) })).body;
    expect(data.rows).toHaveLength(10);
    expect(data.meta).toMatchObject({ rows_total: 11, truncated: true });
    const limited = await ask('preview', { report_config: config({ limit: 3 }) });
    expect(limited.body.data.meta).toMatchObject({ rows_total: 3, truncated: false });
  });

  it('can be of users', async () => {
    const columns = ['user.first_name', 'users.date_create'];
    const { data } = (await ask('run', { report_config: config({ table: 'users', columns, filters: null }) })).body;
    expect(data.rows).toEqual([{ 'user.first_name': 'Ada', 'users.date_create': '2026-01-01T01:00:00.000+01:00' }]);
  });

  it('as CSV has every digit, and an empty cell for a missing value', async () => {
    // A list ignores separators.
    const report_config = config({ limit: 2, separators: [{ property: 'events.category' }] });
    const { body } = await ask('run', { report_config, format: 'csv' });
    expect(parse(body)).toEqual([
      ['events.date', 'events.value_str', 'events.value_int', 'events.category'],
      ['2026-01-01T13:00:00.250+01:00', '0', '123456789012345.1', 'a "b", c'],
      ['2026-01-01T13:00:00.250+01:00', '1', '', ''],
    ]);
  });

  it('can be saved, and is refused with the paths of its problems', async () => {
    const { uuid } = (await ask('save', { name: 'Raw', report_config: config() })).body.data;
    expect((await ask('run', { uuid })).body.data.rows).toHaveLength(12);
    const wrong = await ask('preview', { report_config: config({ columns: ['date'] }) });
    expect(wrong).toMatchObject({ status: 400, body: { details: [{ path: 'source_request.columns.0' }] } });
  });
});
