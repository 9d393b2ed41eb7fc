import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import type { z } from 'zod';
import type { balanceAnswer } from '../src/api/referral/account-schemas.ts';
import { ask, botOf, countOf, eventIdOf } from './ask.ts';
import { command } from './command.ts';
import { quantile } from './quantile.ts';
import { startBenchService } from './service.ts';

/**
 * How late other bots are during an import of EVENTS events: from an event of the demo bot until it is counted, and
 * until its referrer has the reward. Floor: the same before the import.
 *
 *   EVENTS=200000 npm run import
 */

const EVENTS = Number(process.env['EVENTS'] ?? 200_000);
const FLOOR_SAMPLES = 30;
const [REFERRER, USER] = [4242, 4243];
const service = await startBenchService();
const folder = await mkdtemp(join(tmpdir(), 'botledger-bench-'));

async function cli(...argv: string[]): Promise<Record<string, unknown>> {
  const program = join(import.meta.dirname, '../bin/botledger.js');
  const { stdout } = await promisify(execFile)(program, [...argv, '--json'], {
    env: { ...process.env, ...service.env },
  });
  return JSON.parse(stdout) as Record<string, unknown>;
}

function line(n: number): string {
  const event = {
    event: `event_${n % 4}`,
    user_id: 1 + (n % 20_000),
    date: new Date(1.7e12 + n * 60_000).toISOString(),
  };
  return JSON.stringify({
    ...event,
    value_num: n % 1000,
    event_key: `k${n}`,
    properties: { plan: 'pro', items: n % 9 },
  });
}

async function available(): Promise<number> {
  const { data } = await ask<z.infer<typeof balanceAnswer>>(service, `/v1/referral/balance?user_id=${REFERRER}`);
  return Number(data.balance[0]?.available ?? 0);
}

async function until(reached: () => Promise<boolean>): Promise<number> {
  const asked = performance.now();
  while (!(await reached())) await sleep(20);
  return performance.now() - asked;
}

const samples = () => ({ counted: [] as number[], rewarded: [] as number[] });

async function sample({ counted, rewarded }: ReturnType<typeof samples>): Promise<void> {
  const [count, balance] = [await countOf(service, 'probe'), await available()];
  await ask(service, '/v1/send-event', { event: 'probe', user_id: USER });
  const countedMs = await until(async () => (await countOf(service, 'probe')) > count);
  counted.push(countedMs);
  rewarded.push(countedMs + (await until(async () => (await available()) > balance)));
  await sleep(200);
}

function show(what: string, { counted, rewarded }: ReturnType<typeof samples>): void {
  const of = (values: readonly number[]): string =>
    [0.5, 0.9, 1].map((share) => quantile(values, share).toFixed(0)).join(', ');
  console.log(
    `${what}: ${counted.length} events counted after p50, p90 and max ${of(counted)} ms; rewarded ${of(rewarded)} ms`,
  );
}

try {
  await ask(service, '/v1/referral/mark-referral', { referral_user_id: USER, referrer_user_id: REFERRER });
  await ask(service, '/v1/send-event', { event: 'probe', user_id: USER });
  await until(async () => (await countOf(service, 'probe')) > 0);
  const trigger = String(await eventIdOf(service, 'probe'));
  const rule = ['--name', 'Probes', '--trigger-event-id', trigger, '--type', 'fixed', '--amount', '1'];
  await command(service, ['rule', 'create', '--bot', await botOf(service), ...rule]);
  const { owner_id } = await cli('owner', 'create', '--name', 'Importer');
  const { public_key } = await cli('bot', 'create', '--owner', String(owner_id), '--name', 'Imported');
  const file = join(folder, 'events.ndjson');
  await writeFile(file, Array.from({ length: EVENTS }, (_, n) => line(n)).join('\n'));

  const floor = samples();
  while (floor.counted.length < FLOOR_SAMPLES) await sample(floor);
  show('floor', floor);

  const during = samples();
  const argv = ['import', 'events', '--bot', String(public_key), file];
  for (const what of ['import', 'the same file again']) {
    const begun = performance.now();
    let isRunning = true;
    const importing = command(service, argv).finally(() => {
      isRunning = false;
    });
    while (isRunning && what === 'import') await sample(during);
    await importing;
    console.log(`${what}: ${((performance.now() - begun) / 1000).toFixed(1)} s for ${EVENTS} events`);
  }
  show('during the import', during);
} finally {
  await service.stop();
  await rm(folder, { recursive: true });
}
