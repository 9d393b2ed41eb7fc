import { isDeepStrictEqual } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { keyOf } from '../../src/log/stream-name.ts';
import { allVersions } from '../../src/projections/runtime/versions.ts';
import { pause } from '../../src/util/pause.ts';
import { startLoad } from '../crash/load.ts';
import { expectFolded, expectOnce, meetUsers, settled } from '../crash/rounds.ts';
import { type Answers, allAnswers, type FilledBots, fillService, request } from '../support/all-answers.ts';
import { nextRelease } from '../support/changed-read-models.ts';
import { operate } from '../support/operate.ts';
import { startTestInstance, startTestService, type TestBot, type TestService } from '../support/service.ts';
import { freePort } from '../support/service-process.ts';

/** One instance is replaced by the next release, which has changed two read models, and back, all under load. */

const NAMES = ['events', 'accounts'];
/** Fewer than in crash tests: a build ends when it is less than a second behind, also on a busy machine. */
const SENDERS = 1;
const POLL = { timeout: 240_000 };
/** Long enough for some rounds of all questions. */
const WATCH_MS = 2000;
/** Between two rounds of all questions: they would else take the processor from the build. */
const ASKS_APART_MS = 1000;
/** Answers of a service that stops or starts may arrive a little later. */
const SETTLE_MS = 200;

let service: TestService;
let address: string;
let filled: FilledBots;
let busy: TestBot;
let before: Answers;
/** Counts starts and ends of restarts: odd while there is no service. */
let phase = 0;

beforeAll(async () => {
  const port = await freePort();
  address = `http://127.0.0.1:${port}`;
  service = await startTestService({ PORT: `${port}` });
  filled = await fillService(service);
  busy = await service.createBot();
  await meetUsers(address, busy.apiKey);
  before = await allAnswers(address, filled);
});
afterAll(() => service.stop());

test('a changed read model answers from its former version until the new one is built, and again after a step back', async () => {
  const { pool } = service.database;
  const gate = { closed: true };
  const changed = nextRelease(NAMES, gate);
  const ended = compareAllTheTime();
  const load = startLoad(address, busy.apiKey, SENDERS);
  const failures = (): number => load.sent.refused.length + load.sent.unknown.length;
  const statesOf = async (): Promise<string[]> =>
    (await allVersions(pool))
      .filter(({ name }) => NAMES.includes(name))
      .map(({ name, version, state }) => `${name} ${version} ${state}`);
  await pause(WATCH_MS);
  expect(failures()).toBe(0);

  phase++;
  let failed = 0;
  await service.restart(async () => {
    const next = await startTestInstance(service.env, changed);
    try {
      await served();
      failed = failures();
      await expect
        .poll(statesOf, POLL)
        .toEqual(['accounts 1 live', 'accounts 2 building', 'events 1 live', 'events 2 building']);
      const counted = await total();
      await expect.poll(total, POLL).toBeGreaterThan(counted);
      await pause(WATCH_MS);
      expect(await statesOf()).toContain('events 1 live');

      gate.closed = false;
      await expect
        .poll(statesOf, POLL)
        .toEqual(['accounts 1 ready', 'accounts 2 live', 'events 1 ready', 'events 2 live']);
      await pause(WATCH_MS);
      for (const name of NAMES) await operate(service.env, ['projection', 'verify', name], changed);
      expect(await operate(service.env, ['upgrade', 'apply'], changed)).toEqual([]);
      const kept = (await operate(service.env, ['projection', 'list'], changed)).filter(
        (row: { name: string; version: number }) => NAMES.includes(row.name) && row.version === 1,
      );
      expect(kept).toMatchObject([{ next_command: null }, { next_command: null }]);

      for (const name of NAMES)
        expect(await operate(service.env, ['projection', 'switch', name, '--version', '1'], changed)).toMatchObject({
          version: 1,
          state: 'live',
        });
      await pause(WATCH_MS);
      expect(failures(), 'refused while no OS process restarted').toBe(failed);
      phase++;
    } finally {
      gate.closed = false;
      await next.stop();
    }
  });
  // The former release runs again, on the version that was followed all the time.
  await served();
  failed = failures();
  await pause(WATCH_MS);
  expect(failures()).toBe(failed);
  const sent = await load.stop();
  expect(await ended()).toEqual([]);
  expect(await allAnswers(address, filled)).toEqual(before);
  const deployment = { pool, log: service.log, output: () => '' };
  const commits = await settled(deployment);
  expect(sent.acknowledged.length).toBeGreaterThan(50);
  expectOnce(
    commits.filter(({ stream }) => keyOf(stream) === busy.publicKey),
    sent,
  );
  await expectFolded(deployment, commits);
}, 900_000);

test('with KEEP_FORMER=0 the former version goes when the new one answers', async () => {
  const { pool } = service.database;
  await service.restart(async () => {
    const next = await startTestInstance({ ...service.env, KEEP_FORMER: '0' }, nextRelease(['users']));
    try {
      const versions = async (): Promise<object[]> => (await allVersions(pool)).filter(({ name }) => name === 'users');
      await expect.poll(versions, POLL).toMatchObject([{ version: 2, state: 'live' }]);
      await expect
        .poll(async () => (await pool.query(`SELECT FROM pg_namespace WHERE nspname = 'users_v1'`)).rowCount, POLL)
        .toBe(0);
      expect(await allAnswers(address, filled)).toEqual(before);
    } finally {
      await next.stop();
    }
  });
}, 300_000);

/** A service answers again. */
async function served(): Promise<void> {
  await pause(SETTLE_MS);
  phase++;
}

/** The counted events of the busy bot. */
async function total(): Promise<number> {
  const report_config = {
    source_request: {
      type: 'trends',
      type_chart: 'table',
      requests: [{ type: 'trend', event_id: null, event_name: 'any', agr: 'total' }],
    },
    settings: { params: { ':date_from': '2020-01-01 00:00:00', ':date_to': '2030-01-01 00:00:00' } },
  };
  const { status, body } = await request(
    `${address}/v1/reports/preview`,
    { 'api-key': busy.apiKey },
    { report_config },
  );
  expect(status).toBe(200);
  return body.data.rows[0].value;
}

/** Asks for every kind of answer until it is stopped. @returns the answers that changed while a service answered */
function compareAllTheTime(): () => Promise<string[]> {
  const noticed: string[] = [];
  let stopped = false;
  async function compare(): Promise<void> {
    const begun = phase;
    const found = await allAnswers(address, filled).catch((error: unknown) => ({ error: String(error) }));
    if (begun % 2 === 1 || phase !== begun) return;
    for (const [name, answer] of Object.entries(found))
      if (!isDeepStrictEqual(answer, before[name])) noticed.push(`${name}: ${JSON.stringify(answer)}`);
  }
  async function loop(): Promise<void> {
    while (!stopped) {
      await compare();
      await pause(ASKS_APART_MS);
    }
  }
  const looping = loop();
  return async () => {
    stopped = true;
    await looping;
    return noticed;
  };
}
