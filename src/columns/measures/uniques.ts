import type { UniqueOf } from '../../domain/reports/report.ts';
import { atLeast } from '../array-pool.ts';
import { type Chunk, indexesOf, numbersOf } from '../chunk.ts';
import { pairIndex } from './pair-index.ts';
import type { Tally, TallySize, ValueOf } from './tally.ts';

/** A session takes an entry of the hash table, and a user has about one session or more. */
const LOOKED_UP_BYTES = 48;

/** Approximate bytes of state for each user. */
export function bytesOfUser(of: UniqueOf, { lines, buckets }: Pick<TallySize, 'lines' | 'buckets'>): number {
  return of === 'user' ? lines * seenType(buckets).BYTES_PER_ELEMENT : LOOKED_UP_BYTES;
}

/**
 * The array type for a bucket plus 1; 0: none. One byte, or two for up to MAX_BUCKETS buckets: a smaller type lets more
 * of the array fit into the processor's cache.
 */
const seenType = (buckets: number) => (buckets < 2 ** 8 ? Uint8Array : Uint16Array);

/**
 * Counts distinct entities (users or sessions). Events come in the order of their dates, so one number for each pair of
 * line and entity is enough: the last bucket in which the pair occurred.
 */
export function uniquesTally(of: UniqueOf, { lines, buckets, users }: TallySize): Tally {
  const column = of === 'user' ? 'user_idx' : of;
  const Seen = seenType(buckets);
  const pairs = pairIndex(lines, Seen.BYTES_PER_ELEMENT, of === 'user' ? users : undefined);
  const counts = new Float64Array(lines * buckets);
  const totals = new Float64Array(lines);
  let lastSeen: Uint8Array | Uint16Array = new Seen(pairs.entities === null ? 1024 : pairs.size);
  let entitiesAt: Uint32Array | Float64Array = new Uint32Array(0);
  return {
    columns: [column],
    open(chunk) {
      entitiesAt = entitiesOf(chunk, of);
    },
    add(bucket, positions, linesAt, from, to) {
      const { entities } = pairs;
      const entityAt = entitiesAt;
      const seenIn = lastSeen;
      const mark = bucket + 1;
      // Three loops, because one for all cases is slower (README.md): users, users by line, and pairs in the hash
      // table. The first two have no branch on the last bucket: it would be mispredicted often.
      if (entities !== null && linesAt === null) {
        let inBucket = 0;
        let inAll = 0;
        for (let i = from; i < to; i++) {
          const entity = entityAt[positions[i]!]!;
          const seen = seenIn[entity]!;
          seenIn[entity] = mark;
          inBucket += Number(seen !== mark);
          inAll += Number(seen === 0);
        }
        counts[bucket]! += inBucket;
        totals[0]! += inAll;
        return;
      }
      if (entities !== null && linesAt !== null) {
        for (let i = from; i < to; i++) {
          const line = linesAt[i]!;
          const pair = line * entities + entityAt[positions[i]!]!;
          const seen = seenIn[pair]!;
          seenIn[pair] = mark;
          counts[line * buckets + bucket]! += Number(seen !== mark);
          totals[line]! += Number(seen === 0);
        }
        return;
      }
      for (let i = from; i < to; i++) {
        const entity = entityAt[positions[i]!]!;
        if (Number.isNaN(entity)) continue;
        const line = linesAt === null ? 0 : linesAt[i]!;
        const pair = pairs.of(line, entity);
        if (pair >= lastSeen.length) lastSeen = atLeast(lastSeen, pair + 1);
        const seen = lastSeen[pair]!;
        if (seen === bucket + 1) continue;
        lastSeen[pair] = bucket + 1;
        counts[line * buckets + bucket]! += 1;
        if (seen === 0) totals[line]! += 1;
      }
    },
    values: () => uniquesOf(counts, totals, buckets),
  };
}

/** By position; NaN: the event has none. */
function entitiesOf(chunk: Chunk, of: UniqueOf): Uint32Array | Float64Array {
  return of === 'user' ? indexesOf(chunk, 'user_idx') : numbersOf(chunk, of);
}

/** A function outside of the tally: a closure inside it would keep the tally's arrays of users in memory. */
function uniquesOf(counts: Float64Array, totals: Float64Array, buckets: number): ValueOf {
  return (line, bucket) => String(bucket === null ? totals[line] : counts[line * buckets + bucket]);
}
