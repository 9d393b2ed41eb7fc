import type { Measure, Statistic, UniqueOf } from '../../domain/reports/aggregation.ts';
import { type Chunk, type ColumnName, codedOf, numbersOf, placesOf } from '../../projections/events/packed/chunk.ts';
import type { Arrays } from './arrays.ts';
import { decimalsOf, scaled, statisticOf } from './exact.ts';
import type { Positions } from './positions.ts';
import { atLeast, slots } from './slots.ts';

/** Measures events, line by line (combinations of a breakdown) and bucket by bucket. They come in the order of their dates. */
export interface Tally {
  readonly columns: readonly ColumnName[];
  /** Makes ready for events of a chunk. */
  open(chunk: Chunk): void;
  /** Adds the events at `positions`, from `from` to before `to`, of one bucket; `lines` are theirs, null: all 0. */
  add(bucket: number, positions: Positions, lines: Uint32Array | null, from: number, to: number): void;
  /** What all that was added comes to; holds nothing that the tally keeps of users. */
  values(): ValueOf;
}

/** As decimal text, of a bucket or of all together, which are measured and never added up; null: of nothing. */
export type ValueOf = (line: number, bucket: number | null) => string | null;

export interface TallySize {
  readonly lines: number;
  /** At least 1. */
  readonly buckets: number;
  readonly users: number;
}

/** @param arrays what it keeps of users is taken from */
export function tallyOf(measure: Measure, size: TallySize, arrays: Arrays): Tally {
  switch (measure.type) {
    case 'count':
      return countTally(size);
    case 'uniques':
      return measure.of === 'user' ? uniqueUsersTally(size) : uniqueSessionsTally(measure.of, size);
    case 'per_user':
      return perUserTally(measure, size, arrays);
    case 'property':
      return propertyTally(measure, size);
  }
}

/** Of an entity that slots look up; of sessions a user has one, if not more. */
const LOOKED_UP_BYTES = 48;

/** Bytes that a tally keeps of each user, about. */
export function bytesOfUser(measure: Measure, { lines, buckets }: Pick<TallySize, 'lines' | 'buckets'>): number {
  switch (measure.type) {
    case 'uniques':
      return measure.of === 'user' ? lines * seenType(buckets).BYTES_PER_ELEMENT : LOOKED_UP_BYTES;
    case 'per_user':
      return lines * PAIR * Uint32Array.BYTES_PER_ELEMENT;
    case 'count':
    case 'property':
      return 0;
  }
}

