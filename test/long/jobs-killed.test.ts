import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { requestJob } from '../../src/commands/operations/operator-work.ts';
import { WORK_STREAM } from '../../src/domain/streams.ts';
import { allVersions, isFollowed } from '../../src/projections/runtime/versions.ts';
import { systemSources } from '../../src/util/system-sources.ts';
import { openTestLog } from '../support/engines.ts';
import { killableProcess } from '../support/killable-process.ts';
import { createOperator, jobEnd, type TestOperator } from '../support/operators.ts';
import { type Answer, startTestService, type TestBot, type TestService } from '../support/service.ts';

let service: TestService;
let bot: TestBot;
let actor: TestOperator;

beforeAll(async () => {
  service = await startTestService({ ADMIN_API: 'on' });
  bot = await service.createBot();
  actor = await createOperator(service, 'act');
});
afterAll(() => service.stop());

const get = (path: string): Promise<Answer> => service.get(path, actor.key);

describe('a job whose instance is killed with -9', () => {
  it('is resumed by the next instance, and ends once', async () => {
    const events = Array.from({ length: 1000 }, (_, i) => ({ event: `event ${i % 7}`, user_id: 7 }));
    const from = { id: 7, is_bot: false, first_name: 'Ada' };
    const message = { message_id: 1, date: 1_770_000_000, chat: { id: 7, type: 'private' }, from, text: 'hello' };
    await service.post('/v1/send-update', { update: { update_id: 1, message } }, { 'api-key': bot.apiKey });
    for (let sent = 0; sent < 40; sent++)
      expect((await service.post('/v1/send-event', events, { 'api-key': bot.apiKey })).status).toBe(200);
    await service.projected();
    const { pool, url: connectionString } = service.database;
    let jobId = '';
    await service.restart(async () => {
      const log = await openTestLog({ ...service.env, DATABASE_URL: connectionString }, { mayLead: false });
      try {
        const wanted = { kind: 'rebuild', projection: 'events', bot: null, userId: null, reason: 'a test' } as const;
        const context = { log, sources: systemSources };
        ({ jobId } = await requestJob(context, { ...wanted, operatorId: actor.operatorId }, undefined));
        const kill = await killableProcess({ connectionString, process: 'jobs' });
        const rows = async (): Promise<number> => {
          const there = await pool.query(
            `SELECT FROM pg_tables WHERE schemaname = 'events_v2' AND tablename = 'events'`,
          );
          if (there.rowCount === 0) return 0;
          return (await pool.query<{ n: number }>('SELECT count(*)::int AS n FROM events_v2.events')).rows[0]!.n;
        };
        await expect.poll(rows, { timeout: 30_000, interval: 5 }).toBeGreaterThan(0);
        await kill();
        const before = await rows();
        expect(before).toBeLessThan(40_001);
        expect((await allVersions(pool)).find((each) => each.name === 'events' && each.version === 2)?.state).toBe(
          'building',
        );
        const kills = await Promise.all([1, 2].map(() => killableProcess({ connectionString, process: 'jobs' })));
        const ends = async (): Promise<unknown[]> => {
          const { commits } = await log.read(WORK_STREAM);
          return commits.flatMap(({ events: all }) =>
            all.filter(({ type, data }) => type === 'job_finished' && (data as { job_id: string }).job_id === jobId),
          );
        };
        await expect.poll(async () => (await ends()).length, { timeout: 60_000 }).toBe(1);
        await expect.poll(() => isFollowed(pool, 'events', 2), { timeout: 10_000 }).toBe(false);
        expect(await ends()).toMatchObject([{ data: { outcome: 'done' } }]);
        await Promise.all(kills.map((each) => each()));
      } finally {
        await log.close();
      }
    });
    await service.projected();
    expect(await jobEnd(get, jobId)).toMatchObject({ state: 'done' });
    const rebuilt = (await allVersions(service.database.pool)).filter(({ name }) => name === 'events');
    expect(rebuilt.map(({ version, state }) => [version, state])).toEqual([
      [1, 'live'],
      [2, 'ready'],
    ]);
  }, 120_000);
});
