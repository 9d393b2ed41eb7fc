/** The most bytes of one slice. */
const SLICE_BYTES = 64 * 1024;

export interface WaitLimits {
  /** The longest wait for the caller to take a slice, in milliseconds. */
  readonly stallMs: number;
  /** The longest sum of all waits for the caller. It is limited because an export holds a snapshot of the database. */
  readonly totalMs: number;
}

/** Yields the parts in slices, so that each slice shows that a slow caller still reads. Calls `onStall` beyond the limits. */
export async function* whileTaken(
  parts: AsyncIterable<Uint8Array>,
  { stallMs, totalMs }: WaitLimits,
  onStall: () => void,
): AsyncGenerator<Uint8Array> {
  let stall: NodeJS.Timeout | undefined;
  let leftMs = totalMs;
  try {
    for await (const part of parts)
      for (let start = 0; start < part.length; start += SLICE_BYTES) {
        const since = performance.now();
        stall = setTimeout(onStall, Math.min(stallMs, leftMs));
        yield part.subarray(start, start + SLICE_BYTES);
        clearTimeout(stall);
        leftMs -= performance.now() - since;
      }
  } finally {
    clearTimeout(stall);
  }
}
