import { loadavg } from 'node:os';
import type { z } from 'zod';
import type { balanceAnswer } from '../src/api/referral/account-schemas.ts';
import { ENGINE_NAMES } from '../src/log/engines.ts';
import { operate } from '../test/support/operate.ts';
import { ask, botOf, eventIdOf } from './ask.ts';
import { type BenchEngine, startEngine } from './engine.ts';
import { quantile } from './quantile.ts';
import { meeting, startBenchService } from './service.ts';

/**
 * How long `mark-referral` and `payout` take over HTTP, one after the other and concurrently, on each engine of the log
 * that can run here. Each payout is of one accrual of another referrer, so that none is refused.
 *
 *   MARKS=300 PAYOUTS=300 AT_ONCE=16 ENGINES=postgres,kafka,eventstoredb npx tsx bench/payouts.ts
 */

const MARKS = Number(process.env['MARKS'] ?? 300);
const PAYOUTS = Number(process.env['PAYOUTS'] ?? 300);
const AT_ONCE = Number(process.env['AT_ONCE'] ?? 16);
const ENGINES = process.env['ENGINES']?.split(',') ?? ENGINE_NAMES;
const PATIENCE_MS = 120_000;

for (const name of ENGINES) {
  const engine = await startEngine(name);
  if (engine === null) continue;
  try {
    await measure(engine);
  } finally {
    await engine.stop();
  }
}

async function measure({ name, env }: BenchEngine): Promise<void> {
  const service = await startBenchService(env);
  try {
    const referrer = (index: number): number => 1_000_000 + index;
    const referral = (index: number): number => 2_000_000 + index;
    const every = Array.from({ length: PAYOUTS }, (_, index) => referral(index));
    const pair = (index: number) => ({ referral_user_id: referral(index), referrer_user_id: referrer(index) });
    const mark = (index: number): Promise<unknown> => ask(service, '/v1/referral/mark-referral', pair(index));
    // Waits until the read model is built.
    await mark(-1);
    await timed(name, 'mark-referral', MARKS, mark);
    for (let index = 2 * MARKS; index < PAYOUTS; index++) await mark(index);

    await ask(
      service,
      '/v1/send-batch-update',
      every.map((id) => meeting(id)),
    );
    await ask(service, '/v1/send-event', { user_id: referral(0), event: 'Bench' });
    const trigger = await eventually(() => eventIdOf(service, 'Bench'));
    const bot = await botOf(service);
    const rule = `rule create --bot ${bot} --name Bench --type fixed --amount 5 --trigger-event-id ${trigger}`;
    await operate(service.env, rule.split(' '));
    await ask(
      service,
      '/v1/send-event',
      every.map((user_id) => ({ user_id, event: 'Bench' })),
    );
    for (const [index] of every.entries())
      await eventually(async () => {
        const path = `/v1/referral/balance?user_id=${referrer(index)}`;
        return (await ask<z.infer<typeof balanceAnswer>>(service, path)).data.balance[0];
      });
    await timed(name, 'payout', Math.floor(PAYOUTS / 2), (index) =>
      ask(service, '/v1/referral/payout', { user_id: referrer(index), method: 'manual' }),
    );
  } finally {
    await service.stop();
  }
}

/** Repeats `look` until it returns a value. @throws after {@link PATIENCE_MS} */
async function eventually<T>(look: () => Promise<T | undefined>): Promise<T> {
  for (const deadline = performance.now() + PATIENCE_MS; performance.now() < deadline; ) {
    const found = await look();
    if (found !== undefined) return found;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error('no value within the time limit');
}

/** Times `count` calls one after the other, and the next `count` calls {@link AT_ONCE} at once. */
async function timed(
  engine: string,
  what: string,
  times: number,
  work: (index: number) => Promise<unknown>,
): Promise<void> {
  for (const atOnce of [1, AT_ONCE]) {
    const took: number[] = [];
    let next = atOnce === 1 ? 0 : times;
    const end = next + times;
    const worker = async (): Promise<void> => {
      while (next < end) {
        const started = performance.now();
        await work(next++);
        took.push(performance.now() - started);
      }
    };
    const began = performance.now();
    await Promise.all(Array.from({ length: atOnce }, worker));
    const rate = Math.round((times * 1000) / (performance.now() - began));
    const at = (share: number): string => quantile(took, share).toFixed(1);
    const load = loadavg()[0]!.toFixed(1);
    console.log(
      `${engine}: ${what}, ${atOnce} at once: p50 ${at(0.5)} ms, p99 ${at(0.99)} ms, ${rate} a second (load ${load})`,
    );
  }
}
