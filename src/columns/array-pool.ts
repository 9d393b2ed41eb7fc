/**
 * Typed arrays for state of many events, in memory that earlier reports of this thread have used. New memory is
 * expensive: the garbage collector runs a full collection for every 30 MB of new arrays (every third report), and the
 * system zeroes each new page.
 */
export interface ArrayPool {
  /** An array with arbitrary content. */
  uint32(length: number): Uint32Array;
  float64(length: number): Float64Array;
  /** Takes an array back that is no longer used. */
  free(array: Uint32Array | Float64Array): void;
  /** Takes all arrays back that were not freed. */
  close(): void;
}

/** Free buffers of this thread, by their sizes. */
const freeBuffers = new Map<number, ArrayBuffer[]>();
let freeBytes = 0;
const MAX_FREE_BYTES = 64 * 2 ** 20;
const MIN_BUFFER_BYTES = 2 ** 12;

/** Opens a pool for one report. All pools of a thread share the free buffers. */
export function openArrayPool(): ArrayPool {
  const taken = new Set<ArrayBufferLike>();

  function take(bytes: number): ArrayBuffer {
    const size = sizeFor(bytes);
    const buffer = freeBufferOf(size) ?? new ArrayBuffer(size);
    taken.add(buffer);
    return buffer;
  }

  function giveBack(buffer: ArrayBufferLike): void {
    if (taken.delete(buffer) && buffer instanceof ArrayBuffer) keepFree(buffer);
  }

  return {
    uint32: (length) => new Uint32Array(take(length * Uint32Array.BYTES_PER_ELEMENT), 0, length),
    float64: (length) => new Float64Array(take(length * Float64Array.BYTES_PER_ELEMENT), 0, length),
    free: ({ buffer }) => giveBack(buffer),
    close() {
      for (const buffer of [...taken]) giveBack(buffer);
    },
  };
}

function freeBufferOf(size: number): ArrayBuffer | undefined {
  const buffer = freeBuffers.get(size)?.pop();
  if (buffer !== undefined) freeBytes -= size;
  return buffer;
}

function keepFree(buffer: ArrayBuffer): void {
  const size = buffer.byteLength;
  if (size > MAX_FREE_BYTES) return;
  if (freeBytes + size > MAX_FREE_BYTES) {
    // Drops all, since some may have sizes that are no longer requested. Sizes in use are soon kept again.
    freeBuffers.clear();
    freeBytes = 0;
  }
  freeBytes += size;
  const same = freeBuffers.get(size);
  if (same === undefined) freeBuffers.set(size, [buffer]);
  else same.push(buffer);
}

/** Powers of two, so that a free buffer fits many requests. Buffers that are too large to be kept get their exact size. */
function sizeFor(bytes: number): number {
  const size = 2 ** Math.ceil(Math.log2(Math.max(bytes, MIN_BUFFER_BYTES)));
  return size > MAX_FREE_BYTES ? bytes : size;
}

/** The array, or a larger one with the same content, of at least `length`. The array doubles at least, if it grows. */
export function atLeast<A extends Uint8Array | Uint16Array | Uint32Array | Int8Array | Float64Array>(
  array: A,
  length: number,
): A {
  if (array.length >= length) return array;
  const larger = new (array.constructor as new (length: number) => A)(Math.max(length, 2 * array.length));
  larger.set(array);
  return larger;
}
