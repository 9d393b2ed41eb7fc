import { randomInt } from 'node:crypto';

/** The seed of the moments and victims that crash tests draw. `CRASH_SEED=<number>` draws those of an earlier run. */
const seed = Number(process.env['CRASH_SEED'] ?? randomInt(2 ** 31));
console.log(`CRASH_SEED=${seed}`);

let state = seed;

/** @returns a number from 0 to 1 */
export function random(): number {
  state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
  return state / 2 ** 32;
}
