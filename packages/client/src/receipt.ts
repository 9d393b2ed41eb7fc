import type { Kept } from './spooled.ts';

/** The answer of a queue to an item that it was asked to take. */
export interface Receipt {
  /** False: the queue did not take the item, since it is full or closed. */
  readonly taken: boolean;
  /**
   * Resolves when the service has accepted the item, and rejects with the error if it never will. Reading it ends the
   * wait for more items. A rejection that no code awaits ends no program: `onFailed` also gets it.
   */
  readonly sent: Promise<void>;
}

/** An item until its outcome is known. */
export interface Entry<T> {
  readonly item: T;
  /** Its place in the spool; null without a spool. */
  readonly kept: Kept | null;
  settle(error?: unknown): void;
  outcome(): Promise<void>;
}

export function entryOf<T>(item: T, kept: Kept | null = null): Entry<T> {
  let end: (() => Promise<void>) | undefined;
  const waiting: (() => void)[] = [];
  return {
    item,
    kept,
    settle(error) {
      end = () => (error === undefined ? Promise.resolve() : Promise.reject(error));
      for (const wake of waiting) wake();
    },
    outcome() {
      const outcome = end?.() ?? new Promise<void>((resolve) => waiting.push(resolve)).then(() => end!());
      outcome.catch(() => {});
      return outcome;
    },
  };
}

/** For an item that a queue did not take. */
export function notTaken(error: unknown): Receipt {
  const entry = entryOf(null);
  entry.settle(error);
  return { taken: false, sent: entry.outcome() };
}
