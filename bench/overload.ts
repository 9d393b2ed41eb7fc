import { execFile } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { request } from 'undici';
import { operate } from '../test/support/operate.ts';
import { ask, countOf } from './ask.ts';
import { startEngine } from './engine.ts';
import { childrenOf, residentMb } from './proc.ts';
import { quantile } from './quantile.ts';
import { BENCH_USERS, type BenchService, meeting, projected, startBenchService } from './service.ts';

/**
 * One sender at TIMES the capacity of the service for MINUTES, in batches of 300, and single events of another sender
 * at the same time. The capacity is the rate at which the service counts the batches of one sender that sends as fast
 * as it is answered. After the load every accepted event must be counted once. The service and its database run on one
 * processor.
 *
 *   ENGINES=postgres,kafka MINUTES=10 TIMES=3 npx tsx bench/overload.ts
 */
const ENGINES = process.env['ENGINES']?.split(',') ?? ['postgres', 'kafka'];
const MINUTES = Number(process.env['MINUTES'] ?? 10);
const TIMES = Number(process.env['TIMES'] ?? 3);
const BATCH = 300;
const CONNECTIONS = 16;
const MOST_IN_FLIGHT = 400;
const CAPACITY_SECONDS = 20;
const WINDOW_MS = 10_000;
const LONE_EVERY_MS = 100;
/** A lone event is answered as it was before the load. */
const NORMAL = 2;
const NORMAL_IN_A_ROW = 10;

const batches = Array.from({ length: 20 }, (_, i) =>
  JSON.stringify(
    Array.from({ length: BATCH }, (_, k) => ({
      event: 'flood',
      user_id: BENCH_USERS[(i * BATCH + k) % BENCH_USERS.length]!,
      value_num: 1000 + k,
      unit: 'USD',
    })),
  ),
);

async function overload(engine: string, service: BenchService): Promise<void> {
  try {
    await onOneProcessor(service.process.pid!);
    const other = await otherSender(service);
    await projected(service);
    const before = quantile(await loneEvents(service, other, 5000), 0.99);
    const { perSecond, accepted: first } = await capacity(service);
    console.log(
      `${engine}: capacity ${perSecond.toFixed(0)} events/s; a lone event without load p99 ${before.toFixed(0)} ms`,
    );

    const stop = new AbortController();
    const flood = floodAt(TIMES * perSecond, service, stop.signal);
    const times: number[] = [];
    for (const end = performance.now() + MINUTES * 60_000; performance.now() < end; ) {
      const window = await loneEvents(service, other, WINDOW_MS);
      times.push(...window);
      const mb = await residentMb(service.process.pid!);
      console.log(`  lone events p50 ${ms(window, 0.5)} p99 ${ms(window, 0.99)}, service ${mb.toFixed(0)} MB`);
    }
    stop.abort();
    const { accepted, answers } = await flood;
    const backMs = await untilNormal(service, other, before);
    await projected(service);
    const counted = await countOf(service, 'flood');
    console.log(
      `${engine}: ${TIMES} times capacity for ${MINUTES} min; lone events p50 ${ms(times, 0.5)} p99 ${ms(times, 0.99)} max ${ms(times, 1)};`,
      `back to normal after ${(backMs / 1000).toFixed(1)} s; answers to the flood ${JSON.stringify(answers)};`,
      `accepted ${first + accepted}, counted ${counted}`,
    );
    if (counted !== first + accepted) throw new Error('events were lost or doubled');
  } finally {
    await service.stop();
  }
}

const ms = (times: readonly number[], share: number): string => `${quantile(times, share).toFixed(0)} ms`;

/** Moves the OS process and its children (the embedded database) to the first processor. */
async function onOneProcessor(pid: number): Promise<void> {
  await promisify(execFile)('taskset', ['--all-tasks', '--cpu-list', '--pid', '0', String(pid)]);
  for (const child of await childrenOf(pid)) await onOneProcessor(child);
}

