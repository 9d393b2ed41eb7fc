import type { Tally, TallySize } from './tally.ts';

export interface CountTally extends Tally {
  addMany(bucket: number, line: number, events: number): void;
}

/** Counts events. */
export function countTally({ lines, buckets }: Pick<TallySize, 'lines' | 'buckets'>): CountTally {
  const counts = new Float64Array(lines * buckets);
  return {
    columns: [],
    open() {},
    add(bucket, _positions, linesAt, from, to) {
      if (linesAt === null) counts[bucket]! += to - from;
      else for (let i = from; i < to; i++) counts[linesAt[i]! * buckets + bucket]! += 1;
    },
    addMany(bucket, line, events) {
      counts[line * buckets + bucket]! += events;
    },
    values: () => (line, bucket) =>
      String(bucket === null ? sum(counts, line * buckets, buckets) : counts[line * buckets + bucket]),
  };
}

function sum(numbers: Float64Array, from: number, count: number): number {
  let total = 0;
  for (let i = from; i < from + count; i++) total += numbers[i]!;
  return total;
}
