import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it, test } from 'vitest';
import type { Finding } from '../../../src/administration/finding.ts';
import { type ExamineOptions, examine } from '../../../src/app/doctor/examine.ts';
import { administer } from '../../support/administer.ts';
import { botledger } from '../../support/operate.ts';
import { startTestService, type TestService } from '../../support/service.ts';

/** `botledger doctor` with a service, without one, and for each kind of failure. */

let service: TestService;
let env: Record<string, string>;
let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'botledger-doctor-'));
  service = await startTestService();
  await service.projected();
  env = { DATABASE_URL: service.database.url, DATA_DIR: folder, PORT: new URL(service.address).port };
});
afterAll(async () => {
  await service.stop();
  await rm(folder, { recursive: true });
});

async function found(changes: Record<string, string> = {}, options: ExamineOptions = {}): Promise<Finding[]> {
  return examine({ ...env, ...changes }, options);
}

/** The findings that are not ok, as `check state`. */
async function problems(...parameters: Parameters<typeof found>): Promise<string[]> {
  const findings = await found(...parameters);
  const without = findings.filter(({ state, remedy }) => (state === 'ok') !== (remedy === null));
  expect(without, 'a remedy belongs to each problem').toEqual([]);
  // No job has audited the ledger of a test.
  return findings.filter(({ state, check }) => state !== 'ok' && check !== 'audit').map((f) => `${f.check} ${f.state}`);
}

const run = (sql: string): Promise<unknown> => service.database.pool.query(sql);

it('finds nothing wrong with a service that works, and exits 0', async () => {
  expect(await problems()).toEqual([]);
  const { code, out } = await botledger(env, ['doctor']);
  expect(code).toBe(0);
  const checks = (JSON.parse(out) as Finding[]).map(({ check }) => check);
  expect([...new Set(checks)].sort()).toEqual(
    [
      'audit',
      'clock',
      'configuration',
      'database',
      'disk',
      'log',
      'read models',
      'service',
      'versions',
      'webhooks',
    ].sort(),
  );
});

it('names wrong and misspelt variables', async () => {
  const findings = await found({ PORT: 'x', ROLE: 'cook' });
  expect(findings.find(({ state }) => state === 'wrong')?.finding).toMatch(/PORT.*ROLE/);
  expect(await problems({ PROT: '1' })).toEqual(['configuration warning']);
  const { code, err } = await botledger({ ...env, PORT: 'x' }, ['doctor']);
  expect([code, err]).toEqual([1, expect.stringContaining('1 of 2 findings is wrong')]);
});

it('finds an old Node.js, a full disk and a wrong clock', async () => {
  expect(await problems({}, { nodeVersion: '18.20.1' })).toEqual(['versions wrong']);
  expect(await problems({}, { nodeVersion: '20.19.0' })).toEqual([]);
  const disk = (free: number): ExamineOptions => ({ diskOf: async () => ({ free, size: 100 }) });
  expect(await problems({}, disk(8))).toEqual(['disk warning']);
  expect(await problems({}, disk(2))).toEqual(['disk wrong']);
  expect(await problems({}, { now: () => Date.now() + 4000 })).toEqual(['clock warning']);
  expect(await problems({}, { now: () => Date.now() - 60_000 })).toEqual(['clock wrong']);
});

it('tells apart why the database cannot be used', async () => {
  const at = (change: (url: URL) => void): Record<string, string> => {
    const url = new URL(env['DATABASE_URL']!);
    change(url);
    return { DATABASE_URL: url.href };
  };
  const remedyOf = async (changes: Record<string, string>): Promise<string> => {
    const finding = (await found(changes)).find(({ check, state }) => check === 'database' && state === 'wrong');
    expect(finding?.finding).not.toMatch(/hunter2/);
    return finding?.remedy ?? '';
  };
  expect(await remedyOf(at((url) => (url.port = '1')))).toMatch(/start PostgreSQL/);
  expect(await remedyOf(at((url) => (url.password = 'hunter2')))).toMatch(/user and password/);
  expect(await remedyOf(at((url) => (url.pathname = '/missing')))).toMatch(/create the database/);
  expect(await remedyOf({ DATABASE_URL: '', DATA_DIR: folder })).toMatch(/start the service once/);
  expect(await readdir(folder), 'a doctor creates nothing').toEqual([]);
});

it('finds a log that does not answer, and one on another engine', async () => {
  expect(await problems({ EVENT_LOG: 'kafka', KAFKA_BROKERS: '127.0.0.1:1' })).toEqual(['log wrong', 'log wrong']);
  const eventStore = { EVENT_LOG: 'eventstoredb', EVENTSTORE_URL: 'esdb://127.0.0.1:1?tls=false' };
  expect(await problems(eventStore)).toEqual(['log wrong', 'log wrong']);
  await run(`UPDATE runtime.source_log SET engine = 'kafka'`);
  // The address of the database stands in for a broker: it takes connections.
  const { host } = new URL(env['DATABASE_URL']!);
  expect(await problems({ EVENT_LOG: 'kafka', KAFKA_BROKERS: host })).toEqual([]);
  expect(await problems()).toEqual(['log wrong']);
  await run(`UPDATE runtime.source_log SET engine = 'postgres'`);
});

test('finds a newer release', async () => {
  // A projector that runs would build a version with its shape at once.
  await service.restart(async () => {
    await run(`UPDATE runtime.read_models SET shape = shape + 1 WHERE name = 'reports'`);
    expect(await problems()).toContain('versions wrong');
    await run(`UPDATE runtime.read_models SET shape = shape - 1 WHERE name = 'reports'`);
  });
  env = { ...env, PORT: new URL(service.address).port };
  await service.projected();
});

test('finds failing processes, webhooks and dead letters', async () => {
  await run(`INSERT INTO processes.failures VALUES ('accruals', 'bot a', 'no', now() + interval '1 hour')`);
  expect(await problems()).toEqual(['processes warning']);
  await run('DELETE FROM processes.failures');

  await run(`INSERT INTO accounts_v1.payouts (payout_id, user_id, place, requested_at, unit, attempts, status, amount, public_key,
               method, initiated_by, attempt, error) VALUES (1, 1, 1, 1, 0, 1, 1, 5, 'shop', 'webhook', 'api', 'failed', 'answered 500')`);
  const webhooks = (await found()).find(({ check }) => check === 'webhooks');
  expect(webhooks?.finding).toBe('bot shop: 1 payout waits, last answered 500');
  await run('DELETE FROM accounts_v1.payouts');

  await run(`INSERT INTO users_v1.dead_letters VALUES ('018f0000-0000-7000-8000-000000000000', '{}', 'bad', false)`);
  expect(await problems()).toEqual(['read models wrong']);
  await run('DELETE FROM users_v1.dead_letters');
});

// Last, since the service comes back on another port.
it('works without a service, and says that none runs', async () => {
  await service.restart(async () => {
    await run('DELETE FROM runtime.leases');
    expect(await problems()).toEqual(['service wrong']);
  });
  const other = { ...env, PORT: '1' };
  await service.projected();
  expect((await examine(other)).find(({ check }) => check === 'service')?.finding).toMatch(/another instance works/);
  await expect(administer(other)('doctor')).resolves.toBeDefined();
});
