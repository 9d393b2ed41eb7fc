import { setImmediate as nextTurn } from 'node:timers/promises';

/**
 * Cuts long work in slices, so that requests of the same thread do not wait for all of it.
 * @returns to be awaited between two steps of the work: gives other work a turn once the slice is over
 */
export function workInSlices(sliceMs: number): () => Promise<void> {
  let end = performance.now() + sliceMs;
  return async () => {
    if (performance.now() < end) return;
    await nextTurn();
    end = performance.now() + sliceMs;
  };
}
