/** The most bytes that a caller takes in one go. */
const SLICE_BYTES = 64 * 1024;

/** Gives the parts in slices, so that a slow caller shows by each that it still takes some. Calls `onStall` if it takes none for `stallMs`. */
export async function* whileTaken(
  parts: AsyncIterable<Uint8Array>,
  stallMs: number,
  onStall: () => void,
): AsyncGenerator<Uint8Array> {
  let stall: NodeJS.Timeout | undefined;
  try {
    for await (const part of parts)
      for (let start = 0; start < part.length; start += SLICE_BYTES) {
        stall = setTimeout(onStall, stallMs);
        yield part.subarray(start, start + SLICE_BYTES);
        clearTimeout(stall);
      }
  } finally {
    clearTimeout(stall);
  }
}
