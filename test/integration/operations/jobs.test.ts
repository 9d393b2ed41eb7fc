import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { WORK_STREAM } from '../../../src/domain/streams.ts';
import { catalogReadModel } from '../../../src/projections/catalog/read-model.ts';
import { shareAmongProjectors } from '../../../src/projections/runtime/projector.ts';
import { servedVersion } from '../../../src/projections/runtime/served-version.ts';
import { verify } from '../../../src/projections/runtime/verify.ts';
import { onOwnServer } from '../../support/database.ts';
import { botledger } from '../../support/operate.ts';
import { createOperator, jobEnd, type TestOperator } from '../../support/operators.ts';
import { type Answer, startTestService, type TestBot, type TestService } from '../../support/service.ts';
import { stealLease } from '../../support/steal-lease.ts';

onOwnServer();

let service: TestService;
let bot: TestBot;
let actor: TestOperator;

beforeAll(async () => {
  service = await startTestService({ ADMIN_API: 'on' });
  bot = await service.createBot();
  actor = await createOperator(service, 'act', '<b>Ann</b>');
});
afterAll(() => service.stop());

const get = (path: string): Promise<Answer> => service.get(path, actor.key);
const post = (path: string, body: object, headers: Record<string, string> = {}): Promise<Answer> =>
  service.post(`/admin/v1/${path}`, body, { ...actor.key, ...headers });

// biome-ignore lint/suspicious/noExplicitAny: tests look into answers
async function done(body: object): Promise<any> {
  const answer = await post('jobs', body);
  expect(answer).toMatchObject({ status: 202, body: { ok: true } });
  return jobEnd(get, answer.body.data.job_id);
}

// biome-ignore lint/suspicious/noExplicitAny: tests look into answers
async function versions(name: string): Promise<any[]> {
  const { body } = await get('/admin/v1/projections');
  return body.data.items.filter((each: { name: string }) => each.name === name);
}

/** The events of operators' work, and the credential of each commit. */
async function recorded(): Promise<{ type: string; data: unknown; keyId: number | undefined }[]> {
  const { commits } = await service.log.read(WORK_STREAM);
  return commits.flatMap(({ events, keyId }) => events.map(({ type, data }) => ({ type, data, keyId })));
}

