/** An item that is on hold until `available_at`. */
export interface Held {
  /** End of the hold, milliseconds UTC. */
  readonly available_at: number;
}

/** Items on hold, ordered by the end of their holds: a binary heap, since an account may hold a million rewards. */
export class Holds<Item extends Held> {
  readonly #heap: Item[] = [];

  add(item: Item): void {
    const heap = this.#heap;
    let index = heap.push(item) - 1;
    while (index > 0) {
      const parent = (index - 1) >> 1;
      if (heap[parent]!.available_at <= item.available_at) break;
      heap[index] = heap[parent]!;
      index = parent;
    }
    heap[index] = item;
  }

  /** The items whose hold has ended at `time`, in any order. They stay in the heap. The cost grows with their number only. */
  passed(time: number): Item[] {
    const found: Item[] = [];
    const next = [0];
    for (let index = next.pop(); index !== undefined; index = next.pop()) {
      const item = this.#heap[index];
      if (item === undefined || item.available_at > time) continue;
      found.push(item);
      next.push(2 * index + 1, 2 * index + 2);
    }
    return found;
  }

  /** Takes out the items whose hold has ended at `time`, the earliest first. */
  take(time: number): Item[] {
    const taken: Item[] = [];
    for (let first = this.#heap[0]; first !== undefined && first.available_at <= time; first = this.#heap[0]) {
      taken.push(first);
      this.#removeFirst();
    }
    return taken;
  }

  #removeFirst(): void {
    const heap = this.#heap;
    const last = heap.pop()!;
    if (heap.length === 0) return;
    let index = 0;
    for (;;) {
      let child = 2 * index + 1;
      if (child >= heap.length) break;
      const right = heap[child + 1];
      if (right !== undefined && right.available_at < heap[child]!.available_at) child++;
      if (heap[child]!.available_at >= last.available_at) break;
      heap[index] = heap[child]!;
      index = child;
    }
    heap[index] = last;
  }
}
