import { postLoad } from './load.ts';
import { median } from './quantile.ts';
import { BENCH_USERS, startBenchService } from './service.ts';

/** Intake's rate with and without PROOF, in turn: a busy machine slows both alike. */

const ROUNDS = Number(process.env['ROUNDS'] ?? 8);
const SECONDS = Number(process.env['SECONDS'] ?? 5);
const CONNECTIONS = 100;
const bodies = BENCH_USERS.slice(0, 10).map((user_id) =>
  JSON.stringify({ event: 'order_paid', user_id, value_num: 1999, unit: 'USD' }),
);

const names = ['off', 'on'] as const;
const services = await Promise.all(names.map((PROOF) => startBenchService({ PROOF, CHECKPOINT_SECONDS: '10' })));
const rates: Record<(typeof names)[number], number[]> = { off: [], on: [] };
try {
  for (let round = 0; round <= ROUNDS; round++) {
    // Each is first in every second round: the follower of the other one may still work.
    for (const name of round % 2 === 0 ? names : names.toReversed()) {
      const { address, apiKey } = services[names.indexOf(name)]!;
      const seconds = round === 0 ? 2 : SECONDS;
      const { requestsPerSecond } = await postLoad({ address, apiKey, bodies, seconds, connections: CONNECTIONS });
      if (round > 0) rates[name].push(requestsPerSecond);
    }
    if (round === 0) continue; // warm-up
    console.log(`round ${round}: PROOF=off ${rates.off.at(-1)!.toFixed(0)}/s, on ${rates.on.at(-1)!.toFixed(0)}/s`);
  }
} finally {
  for (const service of services) await service.stop();
}
const ratios = rates.on.map((rate, i) => rate / rates.off[i]!);
console.log(`intake: ${median(rates.off).toFixed(0)}/s without, ${median(rates.on).toFixed(0)}/s with proofs`);
console.log(
  `ratio: median ${median(ratios).toFixed(3)}, from ${Math.min(...ratios).toFixed(3)} to ${Math.max(...ratios).toFixed(3)}`,
);
