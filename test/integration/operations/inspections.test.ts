import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  beginInspection,
  endInspection,
  eraseWithComparisons,
  KEPT,
} from '../../../src/administration/inspection/inspection-store.ts';
import { upgradePlan, versionDiff } from '../../../src/api/administration/inspection-schemas.ts';
import { doInspections } from '../../../src/processes/jobs/inspections.ts';
import type { ProcessContext } from '../../../src/processes/process.ts';
import { pause } from '../../../src/util/pause.ts';
import { type FilledBots, fillService } from '../../support/all-answers.ts';
import { longOnly } from '../../support/long-only.ts';
import { botledger, operate } from '../../support/operate.ts';
import { createOperator, type TestOperator } from '../../support/operators.ts';
import { type Answer, startTestService, type TestService } from '../../support/service.ts';
import { stealLease } from '../../support/steal-lease.ts';

/** Inspections of operators over HTTP (decisions.md#inspections). */

let service: TestService;
let filled: FilledBots;
let actor: TestOperator;

beforeAll(async () => {
  service = await startTestService({ ADMIN_API: 'on' });
  filled = await fillService(service);
  actor = await createOperator(service, 'act', '<b>Ann</b>');
  for (const name of ['events', 'users', 'accounts']) await operate(service.env, ['projection', 'rebuild', name]);
});
afterAll(() => service.stop());

/** A holder whose lease is taken works no longer than the lease lasts, 3 s. */
const LOST_MS = 4000;

const query = (text: string) => service.database.pool.query(text);
const get = (path: string): Promise<Answer> => service.get(`/admin/v1/inspections${path}`, actor.key);
const post = (body: object, key = actor.key): Promise<Answer> => service.post('/admin/v1/inspections', body, key);

// biome-ignore lint/suspicious/noExplicitAny: tests look into answers
async function ended(id: string): Promise<any> {
  let found: Answer;
  const state = async (): Promise<string> => {
    found = await get(`/${id}`);
    return found.body.data.state;
  };
  await expect.poll(state, { timeout: 60_000 }).toMatch(/done|failed/);
  return found!.body.data;
}

// biome-ignore lint/suspicious/noExplicitAny: tests look into answers
async function inspected(body: object): Promise<any> {
  const asked = await post(body);
  expect(asked).toMatchObject({ status: 202, body: { ok: true } });
  return ended(asked.body.data.inspection_id);
}

