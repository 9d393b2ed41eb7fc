import { afterAll, beforeAll, expect, it } from 'vitest';
import { deleteAnswer } from '../../../src/api/saved-segments/schemas.ts';
import { activateBroadcast } from '../../../src/commands/broadcast/activation.ts';
import { advanceBroadcast } from '../../../src/commands/broadcast/change-broadcast.ts';
import { deleteSavedSegment } from '../../../src/commands/saved-segments/save-segment.ts';
import { startResolution } from '../../../src/domain/broadcast/broadcast-steps.ts';
import { type BotApiServer, startBotApi } from '../../support/bot-api-server.ts';
import { hasEnded, meet, recipientsOf, sendingBot, until } from '../../support/broadcasts.ts';
import { type Answer, startTestService, type TestBot, type TestService } from '../../support/service.ts';

/** Saved segments in audiences (decisions.md#saved-segments-in-audiences), on the whole service and a stand-in for the platform. */

let platform: BotApiServer;
let service: TestService;
let bot: TestBot;
/** Of another owner. */
let other: TestBot;

beforeAll(async () => {
  platform = await startBotApi();
  service = await startTestService({ TELEGRAM_API_ROOT: platform.root });
  bot = await sendingBot(service);
  other = await sendingBot(service, '654321:token_of-another');
  await meet(service, bot, [1, 2, 3], 'Ada');
  await meet(service, bot, [4, 5], 'Grace');
  const events = [1, 4].map((user_id) => ({ event: 'order_paid', user_id }));
  expect((await service.post('/v1/send-event', events, key())).status).toBe(200);
  await service.projected();
});
afterAll(async () => {
  await service?.stop();
  await platform?.close();
});

const key = (of = bot) => ({ 'api-key': of.apiKey });
const post = (method: string, body: object): Promise<Answer> => service.post(`/v1/broadcast/${method}`, body, key());
const named = (name: string) => ({ user_conditions: ['=', 'users.first_name', name] });
async function saved(conditions: object, of = bot): Promise<number> {
  const body = { name: 'Any', conditions };
  return (await service.post('/v1/saved-segments/save', body, key(of))).body.data.saved_segment_id;
}
const change = (saved_segment_id: number, conditions: object): Promise<Answer> =>
  service.post('/v1/saved-segments/save', { saved_segment_id, name: 'Any', conditions }, key());
const remove = (saved_segment_id: number): Promise<Answer> =>
  service.post('/v1/saved-segments/delete', { saved_segment_id }, key());
const segment = (saved_segment_id: number) => ({ type: 'saved', config: { saved_segment_id } });
const of = (saved_segment_id: number) => ({ segmentations: { include: [segment(saved_segment_id)] } });
const hello = { type: 'sendMessage', message: { text: 'Hello' } };
const draft = async (body: object): Promise<number> => (await post('create', { ...hello, ...body })).body.data.id;
const activated = (id: number): Promise<Answer> => post('activate', { id });
const chats = async (id: number): Promise<number[]> => {
  await until(service, id, hasEnded);
  return (await recipientsOf(service, id)).map(({ chat_id }) => chat_id);
};
const LATER = '2100-01-01 00:00:00';
const AT = 'segmentations.include.0.config.saved_segment_id';
const paths = ({ body }: Answer): string[] => body.details.map(({ path }: { path: string }) => path);

it('a saved segment has the audience of a filter with its conditions, in counts and in launches', async () => {
  const buyers = { event_filters: ['performed_event', { conditions: ['!=', 'events.event_type_id', 0] }] };
  const [adas, active] = [await saved(named('Ada')), await saved(buyers)];
  for (const [input, inline, wanted] of [
    [{ include: [segment(adas)] }, { include: [{ type: 'filter', config: named('Ada') }] }, [1, 2, 3]],
    [
      { include: [segment(active)], exclude: [segment(adas)] },
      { include: [{ type: 'filter', config: buyers }], exclude: [{ type: 'filter', config: named('Ada') }] },
      [4, 5],
    ],
  ] as const) {
    const size = async (segmentations: object) => (await post('audience-size', { segmentations })).body.data.count;
    expect(await size(input)).toBe(wanted.length);
    expect(await size(inline)).toBe(wanted.length);
    const id = await draft({ segmentations: input });
    expect((await activated(id)).body.data.segmentations.include).toEqual(input.include);
    expect(await chats(id)).toEqual(wanted);
  }
});

