import { afterAll, beforeAll, expect, it } from 'vitest';
import { longOnly } from '../../support/long-only.ts';
import { createOperator, jobEnd, type TestOperator } from '../../support/operators.ts';
import { type Answer, startTestService, type TestService } from '../../support/service.ts';

/** Operators pause, resume and limit builds over HTTP. */

let service: TestService;
let actor: TestOperator;

beforeAll(async () => {
  service = await startTestService({ ADMIN_API: 'on' });
  const { apiKey } = await service.createBot();
  for (let id = 1; id <= 20; id++) {
    const from = { id, is_bot: false, first_name: 'Ada' };
    const message = { message_id: 1, date: 1_770_000_000, chat: { id, type: 'private' }, from, text: 'hello' };
    await service.post('/v1/send-update', { update: { update_id: id, message } }, { 'api-key': apiKey });
  }
  await service.projected();
  actor = await createOperator(service, 'act');
});
afterAll(() => service.stop());

const get = (path: string): Promise<Answer> => service.get(path, actor.key);
const post = (path: string, body: object, key = actor.key): Promise<Answer> =>
  service.post(`/admin/v1/${path}`, body, key);

async function second(): Promise<object | undefined> {
  const { body } = await get('/admin/v1/projections');
  return body.data.items.find((each: { name: string; version: number }) => each.name === 'users' && each.version === 2);
}

longOnly('a job has a limit, a pause ends it, and the service resumes the build', async () => {
  const asked = await post('jobs', { kind: 'rebuild', projection: 'users', max_rate: 1, reason: 'rows were wrong' });
  const building = { state: 'building', next: 'rebuild', build: { paused: false, max_rate: 1 } };
  await expect.poll(second, { timeout: 30_000 }).toMatchObject(building);
  const changed = { status: 200, body: { ok: true, data: { name: 'users', version: 2 } } };
  expect(await post('projections/build', { name: 'users', paused: true })).toMatchObject(changed);
  expect(await jobEnd(get, asked.body.data.job_id)).toMatchObject({
    state: 'failed',
    summary: 'users version 2 is paused: resume it with projection resume users',
  });
  expect(await second()).toMatchObject({
    state: 'building',
    next: 'resume',
    build: { paused: true, max_rate: 1, events_per_second: null, seconds_left: null },
  });
  expect(await post('projections/build', { name: 'users', paused: false, max_rate: null })).toMatchObject(changed);
  await expect.poll(second, { timeout: 30_000 }).toMatchObject({ state: 'ready', build: null, next: 'verify' });
});

it('what is no change of a build is refused', async () => {
  const reader = await createOperator(service, 'read');
  expect(await post('projections/build', { name: 'users', paused: true }, reader.key)).toMatchObject({ status: 403 });
  const refused = async (path: string, body: object) => {
    const answer = await post(path, body);
    return [answer.status, answer.body.details[0].path];
  };
  expect(await refused('projections/build', { name: 'users' })).toEqual([400, 'paused']);
  expect(await refused('projections/build', { name: 'users', max_rate: 0 })).toEqual([400, 'max_rate']);
  expect(await refused('projections/build', { name: 'nothing', paused: true })).toEqual([400, 'name']);
  expect(await refused('projections/build', { name: 'events', paused: true })).toEqual([409, 'name']);
  const verify = { kind: 'verify', projection: 'users', max_rate: 5, reason: 'x' };
  expect(await refused('jobs', verify)).toEqual([400, 'max_rate']);
});
