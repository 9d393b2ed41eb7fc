import { afterAll, beforeAll, expect, it } from 'vitest';
import { createOperator, jobEnd, type TestOperator } from '../../support/operators.ts';
import { startTestService, type TestService } from '../../support/service.ts';
import { watchedReadModels } from '../../support/watched-read-models.ts';

/** Jobs on a service whose catalog is late. */

let isHeld = false;
let release!: () => void;
const released = new Promise<void>((resolve) => (release = resolve));
const models = watchedReadModels(async (name) => {
  if (isHeld && name === 'catalog') await released;
});

let service: TestService;
let actor: TestOperator;
beforeAll(async () => {
  service = await startTestService({ ADMIN_API: 'on', MAX_WAIT_MS: '1000' }, undefined, undefined, models);
  actor = await createOperator(service, 'act');
});
afterAll(async () => {
  release();
  await service.stop();
});

it('an accepted job is never answered as unknown', async () => {
  isHeld = true;
  const asked = { kind: 'verify', projection: 'users', reason: 'rows were wrong' };
  const { status, body } = await service.post('/admin/v1/jobs', asked, actor.key);
  expect(status).toBe(202);
  const path = `/admin/v1/jobs/${body.data.job_id}`;
  const late = 'the read model catalog is catching up with the log, try again';
  expect(await service.get(path, actor.key)).toMatchObject({ status: 503, body: { error: late } });
  release();
  await service.projected();
  expect(await jobEnd((each) => service.get(each, actor.key), body.data.job_id)).toMatchObject({ state: 'done' });
  expect(await service.get('/admin/v1/jobs/018f2f3a-0000-7000-8000-000000000000', actor.key)).toMatchObject({
    status: 404,
  });
});