describe('an inspection', () => {
  it('compares two versions as the command does, rows and answers', async () => {
    await query(`UPDATE events_v2.events SET category = 'caps' WHERE category = 'hats'`);
    try {
      const found = await inspected({ kind: 'diff', projection: 'events' });
      expect(found).toMatchObject({
        ...{ state: 'done', error: null, cut: [], projection: 'events', from: 1, to: 2, answers: true },
        ...{ operator: '<b>Ann</b>', operator_id: actor.operatorId, progress: null },
      });
      expect(found.result).toMatchObject({ equal: false, answers_left_out: [] });
      const { code, out } = await botledger(service.env, ['projection', 'diff', 'events']);
      expect(code).toBe(1);
      const strict = versionDiff.strict().parse(JSON.parse(out));
      expect(withoutTimes(found.result)).toEqual(withoutTimes(strict));
    } finally {
      await query(`UPDATE events_v2.events SET category = 'hats' WHERE category = 'caps'`);
    }
    const rows = await inspected({ kind: 'diff', projection: 'events', from: 2, to: 1, answers: false });
    expect(rows.result).toMatchObject({ from: 2, to: 1, equal: true, answers: [] });
  });

  it('plans an upgrade as the command does', async () => {
    const { state, result } = await inspected({ kind: 'upgrade_plan' });
    expect(state).toBe('done');
    const { out } = await botledger(service.env, ['upgrade', 'plan']);
    expect(result).toEqual(upgradePlan.strict().parse(JSON.parse(out)));
    expect(result.events.types.length).toBeGreaterThan(20);
  });

  it('is no part of the log, and the list has it without its result', async () => {
    const end = await service.log.endCursor();
    const { inspection_id } = await inspected({ kind: 'diff', projection: 'accounts' });
    expect(await service.log.endCursor()).toEqual(end);
    const { body } = await get('');
    expect(body.data.items[0]).toMatchObject({ inspection_id, kind: 'diff', projection: 'accounts', state: 'done' });
    expect(body.data.items[0]).not.toHaveProperty('result');
  });

  it('shows no personal data and no secrets of rows', async () => {
    await query(`UPDATE users_v2.users SET username = 'zaphodine_q' WHERE user_id = 2`);
    try {
      const { result, cut } = await inspected({ kind: 'diff', projection: 'users' });
      const users = result.tables.find(({ table }: { table: string }) => table === 'users');
      expect(users).toMatchObject({
        ...{ changed: 1, columns: [{ column: 'username', rows: 1 }] },
        samples: [{ kind: 'changed', key: { user_id: '2' }, after: { username: 'not shown' } }],
      });
      expect(JSON.stringify(result)).not.toContain('zaphodine_q');
      expect(cut).toEqual(['values of rows: personal data or secrets may be among them']);
    } finally {
      await operate(service.env, ['projection', 'drop', 'users', '--version', '2']);
      await operate(service.env, ['projection', 'rebuild', 'users']);
    }
  });

  it.each([
    ['kind', 400, { kind: 'copy' }],
    ['projection', 400, { kind: 'diff' }],
    ['projection', 400, { kind: 'diff', projection: 'nothing' }],
    ['projection', 400, { kind: 'upgrade_plan', projection: 'users' }],
    ['answers', 400, { kind: 'upgrade_plan', answers: true }],
    ['from', 404, { kind: 'diff', projection: 'events', from: 9 }],
    ['to', 404, { kind: 'diff', projection: 'events', to: 9 }],
    ['to', 409, { kind: 'diff', projection: 'events', from: 2 }],
    ['to', 409, { kind: 'diff', projection: 'catalog' }],
  ])('points at a wrong %s: %i %j', async (path, status, body) => {
    expect(await post(body)).toMatchObject({ status, body: { details: [{ path }] } });
  });

  it('is refused for an operator who can only read', async () => {
    const reader = await createOperator(service, 'read');
    expect((await post({ kind: 'upgrade_plan' }, reader.key)).status).toBe(403);
  });
});

