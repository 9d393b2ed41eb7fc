/** The pauses between attempts at work that fails. */
export interface GrowingPause {
  /** The pause before the next attempt, in milliseconds: twice the one before. */
  failed(): number;
  /** The next pause is the shortest again. */
  succeeded(): void;
}

export function growingPause(firstMs: number, mostMs: number): GrowingPause {
  let nextMs = firstMs;
  return {
    failed() {
      const pauseMs = nextMs;
      nextMs = Math.min(2 * pauseMs, mostMs);
      return pauseMs;
    },
    succeeded() {
      nextMs = firstMs;
    },
  };
}
