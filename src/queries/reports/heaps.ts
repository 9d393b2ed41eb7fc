import type { Arrays } from './arrays.ts';
import type { Positions } from './positions.ts';

/** Users by their places. */
export interface Group {
  readonly from: number;
  readonly to: number;
}

export interface HeapOptions {
  readonly arrays: Arrays;
  readonly group: Group;
  /** Users, a power of two, whose events make a heap: so few that the processor's cache holds what it takes to sort it. */
  readonly together: number;
  /** Whether dates are kept. */
  readonly dated: boolean;
  /** Whether combinations are. */
  readonly brokenDown: boolean;
}

/** Events of a chunk, whose columns are by position. */
export interface Arrived {
  readonly positions: Positions;
  readonly users: Uint32Array;
  /** None where they do not matter. */
  readonly dates: Float64Array;
  /** What all are, or by position what each is. */
  readonly mark: number | Uint32Array;
  /** By index in `positions`; none without a breakdown. */
  readonly combinations: Uint32Array;
}

/** Events of neighbouring users, one user's after those of the one before, in the order in which they came. */
export interface Part {
  /** Where each user's end. */
  readonly ends: Uint32Array;
  /** None where they do not matter. */
  readonly dates: Float64Array;
  readonly marks: Uint32Array;
  /** None without a breakdown. */
  readonly combinations: Uint32Array;
}

/** So many events at once, as they came. */
interface Block extends Omit<Part, 'ends'> {
  /** By event, its place among those of the heap. */
  readonly users: Uint32Array;
}

/** Events of neighbours. */
interface Heap {
  readonly blocks: Block[];
  /** The last of them. */
  top: Block;
  /** Events in that. */
  size: number;
}

/** Events of a block: blocks are all of one size, so that none is ever moved and each serves again. */
const BLOCK = 2 ** 12;
export const NONE = new Uint32Array(0);
export const UNDATED = new Float64Array(0);
const NO_BLOCK: Block = { users: NONE, dates: UNDATED, marks: NONE, combinations: NONE };

/** Events of a group of users, thrown onto heaps of neighbours as they come and sorted in the end. */
export class Heaps {
  readonly #options: HeapOptions;
  readonly #heaps: Heap[];

  constructor(options: HeapOptions) {
    this.#options = options;
    const { group, together } = options;
    const count = Math.ceil((group.to - group.from) / together);
    this.#heaps = Array.from({ length: count }, () => ({ blocks: [], top: NO_BLOCK, size: BLOCK }));
  }

  /** Adds events of the group. What the loop needs is taken to hand first: looked up each time it would cost a quarter. */
  add({ positions, users, dates, mark, combinations }: Arrived): void {
    const { group, together, dated, brokenDown } = this.#options;
    const heaps = this.#heaps;
    const { from } = group;
    const [bits, neighbours] = [Math.log2(together), together - 1];
    const [one, marks] = typeof mark === 'number' ? [mark, null] : [0, mark];
    for (let i = 0; i < positions.length; i++) {
      const at = positions[i]!;
      const user = users[at]! - from;
      const heap = heaps[user >>> bits]!;
      if (heap.size === BLOCK) this.#addBlock(heap);
      const { top } = heap;
      const place = heap.size++;
      top.users[place] = user & neighbours;
      top.marks[place] = marks === null ? one : marks[at]!;
      if (dated) top.dates[place] = dates[at]!;
      if (brokenDown) top.combinations[place] = combinations[i]!;
    }
  }

  /** Adds to how many events each user of the group has. */
  count(counts: Uint32Array): void {
    for (const [index, heap] of this.#heaps.entries())
      for (const { users, size } of blocksOf(heap))
        for (let i = 0; i < size; i++) counts[index * this.#options.together + users[i]!]!++;
  }

  /** By user, in their order. Nothing is left. */
  sort(): Part[] {
    const { group, together } = this.#options;
    const parts = this.#heaps.map((heap, index) => {
      const part = this.#sorted(heap, Math.min(together, group.to - group.from - index * together));
      this.#freeHeap(heap);
      return part;
    });
    this.#heaps.length = 0;
    return parts;
  }

  free(): void {
    for (const heap of this.#heaps.splice(0)) this.#freeHeap(heap);
  }

  /** Moves what belongs together to one place, once, so that it is read from one end to the other. */
  #sorted(heap: Heap, userCount: number): Part {
    const { arrays, dated, brokenDown } = this.#options;
    /** How many each user has, then where those begin, and, when all are moved, where they end. */
    const ends = arrays.uint32(userCount).fill(0);
    let total = 0;
    for (const { users, size } of blocksOf(heap)) for (let i = 0; i < size; i++) ends[users[i]!]!++;
    for (let user = 0; user < userCount; user++) {
      const count = ends[user]!;
      ends[user] = total;
      total += count;
    }
    const datesInto = dated ? arrays.float64(total) : UNDATED;
    const marksInto = arrays.uint32(total);
    const combinationsInto = brokenDown ? arrays.uint32(total) : NONE;
    for (const { users, dates, marks, combinations, size } of blocksOf(heap))
      for (let i = 0; i < size; i++) {
        const place = ends[users[i]!]!++;
        marksInto[place] = marks[i]!;
        if (dated) datesInto[place] = dates[i]!;
        if (brokenDown) combinationsInto[place] = combinations[i]!;
      }
    return { ends, dates: datesInto, marks: marksInto, combinations: combinationsInto };
  }

  #addBlock(heap: Heap): void {
    const { arrays, dated, brokenDown } = this.#options;
    heap.top = {
      users: arrays.uint32(BLOCK),
      dates: dated ? arrays.float64(BLOCK) : UNDATED,
      marks: arrays.uint32(BLOCK),
      combinations: brokenDown ? arrays.uint32(BLOCK) : NONE,
    };
    heap.blocks.push(heap.top);
    heap.size = 0;
  }

  #freeHeap({ blocks }: Heap): void {
    for (const { users, dates, marks, combinations } of blocks)
      for (const array of [users, dates, marks, combinations]) this.#options.arrays.free(array);
  }
}

function blocksOf({ blocks, top, size }: Heap): (Block & { readonly size: number })[] {
  return blocks.map((block) => ({ ...block, size: block === top ? size : BLOCK }));
}
