import { afterAll, beforeAll, expect, it } from 'vitest';
import { reportAnswer } from '../../../src/api/reports/schemas.ts';
import { userFieldsAnswer } from '../../../src/api/reports/users-schemas.ts';
import { eraseUser } from '../../../src/commands/intake/personal-keys.ts';
import { meet } from '../../support/broadcasts.ts';
import { type Answer, startTestService, type TestBot, type TestService } from '../../support/service.ts';

/** Saved segments in reports over HTTP (decisions.md#saved-segments-in-reports). */

let service: TestService;
let bot: TestBot;
let other: TestBot;

beforeAll(async () => {
  service = await startTestService();
  bot = await service.createBot();
  other = await service.createBot();
  await meet(service, bot, [1, 2, 3], 'Ada');
  await meet(service, bot, [4, 5], 'Grace');
  const events = [1, 1, 2, 4, 5, 5, 5, 5].map((user_id) => ({ event: 'order_paid', user_id }));
  expect((await service.post('/v1/send-event', events, key())).status).toBe(200);
  await service.projected();
});
afterAll(() => service.stop());

const key = (of = bot) => ({ 'api-key': of.apiKey });
const post = (path: string, body: object): Promise<Answer> => service.post(`/v1/${path}`, body, key());
const named = (name: string) => ({ user_conditions: ['=', 'users.first_name', name] });
async function saved(conditions: object, of = bot): Promise<number> {
  const body = { name: 'Ada', conditions };
  return (await service.post('/v1/saved-segments/save', body, key(of))).body.data.saved_segment_id;
}
const remove = (saved_segment_id: number): Promise<Answer> => post('saved-segments/delete', { saved_segment_id });
const field = (id: number) => `user.saved_segments.${id}`;

const PERIOD = { ':date_from': '2020-01-01 00:00:00', ':date_to': '2090-01-01 00:00:00' };
const orders = (more: object) => ({
  source_request: {
    type: 'trends',
    type_chart: 'table',
    requests: [{ type: 'trend', event_name: 'x', agr: 'total', filters: ['=', 'events.category', 'none'] }],
    ...more,
  },
  settings: { params: PERIOD },
});
const plain = [{ type: 'trend', event_name: 'x', agr: 'total' }];
const count = async (filters: unknown): Promise<number> => {
  const isOrder = ['!=', 'events.event_type_id', 0];
  const answer = await post('reports/run', {
    report_config: orders({ requests: plain, filters: ['and', isOrder, filters] }),
  });
  expect(answer.status, JSON.stringify(answer.body)).toBe(200);
  expect(reportAnswer.parse(answer.body)).toEqual(answer.body);
  return answer.body.data.rows[0].value;
};
const paths = ({ body }: Answer): string[] => body.details.map(({ path }: { path: string }) => path);

it('a report counts the users of a saved segment, as it is at the moment, and its exact complement', async () => {
  const id = await saved(named('Ada'));
  const all = await count(['!=', 'events.user_id', 0]);
  // Three orders, and a message of each user.
  expect(await count(['=', field(id), true])).toBe(6);
  expect(await count(['!=', field(id), true])).toBe(all - 6);
  expect(await count(['=', `users.saved_segments.${id}`, false])).toBe(all - 6);
  await post('saved-segments/save', { saved_segment_id: id, name: 'Grace', conditions: named('Grace') });
  expect(await count(['=', field(id), true])).toBe(all - 6);
  const often = { event_filters: ['performed_event', { conditions: ['in', 'events.user_id', [5]] }] };
  await post('saved-segments/save', { saved_segment_id: id, name: 'Often', conditions: often });
  expect(await count(['=', field(id), true])).toBe(5);
});

it('what users have done since counts in the next report', async () => {
  const visitors = await saved({
    event_filters: ['performed_event', { conditions: ['=', 'events.category', 'hats'] }],
  });
  expect(await count(['=', field(visitors), true])).toBe(0);
  await service.post('/v1/send-event', { event: 'viewed', user_id: 4, category: 'hats' }, key());
  await service.projected();
  expect(await count(['=', field(visitors), true])).toBe(3);
});

