import { LRUCache } from 'lru-cache';
import type { FieldValue } from '../domain/condition/predicate.ts';
import { combinationKey } from '../domain/reports/breakdown.ts';
import type { CodedColumn } from './chunk.ts';

type Value = CodedColumn['values'][number];

/** Numbers the values of a column alike for all chunks of a bot, so that each value is compared or parsed once. */
export class Dictionary {
  /** By number. */
  readonly values: Value[] = [];
  readonly #numbers = new Map<Value, number>();
  /** By column; the numbers by code. */
  readonly #ofColumns = new WeakMap<CodedColumn, Uint32Array>();
  readonly #numberings = new LRUCache<string, Numbering>({ max: MAX_NUMBERINGS });
  #letters = 0;

  /** The numbers of a column's values, by code: computed once for each column that a cache holds. */
  numbersOf(column: CodedColumn): Uint32Array {
    const known = this.#ofColumns.get(column);
    if (known !== undefined) return known;
    const { values } = column;
    const numbers = new Uint32Array(values.length);
    for (let code = 0; code < values.length; code++) numbers[code] = this.#numberOf(values[code]!);
    this.#ofColumns.set(column, numbers);
    return numbers;
  }

  #numberOf(value: Value): number {
    let number = this.#numbers.get(value);
    if (number === undefined) {
      number = this.values.push(value) - 1;
      this.#numbers.set(value, number);
      if (typeof value === 'string') this.#letters += value.length;
    }
    return number;
  }

  /**
   * Numbers what `read` makes of values.
   * @param key names the function
   */
  numbering(key: string, read: (value: Value) => readonly FieldValue[]): Numbering {
    let numbering = this.#numberings.get(key);
    if (numbering === undefined) {
      numbering = new Numbering(this.values, read);
      this.#numberings.set(key, numbering);
    }
    return numbering;
  }

  /** The approximate size, with its numberings. A text of Latin letters takes one byte a letter. */
  get bytes(): number {
    return (this.#letters + this.values.length * VALUE_BYTES) * (1 + this.#numberings.size);
  }
}

/** Combinations of values of fields that are read from one column. Equal ones have one number. */
export class Numbering {
  /** By number. */
  readonly values: (readonly FieldValue[])[] = [];
  readonly #columnValues: readonly Value[];
  readonly #read: (value: Value) => readonly FieldValue[];
  readonly #numbers = new Map<string, number>();
  /** By the number of the column's value. */
  readonly #numberOf: number[] = [];

  constructor(columnValues: readonly Value[], read: (value: Value) => readonly FieldValue[]) {
    this.#columnValues = columnValues;
    this.#read = read;
  }

  /** By the number of the column's value, for all values so far. */
  get numberOf(): readonly number[] {
    const numberOf = this.#numberOf;
    for (let i = numberOf.length; i < this.#columnValues.length; i++) {
      const values = this.#read(this.#columnValues[i]!);
      const key = combinationKey(values);
      let number = this.#numbers.get(key);
      if (number === undefined) {
        number = this.values.push(values) - 1;
        this.#numbers.set(key, number);
      }
      numberOf.push(number);
    }
    return numberOf;
  }
}

/** Numberings that reports used last: any number of properties may be read from one column. */
const MAX_NUMBERINGS = 4;
/** Bytes of a value, or of a combination in a numbering, besides its letters. */
const VALUE_BYTES = 100;
