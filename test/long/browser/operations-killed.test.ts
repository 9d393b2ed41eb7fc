import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CHROMIUM, logInWith } from '../../support/browser.ts';
import { giveReason, row, section } from '../../support/operations-page.ts';
import { createOperator, type TestOperator } from '../../support/operators.ts';
import type { TestBot, TestService } from '../../support/service.ts';
import { type ServiceProcess, serviceProcess } from '../../support/service-process.ts';
import { startConsole, type TestConsole } from '../../support/test-console.ts';

const ANSWER_MS = 30_000;

describe.skipIf(CHROMIUM === undefined)('the page Operations while its service is killed', () => {
  let started: TestConsole;
  let service: TestService;
  let bot: TestBot;
  let actor: TestOperator;

  beforeAll(async () => {
    started = await startConsole({ ADMIN_API: 'on' });
    ({ service } = started);
    bot = await service.createBot();
    actor = await createOperator(service, 'act');
  });
  afterAll(() => started.stop());

  it('a rebuild that was asked for here outlives a kill -9 of the service, and is switched', async () => {
    const rows = Array.from({ length: 1000 }, (_, i) => ({ event: `event ${i % 7}`, user_id: 7 }));
    const from = { id: 7, is_bot: false, first_name: 'Ada' };
    const message = { message_id: 1, date: 1_770_000_000, chat: { id: 7, type: 'private' }, from, text: 'hello' };
    await service.post('/v1/send-update', { update: { update_id: 9, message } }, { 'api-key': bot.apiKey });
    for (let sent = 0; sent < 40; sent++) await service.post('/v1/send-event', rows, { 'api-key': bot.apiKey });
    await service.projected();
    const { pool } = service.database;
    const building = async (): Promise<number> => {
      const there = await pool.query(
        `SELECT FROM pg_tables WHERE schemaname = 'users_v2' AND tablename = 'checkpoints'`,
      );
      return there.rowCount === 0 ? 0 : ((await pool.query('SELECT FROM users_v2.checkpoints')).rowCount ?? 0);
    };
    let instance: ServiceProcess | null = null;
    await service.restart(async () => {
      instance = await serviceProcess({ ...service.env, LOG_LEVEL: 'info' });
      try {
        await instance.start();
        await instance.ready();
        const console = await started.browser.open();
        const { page } = console;
        await logInWith(console, instance.address, actor.operatorKey);
        const models = section(page, 'Read models');
        await models.getByRole('button', { name: 'Rebuild users' }).click();
        await giveReason(page, 'rows were wrong');
        await expect.poll(building, { timeout: ANSWER_MS, interval: 5 }).toBeGreaterThan(0);
        await instance.kill('SIGKILL');
        await page.getByRole('alert').getByText('The service did not answer.').waitFor();
        await instance.start();
        await instance.ready();
        await row(models, 'users version 2')
          .getByText('Compare it with a replay of the log.')
          .waitFor({ timeout: 2 * ANSWER_MS });
        await models.getByRole('button', { name: 'Verify users' }).click();
        await giveReason(page, 'as docs/operations.md says');
        await row(models, 'users version 2')
          .getByText('It equals a replay.')
          .waitFor({ timeout: 2 * ANSWER_MS });
        await models.getByRole('button', { name: 'Switch users version 2' }).click();
        await giveReason(page, 'rows were wrong');
        await row(models, 'users version 2').getByText('Answers').waitFor();
      } finally {
        await instance.kill('SIGKILL');
      }
    });
    const { commits } = await service.log.read('operations-global');
    const ends = commits.flatMap(({ events }) => events).filter(({ type }) => type === 'job_finished');
    const asked = commits.flatMap(({ events }) => events).filter(({ type }) => type === 'job_requested');
    expect(ends).toHaveLength(asked.length);
    expect(
      (await pool.query(`SELECT state FROM runtime.read_models WHERE name = 'users' AND version = 2`)).rows,
    ).toEqual([{ state: 'live' }]);
  }, 180_000);
});
