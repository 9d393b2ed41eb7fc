import { createHash } from 'node:crypto';
import type { Sources } from '../../src/domain/sources.ts';

/** A clock that only `advance` moves, and randomness that is the same in every run. */
export interface TestSources extends Sources {
  advance(ms: number): void;
}

export function testSources(now = Date.UTC(2025, 0, 15, 12), seed = 'seed'): TestSources {
  let drawn = 0;
  const draw = (): Buffer => createHash('sha512').update(`${seed} ${drawn++}`).digest();
  return {
    now: () => now,
    advance: (ms) => {
      now += ms;
    },
    uuid() {
      const hex = draw().toString('hex');
      return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-7${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
    },
    randomBytes(size) {
      const blocks: Buffer[] = [];
      for (let length = 0; length < size; length += 64) blocks.push(draw());
      return Buffer.concat(blocks).subarray(0, size);
    },
  };
}
