interface Held {
  readonly size: number;
}

/** Queues with items that only the memory has. */
const holding = new Set<Held>();
let isWatching = false;

/** Node.js, Deno and Bun announce the end of a program; Workers do not. */
interface Announcing {
  readonly process?: { once?(event: 'exit', listener: () => void): unknown };
}

/** Warns if the program ends while the queue has items. */
export function hold(queue: Held): void {
  holding.add(queue);
  if (isWatching) return;
  isWatching = true;
  (globalThis as Announcing).process?.once?.('exit', () => {
    const lost = [...holding].reduce((sum, { size }) => sum + size, 0);
    if (lost > 0)
      console.error(`botledger: the program ended before ${lost} items were sent; await close() of their queue first`);
  });
}

/** Ends that: the queue is empty, or closed. */
export function letGo(queue: Held): void {
  holding.delete(queue);
}
