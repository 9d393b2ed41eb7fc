import { hash } from 'node:crypto';

/** Names the event of a reward: by its commit and its index there. */
export interface EventName {
  readonly commit_id: string;
  readonly index: number;
}

/** Names a pair of rule and event. A pair earns once. */
export function earningKey(ruleId: number, { commit_id, index }: EventName): string {
  return `${ruleId}:${commit_id}:${index}`;
}

/** Bytes of a pair's hash in a closing. Two of a million pairs have the same hash in one of 600 accounts. */
const HASH_BYTES = 6;
const HEX_DIGITS = 2 * HASH_BYTES;

/** The first {@link HASH_BYTES} bytes of the SHA-256 of a pair's key. */
export function hashOf(earningKey: string): number {
  return Number.parseInt(hash('sha256', earningKey, 'hex').slice(0, HEX_DIGITS), 16);
}

/** The hashes of pairs, ascending, one after the other. */
export function packHashes(hashes: readonly number[]): Buffer {
  const packed = Buffer.alloc(hashes.length * HASH_BYTES);
  let at = 0;
  for (const each of Float64Array.from(hashes).sort()) at = packed.writeUIntBE(each, at, HASH_BYTES);
  return packed;
}

/** Whether packed hashes have this one. */
export function hasHash(packed: Buffer, asked: number): boolean {
  return isAmong(packed.length / HASH_BYTES, (index) => packed.readUIntBE(index * HASH_BYTES, HASH_BYTES), asked);
}

/**
 * The hashes of all closed blocks in a few arrays. To search each of a hundred blocks takes 50 µs a pair, these take 5. The
 * first search makes them, since most decisions ask for no pair.
 */
export class ClosedPairs {
  /** Each is less than half as long as the one before it. */
  readonly #merged: Float64Array[] = [];
  /** Packed hashes that came after the last search. */
  #added: Buffer[] = [];

  add(packed: Buffer): void {
    this.#added.push(packed);
  }

  has(asked: number): boolean {
    if (this.#added.length > 0) this.#merge();
    return this.#merged.some((hashes) => isAmong(hashes.length, (index) => hashes[index]!, asked));
  }

  #merge(): void {
    const bytes = Buffer.concat(this.#added);
    this.#added = [];
    let last = new Float64Array(bytes.length / HASH_BYTES);
    for (let index = 0; index < last.length; index++) last[index] = bytes.readUIntBE(index * HASH_BYTES, HASH_BYTES);
    for (let before = this.#merged.at(-1); before !== undefined; before = this.#merged.at(-1)) {
      if (before.length > 2 * last.length) break;
      this.#merged.pop();
      const both = new Float64Array(before.length + last.length);
      both.set(before);
      both.set(last, before.length);
      last = both;
    }
    this.#merged.push(last.sort());
  }
}

/** Whether a hash is among others in ascending order. */
function isAmong(length: number, hashAt: (index: number) => number, asked: number): boolean {
  let [low, high] = [0, length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    const found = hashAt(middle);
    if (found === asked) return true;
    if (found < asked) low = middle + 1;
    else high = middle;
  }
  return false;
}