function countTally({ lines, buckets }: TallySize): Tally {
  const counts = new Float64Array(lines * buckets);
  return {
    columns: [],
    open() {},
    add(bucket, _positions, linesAt, from, to) {
      if (linesAt === null) counts[bucket]! += to - from;
      else for (let i = from; i < to; i++) counts[linesAt[i]! * buckets + bucket]! += 1;
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

/** For buckets from 1; 0: never. A byte or, for up to MAX_BUCKETS, two: many fit into the processor's cache together. */
const seenType = (buckets: number) => (buckets < 2 ** 8 ? Uint8Array : Uint16Array);

/** Of each pair of line and entity, the bucket that it was last seen in: events come by date. */
function uniquesTally(
  column: ColumnName,
  entitiesOf: (chunk: Chunk) => Uint32Array | Float64Array,
  { lines, buckets }: TallySize,
  entities?: number,
): Tally {
  const Seen = seenType(buckets);
  const pairs = slots(lines, Seen.BYTES_PER_ELEMENT, entities);
  const counts = new Float64Array(lines * buckets);
  const totals = new Float64Array(lines);
  let lastSeen: Uint8Array | Uint16Array = new Seen(pairs.direct === null ? 1024 : pairs.size);
  let at: Uint32Array | Float64Array = new Uint32Array(0);
  return {
    columns: [column],
    open(chunk) {
      at = entitiesOf(chunk);
    },
    add(bucket, positions, linesAt, from, to) {
      const { direct } = pairs;
      const entitiesAt = at;
      const seenIn = lastSeen;
      if (direct !== null && linesAt === null) {
        let inBucket = 0;
        let inAll = 0;
        for (let i = from; i < to; i++) {
          const entity = entitiesAt[positions[i]!]!;
          const seen = seenIn[entity]!;
          if (seen === bucket + 1) continue;
          seenIn[entity] = bucket + 1;
          inBucket++;
          if (seen === 0) inAll++;
        }
        counts[bucket]! += inBucket;
        totals[0]! += inAll;
        return;
      }
      if (direct !== null && linesAt !== null) {
        for (let i = from; i < to; i++) {
          const line = linesAt[i]!;
          const pair = line * direct + entitiesAt[positions[i]!]!;
          const seen = seenIn[pair]!;
          if (seen === bucket + 1) continue;
          seenIn[pair] = bucket + 1;
          counts[line * buckets + bucket]! += 1;
          if (seen === 0) totals[line]! += 1;
        }
        return;
      }
      for (let i = from; i < to; i++) {
        const entity = at[positions[i]!]!;
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

/** Apart from the tally: a function of its own would hold whatever its functions share. */
function uniquesOf(counts: Float64Array, totals: Float64Array, buckets: number): ValueOf {
  return (line, bucket) => String(bucket === null ? totals[line] : counts[line * buckets + bucket]);
}

function uniqueUsersTally(size: TallySize): Tally {
  return uniquesTally('user_idx', (chunk) => placesOf(chunk, 'user_idx'), size, size.users);
}

function uniqueSessionsTally(of: Exclude<UniqueOf, 'user'>, size: TallySize): Tally {
  return uniquesTally(of, (chunk) => numbersOf(chunk, of), size);
}

/** How many users have at least so many events, by that number. */
class Reached {
  /** V8 holds 64 bytes itself; a little more beside it, of each of a million cells, took 590 MB instead of 380. */
  #users = new Uint32Array(16);

  /** A user has so many now. */
  add(events: number): void {
    if (events >= this.#users.length) this.#users = atLeast(this.#users, events + 1);
    this.#users[events]!++;
  }

  /** Each number of events that users have, and how many have just that. */
  *exactly(): Generator<readonly [number, number]> {
    for (let events = 1; events < this.#users.length; events++) {
      const users = this.#users[events]! - (this.#users[events + 1] ?? 0);
      if (users > 0) yield [events, users];
    }
  }
}

/** Numbers that are kept of a pair of line and user. */
const PAIR = 3;

function perUserTally(
  { statistic }: Extract<Measure, { type: 'per_user' }>,
  { lines, buckets, users }: TallySize,
  arrays: Arrays,
): Tally {
  const pairs = slots(lines, PAIR * Uint32Array.BYTES_PER_ELEMENT, users);
  const inBuckets = new Map<number, Reached>();
  const inAll = Array.from({ length: lines }, () => new Reached());
  /**
   * Of each pair the bucket that it was last seen in, from 1, its events in that, and all its events: beside each other,
   * since pairs come in no order and each place in memory is another wait.
   */
  let seen = pairs.direct === null ? new Uint32Array(PAIR * 1024) : arrays.uint32(PAIR * pairs.size).fill(0);
  let at: Uint32Array = new Uint32Array(0);

  return {
    columns: ['user_idx'],
    open(chunk) {
      at = placesOf(chunk, 'user_idx');
    },
    add(bucket, positions, linesAt, from, to) {
      const usersAt = at;
      if (linesAt === null) {
        const reached = { inBucket: reachedIn(bucket), inAll: inAll[0]! };
        const seenAt = seen;
        for (let i = from; i < to; i++) count(seenAt, usersAt[positions[i]!]!, bucket, reached);
        return;
      }
      for (let i = from; i < to; i++) {
        const line = linesAt[i]!;
        const pair = pairs.of(line, usersAt[positions[i]!]!);
        if (pair * PAIR >= seen.length) seen = atLeast(seen, (pair + 1) * PAIR);
        count(seen, pair, bucket, { inBucket: reachedIn(line * buckets + bucket), inAll: inAll[line]! });
      }
    },
    values() {
      arrays.free(seen);
      return perUserOf(statistic, inAll, { inBuckets, buckets });
    },
  };

  function reachedIn(cell: number): Reached {
    let reached = inBuckets.get(cell);
    if (reached === undefined) {
      reached = new Reached();
      inBuckets.set(cell, reached);
    }
    return reached;
  }
}

/**
 * One more event of a pair. Without a branch on what was seen: guessed wrong as often as it would be, each pair's wait for
 * memory could not overlap the next one's.
 */
function count(
  seen: Uint32Array,
  pair: number,
  bucket: number,
  { inBucket, inAll }: { readonly inBucket: Reached; readonly inAll: Reached },
): void {
  const place = pair * PAIR;
  const other = seen[place]! ^ (bucket + 1);
  const before = seen[place + 1]! & ~((other | -other) >> 31);
  seen[place] = bucket + 1;
  seen[place + 1] = before + 1;
  inBucket.add(before + 1);
  inAll.add(++seen[place + 2]!);
}

/** Apart from the tally, as {@link uniquesOf}. */
function perUserOf(
  statistic: Statistic,
  inAll: readonly Reached[],
  { inBuckets, buckets }: { readonly inBuckets: ReadonlyMap<number, Reached>; readonly buckets: number },
): ValueOf {
  return (line, bucket) => {
    const reached = bucket === null ? inAll[line]! : inBuckets.get(line * buckets + bucket);
    const counted = Array.from(reached?.exactly() ?? [], ([events, users]) => [BigInt(events), users] as const);
    return statisticOf(statistic, counted, 0);
  };
}

function propertyTally(
  { statistic, field }: Extract<Measure, { type: 'property' }>,
  { lines, buckets }: TallySize,
): Tally {
  const column = field === 'events.value_int' ? 'value_int' : 'value_amount';
  /** By cell, how often each value was met, by its number. */
  const cells: Map<number, number>[] = Array.from({ length: lines * buckets });
  const numbers = new Map<string, number>();
  let codes: ArrayLike<number> = [];
  let numberOf = new Int32Array(0);
  return {
    columns: [column],
    open(chunk) {
      const coded = codedOf(chunk, column);
      codes = coded.codes;
      numberOf = Int32Array.from(coded.values, (value) => {
        if (value === null) return -1;
        let number = numbers.get(value as string);
        if (number === undefined) {
          number = numbers.size;
          numbers.set(value as string, number);
        }
        return number;
      });
    },
    add(bucket, positions, linesAt, from, to) {
      for (let i = from; i < to; i++) {
        const number = numberOf[codes[positions[i]!]!]!;
        if (number < 0) continue;
        const cell = (linesAt === null ? 0 : linesAt[i]!) * buckets + bucket;
        let counts = cells[cell];
        if (counts === undefined) {
          counts = new Map();
          cells[cell] = counts;
        }
        counts.set(number, (counts.get(number) ?? 0) + 1);
      }
    },
    values() {
      const { values, ranks, decimals } = rankOf([...numbers.keys()]);
      return (line, bucket) => {
        const own =
          bucket === null
            ? together(cells.slice(line * buckets, (line + 1) * buckets))
            : cells[line * buckets + bucket];
        const sorted = [...(own ?? [])].sort(([a], [b]) => ranks[a]! - ranks[b]!);
        return statisticOf(
          statistic,
          sorted.map(([number, count]) => [values[number]!, count]),
          decimals,
        );
      };
    },
  };
}

/** Values as integers of so many decimals, and how they are ordered. */
interface Ranked {
  readonly values: readonly bigint[];
  readonly ranks: Uint32Array;
  readonly decimals: number;
}

function rankOf(texts: readonly string[]): Ranked {
  const decimals = texts.reduce((most, text) => Math.max(most, decimalsOf(text)), 0);
  const values = texts.map((text) => scaled(text, decimals));
  const order = values
    .map((_, i) => i)
    .sort((a, b) => (values[a]! < values[b]! ? -1 : values[a]! > values[b]! ? 1 : 0));
  const ranks = new Uint32Array(order.length);
  for (const [rank, i] of order.entries()) ranks[i] = rank;
  return { values, ranks, decimals };
}

function together(cells: readonly (ReadonlyMap<number, number> | undefined)[]): Map<number, number> {
  const all = new Map<number, number>();
  for (const cell of cells) for (const [number, count] of cell ?? []) all.set(number, (all.get(number) ?? 0) + count);
  return all;
}