describe('the work of operators over HTTP', () => {
  it('a read model is rebuilt, compared, switched and dropped, and the log has who and why', async () => {
    const reason = '"><script>alert(1)</script>';
    const rebuilt = await done({ kind: 'rebuild', projection: 'users', reason });
    expect(rebuilt).toMatchObject({
      state: 'done',
      kind: 'rebuild',
      projection: 'users',
      reason,
      operator: '<b>Ann</b>',
    });
    expect(rebuilt.summary).toMatch(/^built \d+ tables of users version 2 from up to \d+ commits/);
    expect(await versions('users')).toMatchObject([
      { version: 1, live: true, next: null },
      { version: 2, live: false, verified: false, next: 'verify' },
    ]);
    expect(await post('projections/switch', { name: 'users', reason })).toMatchObject({
      status: 409,
      body: { error: expect.stringContaining('was not verified') },
    });
    expect(await done({ kind: 'verify', projection: 'users', reason })).toMatchObject({ state: 'done', findings: [] });
    expect(await post('projections/drop', { name: 'users', version: 1, reason })).toMatchObject({ status: 409 });
    expect((await post('projections/switch', { name: 'users', reason })).body.data).toEqual({
      name: 'users',
      version: 2,
    });
    expect(await versions('users')).toMatchObject([
      { version: 1, live: false, next: 'drop' },
      { version: 2, live: true, verified: true, next: null },
    ]);
    expect((await post('projections/drop', { name: 'users', version: 1, reason })).status).toBe(200);
    expect(await versions('users')).toMatchObject([{ version: 2, live: true }]);
    const asked = { operator_id: actor.operatorId, reason };
    const events = await recorded();
    expect(events.map(({ type }) => type)).toEqual([
      ...['job_requested', 'job_finished', 'job_requested', 'job_finished', 'version_switched', 'version_dropped'],
    ]);
    for (const { type, data, keyId } of events.filter(({ type }) => type !== 'job_finished')) {
      expect(data, type).toMatchObject(asked);
      expect(keyId, type).toBe(actor.operatorId);
    }
  });

  it('a comparison lists the tables that differ', async () => {
    await service.database.pool.query(`INSERT INTO reports_v1.checkpoints SELECT 99, '99:0'`);
    await service.database.pool.query(`UPDATE catalog_v1.bots SET name = 'another'`);
    const found = await done({ kind: 'verify', projection: 'catalog', reason: 'an answer looks wrong' });
    await service.database.pool.query(`UPDATE catalog_v1.bots SET name = 'Bot'`);
    await service.database.pool.query('DELETE FROM reports_v1.checkpoints WHERE lane = 99');
    expect(found).toMatchObject({ state: 'findings', findings_count: 1 });
    expect(found.findings[0].message).toContain('catalog version 1 differs from a replay: bots (1 row');
  });

  it('a comparison counts the checksums of both schemas up, without a step back', async () => {
    const { pool } = service.database;
    const logger = pino({ level: 'silent' });
    const { signal } = new AbortController();
    const seen: number[][] = [];
    const { tables } = await verify(
      {
        ...shareAmongProjectors(pool, 'test', logger),
        model: catalogReadModel,
        log: service.log,
        logger,
        onBadEvent: 'stop',
        signal,
      },
      (await servedVersion(pool, catalogReadModel))!,
      { onCommits: () => {}, onTables: (done, total) => seen.push([done, total]) },
    );
    expect(seen).toEqual(Array.from({ length: 2 * tables }, (_, done) => [done, 2 * tables]));
  });

  it('says that it waits while another replay of the read model runs, as the command does', async () => {
    const giveBack = await stealLease(service.database.pool, 'verify users');
    const notices: string[] = [];
    const command = botledger(service.env, ['projection', 'verify', 'users'], undefined, notices);
    const { job_id } = (await post('jobs', { kind: 'verify', projection: 'users', reason: 'x' })).body.data;
    const progress = async () => (await get(`/admin/v1/jobs/${job_id}`)).body.data.progress;
    try {
      const what = 'waiting for another replay of users to end';
      await expect.poll(progress, { timeout: 10_000 }).toMatchObject({ what, done: 0, total: null });
      await expect.poll(() => notices, { timeout: 10_000 }).toEqual([what]);
    } finally {
      await giveBack();
    }
    expect(await jobEnd(get, job_id)).toMatchObject({ state: 'done', findings: [] });
    expect((await command).code).toBe(0);
  });

  it('audits run: of the ledger, of a bot, of an account; the last is the first of its list', async () => {
    const reason = 'the monthly audit';
    expect(await done({ kind: 'audit', bot: bot.publicKey, user_id: 7, reason })).toMatchObject({ state: 'done' });
    expect(await done({ kind: 'audit', bot: bot.publicKey, reason })).toMatchObject({ state: 'done', findings: [] });
    const whole = await done({ kind: 'audit', reason });
    expect(whole).toMatchObject({ state: 'done', findings: [] });
    expect(whole.summary).toMatch(
      /^looked at \d+ commits, \d+ heads of streams, 0 accounts, \d+ tables of 9 read models/,
    );
    const { body } = await get('/admin/v1/jobs?kind=audit&limit=1');
    expect(body.data.items).toEqual([whole]);
  });

  it('a repeat with the same Idempotency-Key is the same job; another body is refused', async () => {
    const body = { kind: 'verify', projection: 'referral', reason: 'checked each month' };
    const key = { 'idempotency-key': 'monthly' };
    const first = await post('jobs', body, key);
    await jobEnd(get, first.body.data.job_id);
    const second = await post('jobs', body, key);
    expect(second).toMatchObject({ status: 202, body: first.body });
    expect((await post('jobs', { ...body, reason: 'another' }, key)).status).toBe(422);
    const third = await post('jobs', body);
    expect(third.body.data.job_id).not.toBe(first.body.data.job_id);
    await jobEnd(get, third.body.data.job_id);
  });

  it.each([
    ['kind', { kind: 'copy', reason: 'x' }],
    ['projection', { kind: 'rebuild', reason: 'x' }],
    ['projection', { kind: 'rebuild', projection: 'nothing', reason: 'x' }],
    ['projection', { kind: 'audit', projection: 'users', reason: 'x' }],
    ['bot', { kind: 'audit', user_id: 7, reason: 'x' }],
    ['bot', { kind: 'audit', bot: 'unknown', reason: 'x' }],
    ['reason', { kind: 'audit' }],
    ['reason', { kind: 'audit', reason: '  ' }],
    ['reason', { kind: 'audit', reason: 'x'.repeat(1001) }],
  ])('points at a wrong %s: %j', async (path, body) => {
    const answer = await post('jobs', body);
    expect(answer).toMatchObject({ status: 400, body: { details: [{ path }] } });
  });

  it('a job that does not exist is 404', async () => {
    for (const id of ['nothing', '018f2f3a-0000-7000-8000-000000000000'])
      expect((await get(`/admin/v1/jobs/${id}`)).status).toBe(404);
  });

  it('the processes are listed with their leases and failures', async () => {
    await service.database.pool.query(
      `INSERT INTO processes.failures VALUES ('broadcast sending', 'broadcast 12', '<b>refused</b>', now() + interval '1 minute')`,
    );
    const { body } = await get('/admin/v1/processes');
    const named = new Map(body.data.items.map((each: { name: string }) => [each.name, each]));
    expect(named.get('jobs')).toMatchObject({
      lease: { holder: expect.any(String) },
      instances: [{ holder: expect.any(String), parts: null }],
      failures: [],
    });
    expect(named.get('broadcast sending')).toMatchObject({
      failures: [{ subject: 'broadcast 12', error: '<b>refused</b>', until: expect.any(String) }],
    });
    await service.database.pool.query('DELETE FROM processes.failures');
  });

  it('bot errors of all bots are grouped by what they say', async () => {
    const other = await service.createBot();
    for (const { apiKey } of [bot, other])
      for (const user_id of [101, 102])
        await service.post('/v1/send-event', { event: 'x', user_id }, { 'api-key': apiKey });
    await service.projected();
    const { body } = await get('/admin/v1/bot-errors');
    expect(body.data.items).toEqual([
      {
        ...{ kind: 'unknown_user', source: 'send-event', message: 'User with id … was not found' },
        ...{ count: 4, unresolved: 4, bots: 2, last: expect.any(String) },
      },
    ]);
    expect((await get('/admin/v1/bot-errors?days=0')).status).toBe(400);
  });
});

