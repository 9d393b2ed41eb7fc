import type { ArrayPool } from './array-pool.ts';
import type { Positions } from './positions.ts';

/** Users by their indexes among the bot's users: from `from` to before `to`. */
export interface UserRange {
  readonly from: number;
  readonly to: number;
}

export interface UserBinsOptions {
  readonly arrays: ArrayPool;
  readonly users: UserRange;
  /** A power of two, small enough that the processor's cache holds the counters of a bin's users during its sort. */
  readonly usersPerBin: number;
  /** Whether dates are kept. */
  readonly dated: boolean;
  /** Whether numbers of combinations are kept. */
  readonly brokenDown: boolean;
}

/** Events of a chunk; the columns are indexed by position. */
interface EventBatch {
  readonly positions: Positions;
  /** Indexes of users. */
  readonly users: Uint32Array;
  /** Empty if dates are not kept. */
  readonly dates: Float64Array;
  /** One mark for all events, or the marks by position. */
  readonly mark: number | Uint32Array;
  /** Numbers of combinations by index in `positions`; empty without a breakdown. */
  readonly combinations: Uint32Array;
}

/** Events of neighbouring users, sorted by user; the events of one user stay in the order in which they were added. */
export interface SortedBin {
  /** By user: the index after the user's last event. */
  readonly ends: Uint32Array;
  /** Empty if dates are not kept. */
  readonly dates: Float64Array;
  readonly marks: Uint32Array;
  /** Empty without a breakdown. */
  readonly combinations: Uint32Array;
}

/** Events in the order in which they were added, at most {@link BLOCK_EVENTS}. */
interface Block extends Omit<SortedBin, 'ends'> {
  /** By event, the user's index within the bin. */
  readonly users: Uint32Array;
}

/** The events of neighbouring users. All blocks but the last are full. */
interface Bin {
  readonly blocks: Block[];
  last: Block;
  /** Events in the last block. */
  size: number;
}

/** All blocks have one size: events are never moved to a larger array, and the pool can reuse each block. */
const BLOCK_EVENTS = 2 ** 12;
export const NO_NUMBERS = new Uint32Array(0);
export const NO_DATES = new Float64Array(0);
const NO_BLOCK: Block = { users: NO_NUMBERS, dates: NO_DATES, marks: NO_NUMBERS, combinations: NO_NUMBERS };

/** Sorts events by user: first distributes them to bins of neighbouring users, then sorts each bin by a counting sort. */
export class UserBins {
  readonly #options: UserBinsOptions;
  readonly #bins: Bin[];

  constructor(options: UserBinsOptions) {
    this.#options = options;
    const { users, usersPerBin } = options;
    const count = Math.ceil((users.to - users.from) / usersPerBin);
    this.#bins = Array.from({ length: count }, () => ({ blocks: [], last: NO_BLOCK, size: BLOCK_EVENTS }));
  }

  /** Adds events, all of users of the range. Reading the fields before the loop, not in it, saves a quarter of the time. */
  add({ positions, users, dates, mark, combinations }: EventBatch): void {
    const { usersPerBin, dated, brokenDown } = this.#options;
    const bins = this.#bins;
    const { from } = this.#options.users;
    const [binShift, userMask] = [Math.log2(usersPerBin), usersPerBin - 1];
    const [oneMark, marks] = typeof mark === 'number' ? [mark, null] : [0, mark];
    for (let i = 0; i < positions.length; i++) {
      const at = positions[i]!;
      const user = users[at]! - from;
      const bin = bins[user >>> binShift]!;
      if (bin.size === BLOCK_EVENTS) this.#addBlock(bin);
      const { last } = bin;
      const slot = bin.size++;
      last.users[slot] = user & userMask;
      last.marks[slot] = marks === null ? oneMark : marks[at]!;
      if (dated) last.dates[slot] = dates[at]!;
      if (brokenDown) last.combinations[slot] = combinations[i]!;
    }
  }

  /** Adds each user's number of events to `counts`, indexed by user within the range. */
  count(counts: Uint32Array): void {
    for (const [index, bin] of this.#bins.entries())
      for (const { users, size } of blocksOf(bin))
        for (let i = 0; i < size; i++) counts[index * this.#options.usersPerBin + users[i]!]!++;
  }

  /** Returns the bins in the order of their users, and drops all events. */
  sort(): SortedBin[] {
    const { users, usersPerBin } = this.#options;
    const sorted = this.#bins.map((bin, index) => {
      const one = this.#sortBin(bin, Math.min(usersPerBin, users.to - users.from - index * usersPerBin));
      this.#freeBin(bin);
      return one;
    });
    this.#bins.length = 0;
    return sorted;
  }

  free(): void {
    for (const bin of this.#bins.splice(0)) this.#freeBin(bin);
  }

  /** Moves each event once, next to the others of its user, so that a fold reads the arrays from front to back. */
  #sortBin(bin: Bin, userCount: number): SortedBin {
    const { arrays, dated, brokenDown } = this.#options;
    /** By user: the number of events, then where they begin, and after the loop that moves them, where they end. */
    const ends = arrays.uint32(userCount).fill(0);
    let total = 0;
    for (const { users, size } of blocksOf(bin)) for (let i = 0; i < size; i++) ends[users[i]!]!++;
    for (let user = 0; user < userCount; user++) {
      const count = ends[user]!;
      ends[user] = total;
      total += count;
    }
    const datesInto = dated ? arrays.float64(total) : NO_DATES;
    const marksInto = arrays.uint32(total);
    const combinationsInto = brokenDown ? arrays.uint32(total) : NO_NUMBERS;
    for (const { users, dates, marks, combinations, size } of blocksOf(bin))
      for (let i = 0; i < size; i++) {
        const to = ends[users[i]!]!++;
        marksInto[to] = marks[i]!;
        if (dated) datesInto[to] = dates[i]!;
        if (brokenDown) combinationsInto[to] = combinations[i]!;
      }
    return { ends, dates: datesInto, marks: marksInto, combinations: combinationsInto };
  }

  #addBlock(bin: Bin): void {
    const { arrays, dated, brokenDown } = this.#options;
    bin.last = {
      users: arrays.uint32(BLOCK_EVENTS),
      dates: dated ? arrays.float64(BLOCK_EVENTS) : NO_DATES,
      marks: arrays.uint32(BLOCK_EVENTS),
      combinations: brokenDown ? arrays.uint32(BLOCK_EVENTS) : NO_NUMBERS,
    };
    bin.blocks.push(bin.last);
    bin.size = 0;
  }

  #freeBin({ blocks }: Bin): void {
    for (const { users, dates, marks, combinations } of blocks)
      for (const array of [users, dates, marks, combinations]) this.#options.arrays.free(array);
  }
}

function blocksOf({ blocks, last, size }: Bin): (Block & { readonly size: number })[] {
  return blocks.map((block) => ({ ...block, size: block === last ? size : BLOCK_EVENTS }));
}
