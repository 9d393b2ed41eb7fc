import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Finding } from '../../../src/administration/finding.ts';
import { examine } from '../../../src/app/doctor/examine.ts';
import { pause } from '../../../src/util/pause.ts';
import { botledger } from '../../support/operate.ts';
import type { TestService } from '../../support/service.ts';

/**
 * `botledger doctor` with a service on an engine of the log.
 * @param unreachable variables that lead to no server of the log; none: the log is in the database
 */
export function describeDoctor(start: () => Promise<TestService>, unreachable: Readonly<Record<string, string>>): void {
  let service: TestService;
  let folder: string;
  let env: Record<string, string>;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'botledger-doctor-'));
    service = await start();
    const bot = await service.createBot();
    await service.post('/v1/send-event', { event: 'Order', user_id: 1 }, { 'api-key': bot.apiKey });
    await service.projected();
    env = { ...service.env, DATA_DIR: folder, PORT: new URL(service.address).port };
  });
  afterAll(async () => {
    await service.stop();
    await rm(folder, { recursive: true });
  });

  /** The findings that are not ok, but for the audit: no test has audited the ledger. */
  async function problems(changes: Record<string, string> = {}): Promise<string[]> {
    const findings = await examine({ ...env, ...changes });
    return findings
      .filter(({ state, check }) => state !== 'ok' && check !== 'audit')
      .map(({ check, state, finding }) => `${check} ${state}: ${finding}`);
  }

  // First: things that a doctor creates once must not be there before.
  test('the doctor writes nothing to database, log and DATA_DIR', async () => {
    const before = await settled(service);
    expect(before.length).toBeGreaterThan(50);
    await botledger(env, ['doctor']);
    await botledger({ ...env, PORT: '1' }, ['doctor']);
    expect(await contentOf(service)).toEqual(before);
    expect(await readdir(folder)).toEqual([]);
  });

  test('the doctor finds nothing wrong', async () => {
    expect(await problems()).toEqual([]);
    const { code, out } = await botledger(env, ['doctor']);
    expect(code).toBe(0);
    const engine = env['EVENT_LOG'] ?? 'postgres';
    const ofLog = (JSON.parse(out) as Finding[]).filter(({ check }) => check === 'log').map(({ finding }) => finding);
    expect(ofLog).toContain(`the log is on ${engine}`);
  });

  test.skipIf(Object.keys(unreachable).length === 0)('the doctor names a server of the log that is down', async () => {
    expect(await problems(unreachable)).toEqual([
      expect.stringMatching(/^log wrong: 127\.0\.0\.1:1 takes no connection$/),
    ]);
  });
}

/** Tables whose rows a running service changes by itself. */
const OF_THE_SERVICE = ['runtime.leases', 'runtime.key_uses', 'processes.states'];

/** The content once the service has written all that it has to. */
async function settled(service: TestService): Promise<string[]> {
  for (let content = await contentOf(service); ; ) {
    await pause(500);
    const now = await contentOf(service);
    if (isDeepStrictEqual(content, now)) return now;
    content = now;
  }
}

/** Every table, view and function of the database with its definition or its rows, and the end of the log. */
async function contentOf({ database: { pool }, log }: TestService): Promise<string[]> {
  const { rows: tables } = await pool.query<{ name: string }>(
    `SELECT format('%I.%I', schemaname, tablename) AS name FROM pg_tables
      WHERE schemaname !~ '^pg_' AND schemaname <> 'information_schema' ORDER BY 1`,
  );
  const content: string[] = [];
  for (const { name } of tables) {
    const { rows } = await pool.query<{ rows: string; hash: string }>(
      `SELECT count(*) AS rows, md5(string_agg(t::text, '' ORDER BY t::text)) AS hash FROM ${name} AS t`,
    );
    content.push(OF_THE_SERVICE.includes(name) ? name : `${name} ${rows[0]!.rows} ${rows[0]!.hash}`);
  }
  const { rows: others } = await pool.query<{ name: string }>(
    `SELECT 'column ' || attrelid::regclass || '.' || attname || ' ' || atttypid::regtype AS name
       FROM pg_attribute JOIN pg_class ON pg_class.oid = attrelid JOIN pg_namespace n ON n.oid = relnamespace
      WHERE nspname !~ '^pg_' AND nspname <> 'information_schema' AND attnum > 0
     UNION ALL SELECT 'function ' || p.oid::regprocedure FROM pg_proc p JOIN pg_namespace n ON n.oid = pronamespace
      WHERE nspname !~ '^pg_' AND nspname <> 'information_schema' ORDER BY 1`,
  );
  return [...content, ...others.map(({ name }) => name), JSON.stringify([...(await log.endCursor())])];
}
