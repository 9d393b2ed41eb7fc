/**
 * Finds rows of columns by a key: a hash table of row numbers, with open addressing. The keys themselves stay in the
 * columns. It is made when the first row is looked for, since most decisions look for none.
 */
export class RowTable {
  readonly #hashOf: (row: number) => number;
  /** Each row that it has, plus 1; 0: free. Null: nothing was looked for yet. */
  #slots: Uint32Array | null = null;

  /** @param hashOf an unsigned integer of 32 bits, the same for rows with one key */
  constructor(hashOf: (row: number) => number) {
    this.#hashOf = hashOf;
  }

  /** Adds the next row. Of rows with one key, the first is found. */
  add(row: number): void {
    if (this.#slots === null) return;
    if (MOST_FULL * this.#slots.length < row + 1) this.#build(row);
    this.#put(this.#slots, row);
  }

  /**
   * The row with the hash for which `isIt`; undefined: there is none.
   * @param rows the number of rows
   */
  find(rows: number, hash: number, isIt: (row: number) => boolean): number | undefined {
    if (this.#slots === null) this.#build(rows);
    const slots = this.#slots!;
    const mask = slots.length - 1;
    for (let slot = hash & mask; slots[slot] !== 0; slot = (slot + 1) & mask) {
      const row = slots[slot]! - 1;
      if (isIt(row)) return row;
    }
    return undefined;
  }

  #build(rows: number): void {
    let length = LEAST;
    while (MOST_FULL * length < (rows + 1) * SPARE) length *= 2;
    const slots = new Uint32Array(length);
    for (let row = 0; row < rows; row++) this.#put(slots, row);
    this.#slots = slots;
  }

  #put(slots: Uint32Array, row: number): void {
    const mask = slots.length - 1;
    let slot = this.#hashOf(row) & mask;
    while (slots[slot] !== 0) slot = (slot + 1) & mask;
    slots[slot] = row + 1;
  }
}

const LEAST = 16;
/** With more rows, look-ups would go through many slots. */
const MOST_FULL = 0.7;
/** A table that is made has room for so many times its rows. */
const SPARE = 1.2;

/** Continues a hash by one more unsigned integer of 32 bits, so that each of its bits changes many bits of the hash. */
export function mixed(hash: number, word: number): number {
  const product = Math.imul(hash ^ word, 0x9e3779b1);
  return (product ^ (product >>> 15)) >>> 0;
}
