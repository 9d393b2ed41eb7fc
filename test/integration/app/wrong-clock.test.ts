import { spawn } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { pause } from '../../../src/util/pause.ts';
import { operate } from '../../support/operate.ts';
import { startTestService, type TestBot, type TestService } from '../../support/service.ts';
import { type ServiceProcess, serviceProcess } from '../../support/service-process.ts';

/** A machine whose clock is wrong appends nothing, says so, and recovers by itself (decisions.md#wrong-clock). */

const DAYS_60_MS = 60 * 86_400_000;
const PRELOAD = ['--import', './test/support/set-clock.mjs'];

let right: TestService;
let bot: TestBot;
let rule: { readonly rule_id: number };
let folder: string;
let env: Record<string, string>;
let wrong: ServiceProcess;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'botledger-clock-'));
  right = await startTestService();
  bot = await right.createBot();
  const ofRule = ['--type', 'percent', '--trigger-event-id', '1', '--percent', '10'];
  rule = (await operate(right.env, [
    'rule',
    'create',
    '--bot',
    bot.publicKey,
    '--name',
    'Sales',
    ...ofRule,
  ])) as typeof rule;
  env = { ...right.env, TEST_CLOCK_FILE: join(folder, 'ahead'), DATA_DIR: folder, LOG_LEVEL: 'info' };
});
afterAll(async () => {
  await wrong?.kill('SIGKILL');
  await right.stop();
  await rm(folder, { recursive: true });
});

const setClock = (aheadMs: number): Promise<void> => writeFile(env['TEST_CLOCK_FILE']!, String(aheadMs));
const logEnd = async (): Promise<unknown> => [...(await right.log.endCursor())];

async function cli(...argv: string[]): Promise<{ code: number | null; out: string; err: string }> {
  const child = spawn(process.execPath, [...PRELOAD, 'dist/app/cli-main.js', ...argv], {
    env: { ...process.env, ...env, LOG_LEVEL: '' },
  });
  const output = { out: '', err: '' };
  child.stdout.on('data', (chunk: Buffer) => (output.out += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (output.err += chunk.toString()));
  const code = await new Promise<number | null>((resolve) => child.once('close', resolve));
  return { code, ...output };
}

async function sendEvent(): Promise<[number, string | undefined]> {
  const response = await fetch(`${wrong.address}/v1/send-event`, {
    method: 'POST',
    headers: { 'api-key': bot.apiKey, 'content-type': 'application/json' },
    body: JSON.stringify({ event: 'Order', user_id: 1 }),
  });
  return [response.status, ((await response.json()) as { error?: string }).error];
}

async function readyError(): Promise<string | undefined> {
  return ((await (await fetch(`${wrong.address}/ready`)).json()) as { error?: string }).error;
}

const AHEAD = /the clock of this machine is 518\d{4}\.\d s ahead of the database's, so nothing is appended/;

test.each([
  ['rate set', ['rate', 'set', '--bot', 'BOT', '--rule', 'RULE', '--user', '1', '--percent', '5']],
  ['key revoke', ['key', 'revoke', '--key', '1']],
  ['owner create', ['owner', 'create', '--name', 'Ann']],
])('%s with a clock 60 days ahead exits 1, says why and appends nothing', async (_, argv) => {
  const end = await logEnd();
  await setClock(DAYS_60_MS);
  const { code, out, err } = await cli(
    ...argv.map((each) => ({ BOT: bot.publicKey, RULE: String(rule.rule_id) })[each] ?? each),
  );
  expect([code, out, err]).toEqual([1, '', expect.stringMatching(AHEAD)]);
  expect(await logEnd()).toEqual(end);
});

test('a command that appends nothing works with a wrong clock', async () => {
  await setClock(DAYS_60_MS);
  expect(await cli('owner', 'list')).toMatchObject({ code: 0, err: '' });
});

test('doctor names the difference', async () => {
  await setClock(-DAYS_60_MS);
  const { code, out } = await cli('doctor', '--json');
  const clock = (JSON.parse(out) as { check: string }[]).find(({ check }) => check === 'clock');
  expect([code, clock]).toMatchObject([1, { state: 'wrong', finding: expect.stringMatching(/518\d{4}\.\d s behind/) }]);
});

test('a service with a wrong clock refuses events and is not ready, until the clock is right', async () => {
  await setClock(DAYS_60_MS);
  const end = await logEnd();
  wrong = await serviceProcess(env, { program: [...PRELOAD, 'dist/app/main.js'] });
  await wrong.start();
  while (!(await readyError())?.match(AHEAD)) await pause(50);
  while ((await sendEvent())[1]?.includes('catalog') === true) await pause(50);
  expect(await sendEvent()).toEqual([503, expect.stringMatching(AHEAD)]);
  expect(await (await fetch(`${wrong.address}/metrics`)).text()).toMatch(/^botledger_clock_ahead_seconds 518/m);
  expect(wrong.output()).toContain('refusing all appends');
  expect(await logEnd()).toEqual(end);

  await setClock(0);
  await wrong.ready();
  expect(await sendEvent()).toEqual([200, undefined]);
});

test('a clock that is set back an hour while the service runs is noticed before the next append', async () => {
  const end = await logEnd();
  await setClock(-3_600_000);
  await pause(100); // the file is read every 20 ms
  expect(await sendEvent()).toEqual([503, expect.stringMatching(/3(599|600)\.\d s behind/)]);
  expect(await logEnd()).toEqual(end);
  await setClock(0);
  await pause(100);
  expect((await sendEvent())[0]).toBe(200);
});
