import { randomBytes, randomFillSync } from 'node:crypto';
import { v7 } from 'uuid';
import type { Sources } from '../domain/sources.ts';

/** Random bytes for 256 ids, drawn at once, since a call for each id costs more than the rest of making the id. */
const POOL = new Uint8Array(16 * 256);
let used = POOL.length;

function uuid(): string {
  if (used === POOL.length) {
    randomFillSync(POOL);
    used = 0;
  }
  used += 16;
  return v7({ random: POOL.subarray(used - 16, used) });
}

/** The real clock and the real randomness. Only composition roots import it. */
export const systemSources: Sources = { now: Date.now, uuid, randomBytes: (size) => randomBytes(size) };
