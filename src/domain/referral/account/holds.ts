import { Column } from './column.ts';

/** Rows on hold, ordered by the end of their holds: a binary heap, since an account may hold a million rewards. */
export class Holds {
  readonly #heap: Column<Uint32Array>;
  readonly #endOf: (row: number) => number;

  /**
   * @param endOf the end of a row's hold, milliseconds UTC
   * @param stored the rows in the order in which they were stored
   */
  constructor(endOf: (row: number) => number, stored: Uint32Array = new Uint32Array(0)) {
    this.#endOf = endOf;
    this.#heap = new Column(stored);
  }

  add(row: number): void {
    const heap = this.#heap;
    const end = this.#endOf(row);
    let index = heap.length;
    heap.push(row);
    while (index > 0) {
      const parent = (index - 1) >> 1;
      const above = heap.at(parent);
      if (this.#endOf(above) <= end) break;
      heap.set(index, above);
      index = parent;
    }
    heap.set(index, row);
  }

  /** The rows whose hold has ended at `time`, in any order. They stay in the heap. The cost grows with their number only. */
  passed(time: number): number[] {
    const found: number[] = [];
    const next = [0];
    for (let index = next.pop(); index !== undefined; index = next.pop()) {
      if (index >= this.#heap.length) continue;
      const row = this.#heap.at(index);
      if (this.#endOf(row) > time) continue;
      found.push(row);
      next.push(2 * index + 1, 2 * index + 2);
    }
    return found;
  }

  /** Takes out the rows whose hold has ended at `time`, the earliest first. */
  take(time: number): number[] {
    const taken: number[] = [];
    while (this.#heap.length > 0) {
      const first = this.#heap.at(0);
      if (this.#endOf(first) > time) break;
      taken.push(first);
      this.#removeFirst();
    }
    return taken;
  }

  /** Its stored form, valid until the next change. */
  stored(): Uint8Array {
    return this.#heap.bytes();
  }

  #removeFirst(): void {
    const heap = this.#heap;
    const last = heap.pop();
    const length = heap.length;
    if (length === 0) return;
    const end = this.#endOf(last);
    let index = 0;
    for (;;) {
      let child = 2 * index + 1;
      if (child >= length) break;
      const right = child + 1;
      if (right < length && this.#endOf(heap.at(right)) < this.#endOf(heap.at(child))) child = right;
      if (this.#endOf(heap.at(child)) >= end) break;
      heap.set(index, heap.at(child));
      index = child;
    }
    heap.set(index, last);
  }
}
