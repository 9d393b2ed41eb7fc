import { ask } from './ask.ts';
import { residentMb } from './proc.ts';
import { BENCH_USERS, printThreadMemory, startBenchService } from './service.ts';

/** Memory over 5 million events: resident size of the service while it stores and projects them. */
const EVENTS = Number(process.env['EVENTS'] ?? 5_000_000);
const BATCH = 1000;
const SENDERS = 4;
const SAMPLES = 20;

const service = await startBenchService();
const pid = service.process.pid!;
const events = Array.from({ length: BATCH }, (_, i) => ({
  event: `event_${i % 20}`,
  user_id: BENCH_USERS[i % BENCH_USERS.length]!,
  value_num: i,
}));
let sent = 0;
let nextSample = EVENTS / SAMPLES;
const samples: { events: number; mb: number }[] = [];
await Promise.all(
  Array.from({ length: SENDERS }, async () => {
    while (sent < EVENTS) {
      sent += BATCH;
      await ask(service, '/v1/send-event', events);
      if (sent >= nextSample) {
        nextSample += EVENTS / SAMPLES;
        samples.push({ events: sent, mb: await residentMb(pid) });
        console.log(`${sent} events: ${samples.at(-1)!.mb.toFixed(0)} MB`);
      }
    }
  }),
);
const first = Math.max(...samples.slice(0, samples.length / 2).map(({ mb }) => mb));
const second = Math.max(...samples.slice(samples.length / 2).map(({ mb }) => mb));
console.log(
  `peak of the first half ${first.toFixed(0)} MB, of the second ${second.toFixed(0)} MB, ratio ${(second / first).toFixed(2)} (flat: near 1)`,
);
await printThreadMemory(service);
await service.stop();
