import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { systemSources } from '../../../src/util/system-sources.ts';
import { createOperator, jobEnd, type TestOperator } from '../../support/operators.ts';
import { type Answer, startTestService, type TestService } from '../../support/service.ts';

let service: TestService;
let actor: TestOperator;

beforeAll(async () => {
  service = await startTestService({ ADMIN_API: 'on' });
  actor = await createOperator(service, 'act');
});
afterAll(() => service.stop());

const get = (path: string): Promise<Answer> => service.get(path, actor.key);
const post = (path: string, body: object): Promise<Answer> => service.post(`/admin/v1/${path}`, body, actor.key);

async function recorded(stream: string): Promise<string[]> {
  const { commits } = await service.log.read(stream);
  return commits.flatMap(({ events }) => events.map(({ type }) => type));
}

/** Lets the changes of a table fail as if the database were shutting down (SQLSTATE 57P01), while it serves the log. */
async function whileDown(table: string, when: string, work: () => Promise<void>): Promise<void> {
  const { pool } = service.database;
  await pool.query(`CREATE FUNCTION public.down() RETURNS trigger LANGUAGE plpgsql AS
    $$ BEGIN RAISE EXCEPTION 'shutting down' USING ERRCODE = '57P01'; END $$`);
  await pool.query(`CREATE TRIGGER down BEFORE ${when} EXECUTE FUNCTION public.down()`);
  try {
    await work();
  } finally {
    await pool.query(`DROP TRIGGER down ON ${table}`);
    await pool.query('DROP FUNCTION public.down()');
  }
}

async function addLetter(schema: string, commit: object = {}): Promise<string> {
  const id = systemSources.uuid();
  const whole = { id, stream: 'intake-x', at: 1_770_000_000_000, position: '0:1', events: [], ...commit };
  await service.database.pool.query(
    `INSERT INTO ${schema}.dead_letters (commit_id, commit, error, blocking) VALUES ($1, $2, 'cannot be taken', false)`,
    [id, JSON.stringify(whole)],
  );
  return `${schema}.${id}`;
}

const UNKNOWN = { status: 500, body: { error: expect.stringContaining('outcome unknown') } };

describe('a change that the log has while the database is down is no 503', () => {
  it.each(['retry', 'skip'])('%s of a dead letter', async (verb) => {
    const id = await addLetter('users_v1');
    await whileDown('users_v1.dead_letters', 'UPDATE OR DELETE ON users_v1.dead_letters FOR EACH ROW', async () => {
      expect(await post(`dead-letters/${verb}`, { id, reason: 'x' })).toMatchObject(UNKNOWN);
    });
    expect((await recorded('projection-users')).at(-1)).toBe(`dead_letter_${verb === 'skip' ? 'skipped' : 'retried'}`);
    // The same again is in effect.
    expect(await post('dead-letters/skip', { id, reason: 'x' })).toMatchObject({ body: { data: { in_effect: true } } });
  });

  it('a switch and a drop of a version', async () => {
    const { body } = await post('jobs', { kind: 'rebuild', projection: 'reports', reason: 'x' });
    expect(await jobEnd(get, body.data.job_id)).toMatchObject({ state: 'done' });
    await service.database.pool.query(`UPDATE runtime.read_models SET verified = true WHERE name = 'reports'`);
    const states = `UPDATE ON runtime.read_models FOR EACH ROW WHEN (NEW.state IS DISTINCT FROM OLD.state)`;
    for (const [verb, type] of [
      ['switch', 'version_switched'],
      ['drop', 'version_dropped'],
    ] as const) {
      const change = { name: 'reports', version: 2, reason: 'x' };
      await whileDown('runtime.read_models', states, async () => {
        expect(await post(`projections/${verb}`, change), verb).toMatchObject(UNKNOWN);
      });
      expect((await recorded('operations-global')).at(-1)).toBe(type);
    }
  });
});

describe('the list of dead letters', () => {
  it('shows the start of large events, the page asked for, and how many there are', async () => {
    const data = { items: [{ event_id: 1, user_id: 7, value_str: `${'é'.repeat(1_500_000)}\0\ud800` }] };
    const created = { type: 'bot_created', v: 1, data: { token: '123456:ABC-DEF', webhook_secret_hash: 'abc' } };
    const events = [created, ...Array.from({ length: 29 }, () => ({ type: 'broadcast_x', v: 1, data: {} }))];
    const ids = [
      await addLetter('events_v1', { events: [{ type: 'custom_events_received', v: 1, data }] }),
      await addLetter('events_v1', { events }),
      await addLetter('users_v1', { events: [{ type: 'users_imported', v: 1, data: { items: ['Ada'] } }] }),
    ];
    const list = async (query: string) => (await get(`/admin/v1/dead-letters?${query}`)).body.data;
    const all = await list('');
    expect(all.total).toBe(3);
    expect(all.items.map(({ id }: { id: string }) => id)).toEqual(ids);
    expect(JSON.stringify(all).length).toBeLessThan(20_000);
    const [large, many, personal] = all.items;
    expect(large).toMatchObject({
      ...{ stream: 'intake-x', position: '0:1', blocking: false, error: 'cannot be taken', events_count: 1 },
      recorded_at: new Date(1_770_000_000_000).toISOString(),
    });
    const [event] = large.events;
    expect(event).toMatchObject({ type: 'custom_events_received', v: 1, data_whole: false });
    expect(event.data_bytes).toBeGreaterThan(3_000_000);
    expect(event.data).toBe(JSON.stringify(data).slice(0, 4096));
    expect(many).toMatchObject({ events_count: 30 });
    expect(many.events).toHaveLength(20);
    expect(many.events[0]).toMatchObject({
      data: { token: '(left out)', webhook_secret_hash: '(left out)' },
      data_whole: true,
    });
    expect(personal.events[0]).toMatchObject({ data: null, data_whole: false });
    for (const [offset, id] of ids.entries())
      expect(await list(`limit=1&offset=${offset}`)).toMatchObject({ items: [{ id }], total: 3 });
    expect(await list('offset=3')).toEqual({ items: [], total: 3 });
  });
});

describe('what no version can be', () => {
  it.each([
    ['projections/drop', { name: 'users', version: 9_999_999_999, reason: 'x' }, 400],
    ['projections/switch', { name: 'users', version: 9_999_999_999, reason: 'x' }, 400],
    ['dead-letters/retry', { id: `users_v99999999999.${systemSources.uuid()}` }, 404],
    ['dead-letters/skip', { id: `users_v2147483648.${systemSources.uuid()}`, reason: 'x' }, 404],
    ['dead-letters/retry', { id: `users_v1.${'-'.repeat(36)}` }, 404],
  ])('%s of %j is refused', async (path, body, status) => {
    expect((await post(path, body)).status).toBe(status);
  });
});
