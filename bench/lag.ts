import pg from 'pg';
import { quantile } from './quantile.ts';
import { BENCH_USERS, startBenchService } from './service.ts';

/**
 * Lag at a steady 2,000 events/s: how long after the answer to send-event the event stands in the read model, seen by
 * a reader that polls it. Each sample is one marked event.
 */
const EVENTS_PER_SECOND = 2000;
const BATCH = 20;
const SECONDS = Number(process.env['SECONDS'] ?? 30);
const POLL_MS = 2;

const service = await startBenchService();
const pool = new pg.Pool({ connectionString: service.databaseUrl, max: 2 });
const lags: number[] = [];
const waiting = new Map<string, number>();
const stop = new AbortController();

async function watch(): Promise<void> {
  while (!stop.signal.aborted) {
    if (waiting.size > 0) {
      const { rows } = await pool.query<{ value_str: string }>({
        name: 'watch',
        text: 'SELECT value_str FROM events_v1.events WHERE bot_id = 1 AND date > $2 AND value_str = ANY ($1)',
        values: [[...waiting.keys()], Date.now() - 5000],
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
  const response = await fetch(`${service.address}/v1/send-event`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'api-key': service.apiKey },
    body: JSON.stringify(events),
  });
  if (!response.ok) throw new Error(`send-event answered ${response.status}`);
  if (mark !== null) waiting.set(mark, performance.now());
}

const watching = watch();
const interval = 1000 / (EVENTS_PER_SECOND / BATCH);
const started = performance.now();
const sends: Promise<void>[] = [];
const total = (SECONDS * EVENTS_PER_SECOND) / BATCH;
for (let i = 0; i < total; i++) {
  const due = started + i * interval;
  const wait = due - performance.now();
  if (wait > 0) await new Promise((resolve) => setTimeout(resolve, wait));
  sends.push(send(i % 5 === 0 ? `mark-${i}` : null));
}
await Promise.all(sends);
const rate = (total * BATCH) / ((performance.now() - started) / 1000);
while (waiting.size > 0) await new Promise((resolve) => setTimeout(resolve, 10));
stop.abort();
await watching;
await pool.end();
await service.stop();

const at = (share: number): string => quantile(lags, share).toFixed(0);
console.log(`${rate.toFixed(0)} events/s for ${SECONDS} s, ${lags.length} samples`);
console.log(
  `lag from the answer to the read model: p50 ${at(0.5)} ms, p99 ${at(0.99)} ms, max ${at(1)} ms (target p99 300)`,
);