it('one that the bot does not have is refused at its field, when a report is run and when it is saved', async () => {
  const [foreign, gone] = [await saved(named('Ada'), other), await saved(named('Ada'))];
  const uuid = (await post('reports/save', { name: 'x', report_config: orders({ filters: ['=', field(gone), true] }) }))
    .body.data.uuid;
  expect((await post('reports/run', { uuid })).status).toBe(200);
  await remove(gone);
  for (const id of [foreign, gone, 404_404]) {
    const report_config = orders({
      requests: [{ ...plain[0], filters: ['and', ['=', 'events.category', 'x'], ['=', field(id), true]] }],
      separators: [{ property: field(id) }],
    });
    const wanted = ['source_request.requests.0.filters.2.1', 'source_request.separators.0.property'];
    for (const answer of [
      await post('reports/preview', { report_config }),
      await post('reports/run', { report_config, format: 'csv' }),
      await post('reports/users', { report_config, cell: { series: 0, breakdown: { [field(id)]: true } } }),
      await post('reports/save', { name: 'x', report_config }),
    ]) {
      expect(answer.status).toBe(400);
      expect(paths(answer)).toEqual(wanted);
      expect(answer.body.details[0].message).toBe('the bot has no saved segment with this id');
    }
  }
  for (const answer of [await post('reports/run', { uuid }), await post('reports/run', { uuid, params: PERIOD })])
    expect(paths(answer)).toEqual(['source_request.filters.1']);
});

it('a save is answered again after the saved segment is gone', async () => {
  const id = await saved(named('Ada'));
  const headers = { ...key(), 'idempotency-key': 'report of a segment' };
  const save = () =>
    service.post(
      '/v1/reports/save',
      { name: 'x', report_config: orders({ filters: ['=', field(id), true] }) },
      headers,
    );
  const first = await save();
  expect(first.status).toBe(200);
  await remove(id);
  expect((await save()).body).toEqual(first.body);
});

it('is at most 10 in a report, and no field of audiences or templates', async () => {
  const names = Array.from({ length: 11 }, (_, index) => ['=', field(index + 1), true]);
  const answer = await post('reports/preview', { report_config: orders({ filters: ['or', ...names] }) });
  expect(answer.body.details).toEqual([
    { path: 'source_request.filters.11.1', message: 'a report names at most 10 saved segments' },
  ]);
  const id = await saved(named('Ada'));
  const filter = { type: 'filter', config: { user_conditions: ['=', field(id), true] } };
  const draft = {
    type: 'sendMessage',
    message: { text: `{{ ${field(id)} }}` },
    segmentations: { include: [filter] },
  };
  expect(paths(await post('broadcast/create', draft))).toEqual([
    'message.text',
    'segmentations.include.0.config.user_conditions.1',
  ]);
  for (const wrong of [
    'user.saved_segments.',
    'user.saved_segments.x',
    'user.saved_segments.0',
    'user.saved_segments.1.5',
  ])
    expect(paths(await post('reports/preview', { report_config: orders({ filters: ['=', wrong, true] }) }))).toEqual([
      'source_request.filters.1',
    ]);
});

it('is listed with its name among the fields of users', async () => {
  const id = await saved(named('Ada'));
  const { body } = await service.get('/v1/reports/user-fields', key());
  expect(userFieldsAnswer.parse(body)).toEqual(body);
  expect(body.data.items).toContainEqual({
    name: field(id),
    type: 'boolean',
    operators: ['=', '!=', 'in'],
    separator: true,
    label: 'Ada',
  });
});

it('its users can be listed, and become the list of a broadcast, without erased ones', async () => {
  const id = await saved({ user_conditions: ['>', 'users.user_id', 0] });
  const report_config = orders({ requests: plain, filters: ['=', field(id), true] });
  const users = async () => (await post('reports/users', { report_config, cell: { series: 0 } })).body.data.count;
  expect(await users()).toBe(5);
  const task_id = (await post('broadcast/create', { type: 'sendMessage' })).body.data.id;
  const asked = { task_id, report_config, cell: { series: 0 } };
  expect((await post('broadcast/segment-from-report', asked)).body.data.count).toBe(5);
  await eraseUser(service.commands, bot.publicKey, 3);
  await service.projected();
  expect(await users()).toBe(4);
});
