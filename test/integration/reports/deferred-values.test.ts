import { afterAll, beforeAll, expect, it } from 'vitest';
import { setExchangeRates } from '../../../src/commands/catalog/set-exchange-rates.ts';
import { createUnit } from '../../../src/commands/catalog/units.ts';
import { EXCHANGE_RATES_STREAM } from '../../../src/domain/streams.ts';
import { type ProjectionStatus, projectionStatus } from '../../../src/projections/runtime/status.ts';
import { onOwnServer } from '../../support/database.ts';
import { readModels } from '../../support/read-models.ts';
import { startTestService, type TestBot, type TestService } from '../../support/service.ts';

onOwnServer();

/** All answers with amounts say that the amounts await revaluation after a change of rates or units. */

let service: TestService;
let bot: TestBot;

beforeAll(async () => {
  service = await startTestService();
  bot = await service.createBot();
  const key = { 'api-key': bot.apiKey };
  const from = { id: 10, is_bot: false, first_name: 'Ada' };
  const message = { message_id: 1, date: 1_767_225_600, chat: { id: 10, type: 'private' }, from, text: 'hi' };
  await service.post('/v1/send-update', { update: { update_id: 1, message } }, key);
  const paid = (day: string, more: object) => ({
    event: 'paid',
    user_id: 10,
    date: `2026-02-${day}T00:00:00Z`,
    ...more,
  });
  await service.post(
    '/v1/send-event',
    [paid('01', { value_num: 500, unit: 'EUR' }), paid('02', { value_num: 700, unit: 'EUR' }), paid('03', {})],
    key,
  );
  await setRate('2');
  await service.projected();
});
afterAll(() => service.stop());

const setRate = (rate: string) =>
  setExchangeRates(service.commands, [{ from: 'EUR', to: 'USD', rate, date: '2026-01-01' }]);

/** A report of some days of February. */
async function report(source: object, days: readonly [string, string] = ['01', '03']) {
  const params = { ':date_from': `2026-02-${days[0]} 00:00:00`, ':date_to': `2026-02-${days[1]} 23:59:59` };
  const report_config = { source_request: source, settings: { params } };
  return (await service.post('/v1/reports/preview', { report_config }, { 'api-key': bot.apiKey })).body.data;
}
const chart = (agr: string, more: object = {}) => {
  const request = { type: 'trend', event_id: null, event_name: 'any', agr, ...more };
  return { type: 'trends', type_chart: 'number', requests: [request] };
};
async function savedSegment(): Promise<number> {
  const conditions = { event_filters: ['performed_event', { conditions: ['>', 'events.value_amount', 10] }] };
  const body = { name: 'Spenders', conditions };
  const answer = await service.post('/v1/saved-segments/save', body, { 'api-key': bot.apiKey });
  return answer.body.data.saved_segment_id;
}
const revenue = chart('property_sum', { agr_field: 'events.value_amount' });
const total = async () => (await report(revenue)).columns[1].total;

async function statusOfEvents(): Promise<ProjectionStatus> {
  const rows = await projectionStatus(service.database.pool, service.log, readModels);
  return rows.find(({ name }) => name === 'events')!;
}
const measured = async () => (await service.get('/metrics')).body as string;

/** Runs work while revaluation is paused. Commits with rates and units are still projected. */
async function whileRevaluationsWait(work: () => Promise<void>): Promise<void> {
  const { rows } = await service.database.pool.query<{ schema: string }>(
    `SELECT 'events_v' || version AS schema FROM runtime.read_models WHERE name = 'events' AND state = 'live'`,
  );
  const blocker = await service.database.pool.connect();
  try {
    await blocker.query(`BEGIN; LOCK TABLE ${rows[0]!.schema}.events IN SHARE MODE`);
    await work();
  } finally {
    await blocker.query('ROLLBACK');
    blocker.release();
  }
  await service.projected();
}

