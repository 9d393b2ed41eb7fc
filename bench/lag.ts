import pg from 'pg';
import { keepBusy } from './busy.ts';
import { quantile } from './quantile.ts';
import { BENCH_USERS, projected, startBenchService } from './service.ts';

/**
 * Lag: the time from the answer to send-event until a reader that polls finds the event in the read model. Each sample is
 * one marked event. Sends a steady 2,000 events/s; with SENDERS=16, 16 clients each send their next batch, of BATCH events,
 * at the answer to the last one. With BUSY=2, two unrelated processes take all processor time they get.
 */
const EVENTS_PER_SECOND = 2000;
const SENDERS = Number(process.env['SENDERS'] ?? 0);
const BATCH = SENDERS === 0 ? 20 : Number(process.env['BATCH'] ?? 100);
/** One event in this many batches is marked. */
const MARKED = SENDERS === 0 ? 5 : 20;
const SECONDS = Number(process.env['SECONDS'] ?? 30);
const POLL_MS = 2;

const service = await startBenchService();
const pool = new pg.Pool({ connectionString: service.databaseUrl, max: 2 });
const lags: number[] = [];
const answers: number[] = [];
const waiting = new Map<string, number>();
const stop = new AbortController();

async function watch(): Promise<void> {
  while (!stop.signal.aborted) {
    if (waiting.size > 0) {
      const { rows } = await pool.query<{ value_str: string }>({
        name: 'watch',
        text: 'SELECT value_str FROM events_v1.events WHERE bot_id = 1 AND date > $2 AND value_str = ANY ($1)',
        values: [[...waiting.keys()], Date.now() - 60_000],
      });
      const now = performance.now();
      for (const { value_str } of rows) {
        lags.push(now - waiting.get(value_str)!);
        waiting.delete(value_str);
      }
    }
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
}

async function send(mark: string | null): Promise<void> {
  const events = Array.from({ length: BATCH }, (_, i) => ({
    event: `event_${i}`,
    user_id: BENCH_USERS[i % BENCH_USERS.length]!,
    ...(i === 0 && mark !== null ? { value_str: mark } : {}),
  }));
  const asked = performance.now();
  const response = await fetch(`${service.address}/v1/send-event`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'api-key': service.apiKey },
    body: JSON.stringify(events),
  });
  if (!response.ok) throw new Error(`send-event answered ${response.status}`);
  answers.push(performance.now() - asked);
  if (mark !== null) waiting.set(mark, performance.now());
}

// After this the tables of the read models exist.
await projected(service);
const idle = keepBusy();
const watching = watch();
const started = performance.now();
let sent = 0;
const sendNext = (): Promise<void> => send(sent++ % MARKED === 0 ? `mark-${sent}` : null);
if (SENDERS === 0) await sendSteadily();
else await Promise.all(Array.from({ length: SENDERS }, sendUntilTheEnd));
const answered = performance.now();
while (waiting.size > 0) await new Promise((resolve) => setTimeout(resolve, 10));
const caughtUpMs = performance.now() - answered;
stop.abort();
await watching;
idle();
await pool.end();
await service.stop();

async function sendSteadily(): Promise<void> {
  const interval = 1000 / (EVENTS_PER_SECOND / BATCH);
  const sends: Promise<void>[] = [];
  while (sends.length < (SECONDS * EVENTS_PER_SECOND) / BATCH) {
    const wait = started + sends.length * interval - performance.now();
    if (wait > 0) await new Promise((resolve) => setTimeout(resolve, wait));
    sends.push(sendNext());
  }
  await Promise.all(sends);
}

async function sendUntilTheEnd(): Promise<void> {
  while (performance.now() - started < SECONDS * 1000) await sendNext();
}

const rate = (sent * BATCH) / ((answered - started) / 1000);
const ms = (values: readonly number[], share: number): string => quantile(values, share).toFixed(0);
console.log(
  `${rate.toFixed(0)} events/s for ${SECONDS} s, answered in p50 ${ms(answers, 0.5)} ms, p99 ${ms(answers, 0.99)} ms; ${lags.length} samples`,
);
console.log(
  `lag from the answer to the read model: p50 ${ms(lags, 0.5)} ms, p99 ${ms(lags, 0.99)} ms, max ${ms(lags, 1)} ms (target p99 300)`,
);
console.log(`the read model had all of them ${caughtUpMs.toFixed(0)} ms after the last answer`);
