/**
 * Arrays of what a report holds of many events, in memory that reports before it have had: for every 30 MB that are new the
 * garbage collector looks through all there is, which was every third report, and the system clears each page.
 */
export interface Arrays {
  /** What it holds is of no meaning. */
  uint32(length: number): Uint32Array;
  float64(length: number): Float64Array;
  /** Nobody uses it any more. */
  free(array: Uint32Array | Float64Array): void;
  /** Nobody uses any of them any more. */
  close(): void;
}

/** Of the reports of this thread, by their sizes. */
const kept = new Map<number, ArrayBuffer[]>();
let keptBytes = 0;
const MOST_KEPT_BYTES = 64 * 2 ** 20;
const LEAST_BYTES = 2 ** 12;

export function openArrays(): Arrays {
  const taken = new Set<ArrayBufferLike>();

  function take(bytes: number): ArrayBuffer {
    const size = sizeFor(bytes);
    const buffer = keptOf(size) ?? new ArrayBuffer(size);
    taken.add(buffer);
    return buffer;
  }

  function give(buffer: ArrayBufferLike): void {
    if (taken.delete(buffer) && buffer instanceof ArrayBuffer) keep(buffer);
  }

  return {
    uint32: (length) => new Uint32Array(take(length * Uint32Array.BYTES_PER_ELEMENT), 0, length),
    float64: (length) => new Float64Array(take(length * Float64Array.BYTES_PER_ELEMENT), 0, length),
    free: ({ buffer }) => give(buffer),
    close() {
      for (const buffer of [...taken]) give(buffer);
    },
  };
}

function keptOf(size: number): ArrayBuffer | undefined {
  const buffer = kept.get(size)?.pop();
  if (buffer !== undefined) keptBytes -= size;
  return buffer;
}

function keep(buffer: ArrayBuffer): void {
  const size = buffer.byteLength;
  if (size > MOST_KEPT_BYTES) return;
  if (keptBytes + size > MOST_KEPT_BYTES) {
    // Of sizes that may not be asked for any more: what is will soon be there again.
    kept.clear();
    keptBytes = 0;
  }
  keptBytes += size;
  const same = kept.get(size);
  if (same === undefined) kept.set(size, [buffer]);
  else same.push(buffer);
}

/** Of few sizes, so that they fit others; just so many of what is not kept. */
function sizeFor(bytes: number): number {
  const size = 2 ** Math.ceil(Math.log2(Math.max(bytes, LEAST_BYTES)));
  return size > MOST_KEPT_BYTES ? bytes : size;
}