describe('an inspection that waits for an instance', () => {
  let giveBack: () => Promise<void>;
  const wait = async (): Promise<void> => {
    giveBack = await stealLease(service.database.pool, 'process jobs');
    await pause(LOST_MS);
  };
  const open = (state: string) => async (): Promise<void> => {
    const { body } = await get('');
    expect(body.data.items[0]).toMatchObject({ state, finished_at: null });
  };

  longOnly('is refused once more until it has ended, and fails with the reason', async () => {
    await wait();
    const { inspection_id } = (await post({ kind: 'diff', projection: 'accounts' })).body.data;
    await open('waiting')();
    const [refused, other] = await Promise.all([
      post({ kind: 'diff', projection: 'accounts' }),
      post({ kind: 'upgrade_plan' }),
    ]);
    expect(refused).toMatchObject({
      status: 409,
      body: { details: [{ path: 'kind', message: `inspection ${inspection_id} does the same and has not ended` }] },
    });
    expect(other.status).toBe(202);
    await operate(service.env, ['projection', 'drop', 'accounts', '--version', '2']);
    await giveBack();
    expect(await ended(inspection_id)).toMatchObject({
      ...{ state: 'failed', result: null, error: 'there is no version 2 of accounts' },
    });
    expect(await ended(other.body.data.inspection_id)).toMatchObject({ state: 'done' });
  });

  longOnly('is done by the next instance if one was killed, and only the last start ends it', async () => {
    const { pool } = service.database;
    await wait();
    const { inspection_id } = (await post({ kind: 'diff', projection: 'events' })).body.data;
    const killed = (await beginInspection(pool))!;
    expect(killed).toMatchObject({ inspection_id, starts: 1 });
    await open('running')();
    const next = (await beginInspection(pool))!;
    expect(next).toMatchObject({ inspection_id, starts: 2 });
    await endInspection(pool, killed, { error: 'of the start before' });
    await open('running')();
    await giveBack();
    expect(await ended(inspection_id)).toMatchObject({ state: 'done', error: null, result: { equal: true } });
    await endInspection(pool, next, { error: 'of the start before' });
    expect(await ended(inspection_id)).toMatchObject({ state: 'done', error: null });
  });

  longOnly('has no start more if its instance stops', async () => {
    await wait();
    const { inspection_id } = (await post({ kind: 'upgrade_plan' })).body.data;
    const stop = new AbortController();
    const endCursor = async (): Promise<never> => {
      stop.abort();
      throw new Error('the log was closed');
    };
    const context = { pool: service.database.pool, log: { endCursor }, logger: pino({ level: 'silent' }) };
    await doInspections(context as unknown as ProcessContext, stop.signal);
    const { rows } = await query(
      `SELECT starts, finished_at FROM runtime.inspections WHERE inspection_id = '${inspection_id}'`,
    );
    expect(rows).toEqual([{ starts: 0, finished_at: null }]);
    await giveBack();
    expect(await ended(inspection_id)).toMatchObject({ state: 'done' });
  });

  it('fails after its tenth start', async () => {
    await wait();
    const { inspection_id } = (await post({ kind: 'upgrade_plan' })).body.data;
    await query(`UPDATE runtime.inspections SET starts = 10 WHERE inspection_id = '${inspection_id}'`);
    await giveBack();
    expect(await ended(inspection_id)).toMatchObject({ state: 'failed', error: expect.stringContaining('10 starts') });
  });
});

describe('an erasure', () => {
  it('removes the results of comparisons, ends open ones, and leaves plans', async () => {
    const plan = await inspected({ kind: 'upgrade_plan' });
    const before = await inspected({ kind: 'diff', projection: 'events' });
    const giveBack = await stealLease(service.database.pool, 'process jobs');
    await pause(LOST_MS);
    const { inspection_id: open } = (await post({ kind: 'diff', projection: 'events' })).body.data;
    const begun = (await beginInspection(service.database.pool))!;
    await operate(service.env, ['user', 'erase', '--bot', filled.bot.publicKey, '--user', '2']);
    await endInspection(service.database.pool, begun, { result: before.result, cut: [] });
    await giveBack();
    for (const id of [before.inspection_id, open])
      expect(await ended(id)).toMatchObject({
        ...{ state: 'failed', result: null, error: 'an erasure of a user has begun since: compare again' },
      });
    expect(await ended(plan.inspection_id)).toEqual(plan);
  });

  it('leaves no result if it is killed when the log has it', async () => {
    const { pool } = service.database;
    const before = await inspected({ kind: 'diff', projection: 'events' });
    const killed = eraseWithComparisons(pool, async () => {
      const { inspection_id } = (await post({ kind: 'diff', projection: 'events' })).body.data;
      expect(await ended(before.inspection_id)).toMatchObject({ state: 'failed', result: null });
      await pause(2000); // the process looks once a second
      expect((await get(`/${inspection_id}`)).body.data.state).toBe('waiting');
      expect(await beginInspection(pool)).toBeNull();
      throw new Error(inspection_id);
    });
    const { message: id } = await killed.then(
      () => expect.unreachable(),
      (error: Error) => error,
    );
    expect(await ended(id)).toMatchObject({ state: 'done', result: { equal: true } });
  });

  it('has reached the tables that a later comparison reads', async () => {
    const { pool } = service.database;
    const lock = await pool.connect();
    try {
      // Both versions wait for the lock, so they cannot apply the next commit.
      await lock.query('BEGIN; LOCK TABLE events_v1.checkpoints, events_v2.checkpoints IN EXCLUSIVE MODE');
      await service.post('/v1/send-event', { event: 'late', user_id: 3 }, { 'api-key': filled.bot.apiKey });
      const { inspection_id } = (await post({ kind: 'diff', projection: 'events', answers: false })).body.data;
      const state = async () => (await get(`/${inspection_id}`)).body.data.state;
      await expect.poll(state, { timeout: 60_000 }).toBe('running');
      await pause(2000);
      expect(await state()).toBe('running');
      await lock.query('ROLLBACK');
      expect(await ended(inspection_id)).toMatchObject({ state: 'done', result: { equal: true } });
    } finally {
      await lock.query('ROLLBACK');
      lock.release();
    }
  });
});

