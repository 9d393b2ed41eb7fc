import type { Statistic } from '../../domain/reports/report.ts';
import { type ArrayPool, atLeast } from '../array-pool.ts';
import { indexesOf } from '../chunk.ts';
import { pairIndex } from './pair-index.ts';
import { statisticOf } from './statistics.ts';
import type { Tally, TallySize, ValueOf } from './tally.ts';

/** Numbers kept for each pair of line and user. */
const NUMBERS_OF_PAIR = 3;
export const bytesOfPair = NUMBERS_OF_PAIR * Uint32Array.BYTES_PER_ELEMENT;

/** A statistic of the numbers of events that users have: of each bucket, and of the whole period. */
export function perUserTally(statistic: Statistic, { lines, buckets, users }: TallySize, arrays: ArrayPool): Tally {
  const pairs = pairIndex(lines, bytesOfPair, users);
  const inBuckets = new Map<number, UsersByCount>();
  const inAll = Array.from({ length: lines }, () => new UsersByCount());
  /**
   * For each pair: the last bucket in which it occurred, plus 1; its events in that bucket; all its events. The three are
   * next to each other, because pairs come in no order and each place in memory costs another cache miss.
   */
  let state: Uint32Array =
    pairs.entities === null ? new Uint32Array(NUMBERS_OF_PAIR * 1024) : zeros(NUMBERS_OF_PAIR * pairs.size);
  let usersAt: Uint32Array = new Uint32Array(0);

  return {
    columns: ['user_idx'],
    open(chunk) {
      usersAt = indexesOf(chunk, 'user_idx');
    },
    add(bucket, positions, linesAt, from, to) {
      const userAt = usersAt;
      if (linesAt === null) {
        const users = { inBucket: usersIn(bucket), inAll: inAll[0]! };
        const stateNow = state;
        for (let i = from; i < to; i++) addEvent(stateNow, userAt[positions[i]!]!, bucket, users);
        return;
      }
      for (let i = from; i < to; i++) {
        const line = linesAt[i]!;
        const pair = pairs.of(line, userAt[positions[i]!]!);
        if (pair * NUMBERS_OF_PAIR >= state.length) state = atLeast(state, (pair + 1) * NUMBERS_OF_PAIR);
        addEvent(state, pair, bucket, { inBucket: usersIn(line * buckets + bucket), inAll: inAll[line]! });
      }
    },
    values() {
      arrays.free(state);
      return perUserOf(statistic, inAll, { inBuckets, buckets });
    },
  };

  function zeros(length: number): Uint32Array {
    return arrays.uint32(length).fill(0);
  }

  function usersIn(cell: number): UsersByCount {
    let users = inBuckets.get(cell);
    if (users === undefined) {
      users = new UsersByCount();
      inBuckets.set(cell, users);
    }
    return users;
  }
}

/** For each number n of events: how many users have at least n. */
class UsersByCount {
  /**
   * V8 stores up to 64 bytes inside the array's own object. A slightly larger array, for each of a million cells, took
   * 590 MB instead of 380 MB.
   */
  #users = new Uint32Array(16);

  /** Notes that a user's number of events has become `events`. */
  add(events: number): void {
    if (events >= this.#users.length) this.#users = atLeast(this.#users, events + 1);
    this.#users[events]!++;
  }

  /** Each number of events that users have, ascending, and how many users have exactly that number. */
  *exactly(): Generator<readonly [number, number]> {
    for (let events = 1; events < this.#users.length; events++) {
      const users = this.#users[events]! - (this.#users[events + 1] ?? 0);
      if (users > 0) yield [events, users];
    }
  }
}

/**
 * Adds an event of a pair. The code has no branch on the last bucket: such a branch is mispredicted often, and then the
 * cache miss of one pair cannot overlap with the next one.
 */
function addEvent(
  state: Uint32Array,
  pair: number,
  bucket: number,
  { inBucket, inAll }: { readonly inBucket: UsersByCount; readonly inAll: UsersByCount },
): void {
  const at = pair * NUMBERS_OF_PAIR;
  const other = state[at]! ^ (bucket + 1);
  const before = state[at + 1]! & ~((other | -other) >> 31);
  state[at] = bucket + 1;
  state[at + 1] = before + 1;
  inBucket.add(before + 1);
  inAll.add(++state[at + 2]!);
}

/** A function outside of the tally: a closure inside it would keep the tally's state in memory. */
function perUserOf(
  statistic: Statistic,
  inAll: readonly UsersByCount[],
  { inBuckets, buckets }: { readonly inBuckets: ReadonlyMap<number, UsersByCount>; readonly buckets: number },
): ValueOf {
  return (line, bucket) => {
    const users = bucket === null ? inAll[line]! : inBuckets.get(line * buckets + bucket);
    const counted = Array.from(users?.exactly() ?? [], ([events, count]) => [BigInt(events), count] as const);
    return statisticOf(statistic, counted, 0);
  };
}