/** The key of another owner's bot that knows one user. */
async function otherSender({ address, env }: BenchService): Promise<string> {
  const { owner_id } = await operate(env, ['owner', 'create', '--name', 'Other']);
  const { public_key } = await operate(env, ['bot', 'create', '--owner', String(owner_id), '--name', 'Other']);
  const { api_key } = await operate(env, ['key', 'issue', '--owner', String(owner_id), '--bot', public_key]);
  await ask({ address, apiKey: api_key }, '/v1/send-batch-update', [meeting(1)]);
  return api_key;
}

/** Sends a batch. @returns the status of the answer */
async function sendBatch({ address, apiKey }: BenchService, n: number): Promise<number> {
  const headers = { 'content-type': 'application/json', 'api-key': apiKey };
  const body = batches[n % batches.length]!;
  const answer = await request(`${address}/v1/send-event`, { method: 'POST', headers, body });
  await answer.body.dump();
  return answer.statusCode;
}

async function capacity(service: BenchService): Promise<{ perSecond: number; accepted: number }> {
  const started = performance.now();
  let accepted = 0;
  await Promise.all(
    Array.from({ length: CONNECTIONS }, async (_, n) => {
      while (performance.now() < started + CAPACITY_SECONDS * 1000) {
        const status = await sendBatch(service, n);
        if (status === 200) accepted += BATCH;
        else if (status !== 503) throw new Error(`a batch was answered ${status}`);
      }
    }),
  );
  await projected(service);
  return { perSecond: accepted / ((performance.now() - started) / 1000), accepted };
}

/** Sends at a steady rate, whatever the answers are. A sender with too many requests without an answer leaves some out. */
async function floodAt(
  perSecond: number,
  service: BenchService,
  signal: AbortSignal,
): Promise<{ accepted: number; answers: Record<string, number> }> {
  const answers: Record<string, number> = {};
  const inFlight = new Set<Promise<void>>();
  const started = performance.now();
  const count = (answer: string): void => {
    answers[answer] = (answers[answer] ?? 0) + 1;
  };
  for (let n = 0; !signal.aborted; n++) {
    const wait = started + (n * BATCH * 1000) / perSecond - performance.now();
    if (wait > 1) await sleep(wait);
    if (inFlight.size >= MOST_IN_FLIGHT) {
      count('not sent');
      continue;
    }
    const sent: Promise<void> = sendBatch(service, n)
      .then(
        (status) => count(String(status)),
        (error: Error) => count(error.message),
      )
      .finally(() => inFlight.delete(sent));
    inFlight.add(sent);
  }
  await Promise.all(inFlight);
  return { accepted: (answers['200'] ?? 0) * BATCH, answers };
}

/** Times lone events, each sent at its moment also while others are without an answer. @returns milliseconds, infinite for an answer but 200 */
async function loneEvents({ address }: BenchService, apiKey: string, forMs: number): Promise<number[]> {
  const sends: Promise<number>[] = [];
  for (const end = performance.now() + forMs; performance.now() < end; await sleep(LONE_EVERY_MS))
    sends.push(loneEvent({ address, apiKey }));
  return Promise.all(sends);
}

/** Milliseconds until the answer; infinite if it is not 200. */
async function loneEvent(sender: { address: string; apiKey: string }): Promise<number> {
  const started = performance.now();
  try {
    await ask(sender, '/v1/send-event', { event: 'lone', user_id: 1 });
  } catch (error) {
    console.log(`  ${error instanceof Error ? error.message : error}`);
    return Number.POSITIVE_INFINITY;
  }
  return performance.now() - started;
}

/** Milliseconds until a row of lone events are answered as before the load. */
async function untilNormal({ address }: BenchService, apiKey: string, beforeMs: number): Promise<number> {
  const started = performance.now();
  let normalSince = started;
  for (let row = 0; row < NORMAL_IN_A_ROW; await sleep(LONE_EVERY_MS)) {
    if (row === 0) normalSince = performance.now();
    row = (await loneEvent({ address, apiKey })) <= NORMAL * beforeMs ? row + 1 : 0;
  }
  return normalSince - started;
}

for (const name of ENGINES) {
  const engine = await startEngine(name);
  if (engine === null) continue;
  try {
    await overload(engine.name, await startBenchService(engine.env));
  } finally {
    await engine.stop();
  }
}
