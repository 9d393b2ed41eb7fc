import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ask, botOf } from './ask.ts';
import { command } from './command.ts';
import { BENCH_USERS, projected, startBenchService } from './service.ts';

/**
 * Exports all events with `botledger export` while a service runs: rate, and the peak memory of the command, with one
 * number of events and with ten times as many. EVENTS: the larger number.
 */
const EVENTS = Number(process.env['EVENTS'] ?? 1_000_000);
const BATCH = 1000;
const SENDERS = 4;
const FORMATS = ['ndjson', 'csv', 'parquet'] as const;

const service = await startBenchService();
const bot = await botOf(service);
const folder = await mkdtemp(join(tmpdir(), 'botledger-export-'));
const START = Date.now() - 24 * 60 * 60 * 1000;
let sent = 0;

function event(n: number) {
  return {
    event: `event_${n % 20}`,
    user_id: BENCH_USERS[n % BENCH_USERS.length]!,
    date: new Date(START + Math.floor((n * 20 * 60 * 60 * 1000) / EVENTS)).toISOString(),
    value_num: n / 100,
    category: `category ${n % 50}`,
    properties: { plan: n % 3 === 0 ? 'pro' : 'free', items: n % 7 },
  };
}

async function fillTo(events: number): Promise<void> {
  const next = async (): Promise<void> => {
    while (sent < events) {
      const from = sent;
      sent += BATCH;
      await ask(
        service,
        '/v1/send-event',
        Array.from({ length: BATCH }, (_, i) => event(from + i)),
      );
    }
  };
  await Promise.all(Array.from({ length: SENDERS }, next));
  await projected(service);
}

async function measure(events: number): Promise<Map<string, number>> {
  const peaks = new Map<string, number>();
  for (const format of FORMATS) {
    const file = join(folder, `events.${format}`);
    let peak = 0;
    const began = performance.now();
    const argv = ['export', 'events', '--bot', bot, '--format', format, '--output', file];
    await command(service, argv, (mb) => {
      peak = Math.max(peak, mb);
    });
    const seconds = (performance.now() - began) / 1000;
    const { size } = await stat(file);
    peaks.set(format, peak);
    console.log(
      `${events} events, ${format}: ${seconds.toFixed(1)} s, ${Math.round(events / seconds)} events/s, ` +
        `${(size / events).toFixed(0)} bytes an event, peak ${peak.toFixed(0)} MB`,
    );
  }
  return peaks;
}

try {
  await fillTo(EVENTS / 10);
  const few = await measure(EVENTS / 10);
  await fillTo(EVENTS);
  const many = await measure(EVENTS);
  for (const format of FORMATS)
    console.log(
      `${format}: peak memory of ten times the events ${(many.get(format)! / few.get(format)!).toFixed(2)} (flat: near 1)`,
    );
} finally {
  await rm(folder, { recursive: true });
  await service.stop();
}
