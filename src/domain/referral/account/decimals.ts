import Big from 'big.js';
import { Column } from './column.ts';

/** The stored form of a list of decimals: an integer and its number of decimals each, or the index of its text. */
export interface StoredDecimals {
  readonly integers: Float64Array;
  readonly scales: Uint8Array;
  readonly texts: readonly string[];
}

/** In place of a number of decimals: the integer is an index of `texts`. */
const IS_TEXT = 255;
/** Integers of so many digits are exact in a double, with one more bit for a sum of two. */
const MOST_DIGITS = 15;
const EXACT = Number.MAX_SAFE_INTEGER / 2;

/** Decimals, each with its digits as they were written: 9 bytes for each of up to 15 digits. */
export class Decimals {
  readonly #integers: Column<Float64Array>;
  readonly #scales: Column<Uint8Array>;
  readonly #texts: string[];

  constructor(
    { integers, scales, texts }: StoredDecimals = {
      integers: new Float64Array(0),
      scales: new Uint8Array(0),
      texts: [],
    },
  ) {
    this.#integers = new Column(integers);
    this.#scales = new Column(scales);
    this.#texts = [...texts];
  }

  push(text: string): void {
    const point = text.indexOf('.');
    const scale = point < 0 ? 0 : text.length - point - 1;
    const integer = Number(point < 0 ? text : text.slice(0, point) + text.slice(point + 1));
    const fits = text.length <= MOST_DIGITS && textOf(integer, scale) === text;
    this.#integers.push(fits ? integer : this.#texts.push(text) - 1);
    this.#scales.push(fits ? scale : IS_TEXT);
  }

  at(index: number): string {
    const [integer, scale] = [this.#integers.at(index), this.#scales.at(index)];
    return scale === IS_TEXT ? this.#texts[integer]! : textOf(integer, scale);
  }

  /** The exact sum of the decimals at these indexes. */
  sum(indexes: Iterable<number>): Big {
    let sum = new Big(0);
    /** By scale, a part of the sum that a double holds exactly. */
    const parts: number[] = [];
    for (const index of indexes) {
      const [integer, scale] = [this.#integers.at(index), this.#scales.at(index)];
      if (scale === IS_TEXT) sum = sum.plus(this.#texts[integer]!);
      else {
        const part = (parts[scale] ?? 0) + integer;
        const isFull = Math.abs(part) > EXACT;
        if (isFull) sum = sum.plus(textOf(part, scale));
        parts[scale] = isFull ? 0 : part;
      }
    }
    for (const [scale, part] of parts.entries()) if (part) sum = sum.plus(textOf(part, scale));
    return sum;
  }

  /** Its stored form, valid until the next change. */
  stored(): { readonly integers: Uint8Array; readonly scales: Uint8Array; readonly texts: readonly string[] } {
    return { integers: this.#integers.bytes(), scales: this.#scales.bytes(), texts: this.#texts };
  }
}

function textOf(integer: number, scale: number): string {
  if (scale === 0) return String(integer);
  const digits = String(Math.abs(integer)).padStart(scale + 1, '0');
  return `${integer < 0 ? '-' : ''}${digits.slice(0, -scale)}.${digits.slice(-scale)}`;
}