describe('a version that is dropped', () => {
  longOnly('is gone at once though a comparison still reads it, and its tables go later', async () => {
    const { pool } = service.database;
    const drop = { name: 'events', version: 2, reason: 'rows were wrong' };
    const comparison = await pool.connect();
    const schemas = async () => (await pool.query(`SELECT FROM pg_namespace WHERE nspname = 'events_v2'`)).rowCount;
    try {
      await comparison.query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY');
      await comparison.query('SELECT FROM events_v2.events LIMIT 1');
      expect((await service.post('/admin/v1/projections/drop', drop, actor.key)).status).toBe(200);
      const live = { name: 'events', version: 1, reason: 'a step back' };
      expect((await service.post('/admin/v1/projections/switch', live, actor.key)).status).toBe(200);
      expect(await schemas()).toBe(1);
    } finally {
      await comparison.query('ROLLBACK');
      comparison.release();
    }
    await expect.poll(schemas, { timeout: 20_000 }).toBe(0);
    await operate(service.env, ['projection', 'rebuild', 'events']);
  });

  it('leaves no comparison to the next version of its number', async () => {
    const about = await inspected({ kind: 'diff', projection: 'events', answers: false });
    const of = await inspected({ kind: 'diff', projection: 'users', answers: false });
    await operate(service.env, ['projection', 'drop', 'events', '--version', '2']);
    expect(await ended(about.inspection_id)).toEqual(about);
    await operate(service.env, ['projection', 'rebuild', 'events']);
    expect(await ended(about.inspection_id)).toMatchObject({
      ...{ state: 'failed', result: null, finished_at: about.finished_at },
      error: 'version 2 was dropped and is built again: compare again',
    });
    expect(await ended(of.inspection_id)).toEqual(of);
  });
});

describe('the store of inspections', () => {
  it('keeps only the last that have ended', async () => {
    const { pool } = service.database;
    await query(`INSERT INTO runtime.inspections (inspection_id, kind, request, operator_id, operator, finished_at, result)
      SELECT gen_random_uuid(), 'upgrade_plan', '{"kind":"upgrade_plan"}', 1, 'x', '2020-01-01'::timestamptz + i * interval '1 day', '{}'
        FROM generate_series(1, 30) AS i`);
    await inspected({ kind: 'upgrade_plan' });
    const count = async () =>
      (await pool.query<{ n: number }>('SELECT count(*)::int AS n FROM runtime.inspections')).rows[0]!.n;
    await expect.poll(count).toBe(KEPT);
    const { rows } = await pool.query(`SELECT FROM runtime.inspections WHERE finished_at = '2020-01-31'`);
    expect(rows).toHaveLength(1);
  });
});

/** The difference without what depends on the time of the comparison. */
function withoutTimes({ answers, ...diff }: { answers: readonly object[] }): object {
  return { ...diff, answers: answers.map((each) => ({ ...each, slower: [] })) };
}
