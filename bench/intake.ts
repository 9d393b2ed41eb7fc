import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { postLoad } from './load.ts';
import { median } from './quantile.ts';
import { BENCH_USERS, listening, startBenchService } from './service.ts';

/** Intake: one event a request, durable before the answer. The floor is the same Fastify with a route that does nothing. */
const ROUNDS = Number(process.env['ROUNDS'] ?? 5);
const SECONDS = Number(process.env['SECONDS'] ?? 5);
const CONNECTIONS = 100;
/** Few, since the client prepares all of them for each connection. */
const bodies = BENCH_USERS.slice(0, 10).map((user_id) =>
  JSON.stringify({ event: 'order_paid', user_id, value_num: 1999, unit: 'USD', category: 'books' }),
);

const noop = spawn(process.execPath, ['--import', 'tsx', join(import.meta.dirname, 'noop-server.ts')], {
  stdio: ['ignore', 'pipe', 'inherit'],
});
const floorAddress = await listening(noop);
const service = await startBenchService({ ROLE: process.env['BENCH_ROLE'] ?? 'all' });
const floors: number[] = [];
const ours: number[] = [];
try {
  for (let round = 0; round <= ROUNDS; round++) {
    const load = { apiKey: service.apiKey, bodies, seconds: round === 0 ? 2 : SECONDS, connections: CONNECTIONS };
    const floor = await postLoad({ ...load, address: floorAddress });
    const own = await postLoad({ ...load, address: service.address });
    if (round === 0) continue; // warm-up
    floors.push(floor.requestsPerSecond);
    ours.push(own.requestsPerSecond);
    console.log(
      `round ${round}: floor ${floor.requestsPerSecond.toFixed(0)}/s, intake ${own.requestsPerSecond.toFixed(0)}/s, p50 ${own.p50} ms, p99 ${own.p99} ms`,
    );
  }
} finally {
  noop.kill();
  await service.stop();
}
const ratios = ours.map((own, i) => own / floors[i]!);
console.log(`floor: no-op route ${median(floors).toFixed(0)} requests/s`);
console.log(`intake, single: ${median(ours).toFixed(0)} events/s, ratio ${median(ratios).toFixed(2)} (target 0.25)`);