it('reports of amounts, the list of projections and metrics count the events that await revaluation', async () => {
  expect(await total()).toBe(24);
  await whileRevaluationsWait(async () => {
    await setRate('3');
    await expect.poll(async () => (await statusOfEvents()).deferred).toEqual({ events: 2, exact: true });

    const changedAt = (await service.log.read(EXCHANGE_RATES_STREAM)).commits.at(-1)!.at;
    const askedAt = Date.now();
    const { columns, meta } = await report(revenue);
    const answeredAt = Date.now();
    expect(columns[1].total, 'the old amounts').toBe(24);
    const warning = {
      path: 'source_request',
      message: '2 events await revaluation after a change of rates, units or currency; amounts may be stale',
    };
    expect(meta.warnings).toEqual([warning]);
    expect(Date.parse(meta.data_as_of), 'the receipt of the change, to the second').toBe(
      Math.floor(changedAt / 1000) * 1000,
    );
    expect(meta.lag_ms).toBeGreaterThanOrEqual(askedAt - changedAt);
    expect(meta.lag_ms).toBeLessThanOrEqual(answeredAt - changedAt);
    const [one] = (await report(revenue, ['02', '03'])).meta.warnings;
    expect(one.message).toMatch(/^1 event awaits revaluation/);
    // A saved segment looks at events of any date.
    const ofSegment = chart('total', { filters: ['=', `user.saved_segments.${await savedSegment()}`, true] });
    expect((await report(ofSegment, ['03', '03'])).meta.warnings).toEqual([warning]);
    for (const source of [
      chart('total', { filters: ['>', 'events.value_amount', 10] }),
      { type: 'list', type_chart: 'list', table: 'events', columns: ['events.value_amount'] },
      {
        type: 'list',
        type_chart: 'list',
        table: 'events',
        columns: ['events.date'],
        order: { 'events.value_amount': 'asc' },
      },
    ])
      expect((await report(source)).meta.warnings).toEqual([warning]);

    const others = [await report(chart('total')), await report(revenue, ['03', '03'])];
    for (const { meta } of others) expect(meta.warnings).toEqual([]);

    expect((await statusOfEvents()).lag.seconds).toBeGreaterThan(0);
    // A scrape keeps the last values while the log answers late.
    await expect.poll(measured).toMatch(/botledger_projection_deferred_events\{projection="events",version="\d+"\} 2/);
  });
  expect((await report(revenue)).meta).toMatchObject({ warnings: [], lag_ms: 0 });
  expect(await total()).toBe(36);
  expect((await statusOfEvents()).deferred).toBeNull();
  await expect.poll(measured).toMatch(/botledger_projection_deferred_events\{projection="events",version="\d+"\} 0/);
});

it('warns about value_int after a new unit, not after a new rate', async () => {
  const date = '2026-02-05T00:00:00.000Z';
  await service.post(
    '/v1/send-target',
    { target_id: 1, user_id: 10, date, value: 5, unit: 'GEM' },
    { 'api-key': bot.apiKey },
  );
  await service.projected();
  const values = chart('property_sum', { agr_field: 'events.value_int' });
  const told = async () => (await report(values, ['04', '05'])).columns[1].total;
  expect(await told()).toBe(5);
  await whileRevaluationsWait(async () => {
    await setRate('4');
    await expect.poll(async () => (await statusOfEvents()).deferred).toEqual({ events: 2, exact: true });
    expect((await report(values)).meta.warnings).toEqual([]);
  });
  await whileRevaluationsWait(async () => {
    await createUnit(service.commands, { bot: bot.publicKey, code: 'GEM', name: null, scale: 1 });
    await expect.poll(async () => (await statusOfEvents()).deferred).toEqual({ events: 1, exact: true });
    expect(await told()).toBe(5);
    const { warnings } = (await report(values, ['04', '05'])).meta;
    expect(warnings).toMatchObject([{ message: expect.stringMatching(/^1 event awaits revaluation/) }]);
  });
  expect(await told()).toBe(50);
  expect((await report(values, ['04', '05'])).meta.warnings).toEqual([]);
});
