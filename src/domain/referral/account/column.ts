type Cells = Float64Array | Uint32Array | Uint8Array;

/** Numbers in a typed array that grows at its end: a million of them take no object each, and are stored as they are. */
export class Column<Store extends Cells> {
  #cells: Store;
  #length: number;

  /** @param cells the first numbers; the column changes them in place */
  constructor(cells: Store) {
    this.#cells = cells;
    this.#length = cells.length;
  }

  get length(): number {
    return this.#length;
  }

  at(index: number): number {
    return this.#cells[index]!;
  }

  set(index: number, value: number): void {
    this.#cells[index] = value;
  }

  push(value: number): void {
    if (this.#length === this.#cells.length) this.#grow();
    this.#cells[this.#length++] = value;
  }

  /** Takes the last number out. */
  pop(): number {
    return this.#cells[--this.#length]!;
  }

  clear(): void {
    this.#length = 0;
  }

  /** The numbers, as bytes. They are valid until the next change. */
  bytes(): Uint8Array {
    return new Uint8Array(this.#cells.buffer, this.#cells.byteOffset, this.#length * this.#cells.BYTES_PER_ELEMENT);
  }

  *[Symbol.iterator](): Generator<number> {
    for (let index = 0; index < this.#length; index++) yield this.at(index);
  }

  #grow(): void {
    const former = this.#cells;
    const OfSameKind = former.constructor as new (length: number) => Store;
    this.#cells = new OfSameKind(Math.max(LEAST, Math.ceil(former.length * GROWTH)));
    this.#cells.set(former);
  }
}

const LEAST = 16;
const GROWTH = 1.25;