it('the conditions at the launch count, not those of the save', async () => {
  const id = await saved(named('Ada'));
  const task = await draft(of(id));
  await change(id, named('Grace'));
  await activated(task);
  expect(await chats(task)).toEqual([4, 5]);
});

it('a resolution that has begun uses the revision that its event names, also after a change and a deletion', async () => {
  const id = await saved(named('Ada'));
  const task = await draft({ ...of(id), date_send: LATER });
  await activated(task);
  await change(id, named('Grace'));
  const begun = [{ saved_segment_id: id, revision: 1 }];
  const name = { bot: bot.publicKey, id: task };
  await advanceBroadcast(service.commands, name, (state, now) => startResolution(state, now, begun));
  expect((await remove(id)).status).toBe(200);
  expect(await chats(task)).toEqual([1, 2, 3]);
});

it('one that the bot does not have is refused at its id, at save, count and activation', async () => {
  const [foreign, gone] = [await saved(named('Ada'), other), await saved(named('Ada'))];
  const task = await draft(of(gone));
  await remove(gone);
  for (const id of [foreign, gone, 404_404])
    for (const answer of [
      await post('create', { ...hello, ...of(id) }),
      await post('save', { id: task, ...of(id) }),
      await post('activate', { id: task, ...of(id) }),
      await post('audience-size', of(id)),
    ]) {
      expect(answer.status).toBe(400);
      expect(paths(answer)).toEqual([AT]);
    }
  const late = await activated(task);
  expect(late).toMatchObject({ status: 400, body: { details: [{ path: AT }] } });
  expect((await service.get(`/v1/broadcast/get?id=${task}`, key())).body.data.status).toBe(0);
});

it('more than ten are refused, and not looked up', async () => {
  const include = Array.from({ length: 11 }, (_, index) => segment(404_404 + index));
  const answer = await post('create', { ...hello, segmentations: { include } });
  expect(answer.body.details).toEqual([{ path: 'segmentations', message: 'more than 10 saved segments' }]);
});

it('is not deleted while a scheduled broadcast uses it, and a deletion names the drafts that do', async () => {
  const id = await saved(named('Ada'));
  const [scheduled, left] = [await draft({ ...of(id), date_send: LATER }), await draft(of(id))];
  await activated(scheduled);
  const refused = await remove(id);
  expect(refused).toMatchObject({
    status: 409,
    body: { details: [{ path: 'saved_segment_id', message: `broadcast ${scheduled} is scheduled with it` }] },
  });
  await post('cancel', { id: scheduled });
  const { status, body } = await remove(id);
  expect(status).toBe(200);
  expect(deleteAnswer.parse(body)).toEqual(body);
  expect(body.warnings).toEqual(
    [scheduled, left].map((draft) => ({
      path: 'saved_segment_id',
      message: `draft ${draft} uses it, and cannot be activated without a change`,
    })),
  );
});

it('a broadcast whose saved segment was deleted in spite of that fails with the reason', async () => {
  const id = await saved(named('Ada'));
  const task = await draft(of(id));
  await deleteSavedSegment(service.commands, { bot: bot.publicKey, savedSegmentId: id }, {});
  // As if the activation had been checked before the deletion.
  const { publicKey, ownerId } = bot;
  const activation = { bot: publicKey, id: task, ownerId, changes: {}, ready: () => undefined };
  await activateBroadcast(service.commands, activation, {});
  await expect
    .poll(async () => (await service.get(`/v1/broadcast/get?id=${task}`, key())).body.data)
    .toMatchObject({ status: 5, error: `saved segment ${id} was deleted`, count_recipients: 0 });
  expect(paths(await activated(task))).toEqual([AT]);
});
