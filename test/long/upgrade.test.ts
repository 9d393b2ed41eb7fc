import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { UpgradePlan } from '../../src/administration/upgrade/upgrade-plan.ts';
import { pause } from '../../src/util/pause.ts';
import { type Outcomes, startLoad } from '../crash/load.ts';
import { expectOnce, meetUsers } from '../crash/rounds.ts';
import { request, timeless } from '../support/all-answers.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { inDatabase, openTestLog } from '../support/engines.ts';
import { type FormerRelease, formerRelease } from '../support/former-release.ts';
import { readAll } from '../support/log.ts';
import { operate } from '../support/operate.ts';
import { readModels } from '../support/read-models.ts';
import { sampleReports } from '../support/sample-reports.ts';
import { type ServiceProcess, serviceProcess } from '../support/service-process.ts';

/** A release before this one, on a database that this one takes over while both answer (docs/upgrades.md). */
const RELEASES = [
  { version: '0.1.0', commit: 'b90eca4', program: 'dist/main.js' },
  { version: '0.2.0', commit: '1b8e92a', program: 'dist/app/main.js' },
];
/** Long enough for some hundred requests. */
const BESIDE_MS = 3000;

for (const { version, commit, program } of RELEASES) {
  const release = await formerRelease(version, commit);
  describe.skipIf(release === null)(`from ${version}`, () => describeUpgrade(release!, program));
}

function describeUpgrade(release: FormerRelease, program: string): void {
  let database: TestDatabase;
  let former: ServiceProcess;
  let present: ServiceProcess;
  let env: Record<string, string>;
  beforeEach(async () => {
    database = await createTestDatabase();
    env = { DATABASE_URL: database.url };
    former = await serviceProcess(env, { program: [release.path(program)] });
    present = await serviceProcess(env);
    await former.start();
    await former.ready();
  });
  afterEach(async () => {
    await former.kill('SIGKILL');
    await present.kill('SIGKILL');
    await database.drop();
  });

  test('both answer the same side by side, nothing is lost, and the old one cannot come back', async () => {
    const apiKey = await newBot();
    await meetUsers(former.address, apiKey);
    const loads = [startLoad(former.address, apiKey)];
    await pause(BESIDE_MS);

    const plan: UpgradePlan = await operate(env, ['upgrade', 'plan']);
    expect(plan.migrations.length).toBeGreaterThan(0);
    await present.start();
    await present.ready();
    const { rows } = await database.pool.query<{ name: string }>('SELECT DISTINCT name FROM runtime.read_models');
    expect(plan.read_models.map(({ name }) => name).sort()).toEqual(rows.map(({ name }) => name).sort());
    for (const { name, is_built, to_shape } of plan.read_models) {
      const shapes = await database.pool.query(
        'SELECT shape FROM runtime.read_models WHERE name = $1 ORDER BY version',
        [name],
      );
      expect([name, shapes.rows.at(-1)]).toEqual([name, { shape: to_shape }]);
      if (!is_built) expect(shapes.rows).toHaveLength(1);
    }
    loads.push(startLoad(present.address, apiKey));
    await pause(BESIDE_MS);
    await expect.poll(() => answers(present, apiKey).then(statuses)).toEqual(new Set([200]));
    await loads[0]!.stop();
    former.signal('SIGTERM');
    expect(await former.ended()).toBe(0);
    await pause(BESIDE_MS);
    for (const load of loads) await load.stop();

    const all = (kind: keyof Outcomes): string[] => loads.flatMap(({ sent }) => sent[kind]);
    expect([all('refused'), all('unknown')]).toEqual([[], []]);
    const acknowledged = all('acknowledged');
    expect(acknowledged.length).toBeGreaterThan(100);
    const log = await openTestLog({ ...env, ...inDatabase('') }, { mayLead: false });
    expectOnce(await readAll(log, { categories: ['intake'] }), { acknowledged, refused: [], unknown: [] });
    await log.close();

    const before = await answers(present, apiKey);
    expect(statuses(before)).toEqual(new Set([200]));
    await switchAll();
    expect(await answers(present, apiKey)).toEqual(before);
    expect(await operate(env, ['audit', 'verify'])).toEqual([]);

    await expect(former.start()).rejects.toThrow(/the database was written by a newer version/);
  }, 600_000);

  async function newBot(): Promise<string> {
    const { owner_id: owner } = await release.botledger(env, 'owner', 'create', '--name', 'Owner');
    const { public_key } = await release.botledger(env, 'bot', 'create', '--owner', `${owner}`, '--name', 'Bot');
    const key = ['key', 'issue', '--owner', `${owner}`, '--bot', `${public_key}`, '--kind', 'personal'];
    return `${(await release.botledger(env, ...key))['api_key']}`;
  }

  /** Does what `projection list` says comes next, until nothing is left to do. */
  async function switchAll(): Promise<void> {
    for (;;) {
      const rows: { state: string; next_command: string | null; error: string | null }[] = await operate(env, [
        'projection',
        'list',
      ]);
      expect(rows.filter(({ error }) => error !== null)).toEqual([]);
      const next = rows.find(({ next_command }) => next_command !== null)?.next_command;
      if (next === undefined) break;
      await operate(env, next!.split(' ').slice(1));
    }
    const live = (await operate(env, ['projection', 'list'])).filter(
      (row: { kind: string }) => row.kind === 'read-model',
    );
    expect(live.map(({ name }: { name: string }) => name).sort()).toEqual(readModels.map(({ name }) => name).sort());
  }
}

type Answers = Readonly<Record<string, { readonly status: number; readonly body: unknown }>>;

/** Reports of every type over yesterday, today and tomorrow. Every release has these days. */
function reports(): [string, object][] {
  const day = (offset: number): string => new Date(Date.now() + offset * 86_400_000).toISOString().slice(0, 10);
  const settings = { params: { ':date_from': `${day(-1)} 00:00:00`, ':date_to': `${day(1)} 23:59:59` } };
  return Object.entries(sampleReports()).map(([name, config]) => [name, { ...config, settings }]);
}

async function answers({ address }: ServiceProcess, apiKey: string): Promise<Answers> {
  const given: Record<string, { status: number; body: unknown }> = {};
  const headers = { 'api-key': apiKey };
  const { status, body } = await request(`${address}/v1/reports/events`, headers);
  given['events'] = { status, body };
  for (const [name, report_config] of reports()) {
    const answer = await request(`${address}/v1/reports/preview`, headers, { report_config });
    given[name] = { status: answer.status, body: timeless(answer.body) };
  }
  return given;
}

const statuses = (given: Answers): Set<number> => new Set(Object.values(given).map(({ status }) => status));