describe('the count of bot errors', () => {
  it('ends when its caller goes away, on the connections of short queries', async () => {
    const { pool } = service.database;
    const counting = async (): Promise<string[]> => {
      const { rows } = await pool.query<{ name: string }>(
        `SELECT application_name AS name FROM pg_stat_activity
         WHERE datname = current_database() AND state = 'active' AND query LIKE '%FROM "events_v1"."bot_errors" WHERE%'`,
      );
      return rows.map(({ name }) => name).filter((name) => name.startsWith('botledger'));
    };
    const blocker = await pool.connect();
    try {
      await blocker.query('BEGIN; LOCK TABLE events_v1.bot_errors IN ACCESS EXCLUSIVE MODE');
      const gone = new AbortController();
      const asked = fetch(`${service.address}/admin/v1/bot-errors`, { headers: actor.key, signal: gone.signal });
      await expect.poll(counting).toEqual(['botledger lookups']);
      gone.abort();
      await expect(asked).rejects.toThrow();
      const begun = performance.now();
      await expect.poll(counting, { interval: 20 }).toEqual([]);
      expect(performance.now() - begun, 'earlier than by its time limit').toBeLessThan(3000);
      expect(await get('/admin/v1/bot-errors')).toMatchObject({
        status: 502,
        body: { error: expect.stringContaining('took longer than 4000 ms') },
      });
    } finally {
      await blocker.query('ROLLBACK');
      blocker.release();
    }
  });
});
