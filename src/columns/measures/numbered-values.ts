import { atLeast } from '../array-pool.ts';
import { pairIndex } from './pair-index.ts';
import { decimalsOf, scaled } from './statistics.ts';

/**
 * Numbers decimals. Small integers of one scale are their own numbers, doubled; a hash table numbers the others, with odd
 * numbers. Equal decimals may have several numbers, if they were given with different scales.
 */
export interface NumberedValues {
  /** The number of `integer / 10 ** decimals`. */
  ofInteger(integer: number, decimals: number): number;
  /** The number of a decimal that is too long for an integer. */
  ofText(text: string): number;
  /** A factor by which integers of these decimals become {@link isDirect}; NaN: there is none. */
  directFactor(decimals: number): number;
  /** All values, for another thread to {@link join}. */
  all(): ValuesPart;
  /** Numbers the values of another thread. @returns the number here of a number there */
  join(part: ValuesPart): (number: number) => number;
  /** Sorts values. @param numbers each once */
  ranked(numbers: Uint32Array): RankedValues;
}

/** Whether the number of an integer, multiplied with a factor, is the integer doubled. */
export function isDirect(integer: number): boolean {
  return integer >= 0 && integer < MOST_DIRECT;
}

/** Counts by number take 8 bytes for each integer up to the largest: 8 MB. */
const MOST_DIRECT = 2 ** 20;

/** The others by their order: an integer and its scale, or the index of a text and {@link LONG}. */
interface ValuesPart {
  /** Of the integers that are their own numbers. */
  readonly scale: number;
  readonly integers: Float64Array;
  readonly scales: Int8Array;
  readonly texts: readonly string[];
}

interface RankedValues {
  /** By number: the place of the value in ascending order. */
  readonly ranks: Uint32Array;
  readonly count: number;
  /** The value with a rank, scaled by `decimals`. */
  readonly sorted: (rank: number) => bigint;
  readonly decimals: number;
}

/** The scale of decimals that are given as text, in the hash table of integers. */
const LONG = -1;

export function numberedValues(): NumberedValues {
  /** Of the integers that are their own numbers: that of the first value. */
  let directScale = LONG;
  /** Numbers pairs of decimals and an integer. A long decimal has its index in `texts` for an integer. */
  const pairs = pairIndex(1, 0);
  const texts: string[] = [];
  const indexes = new Map<string, number>();
  let integers = new Float64Array(1024);
  let scales = new Int8Array(1024);
  let size = 0;

  function otherNumber(scale: number, integer: number): number {
    const number = pairs.of(scale, integer);
    if (number === size) {
      if (size === integers.length) {
        integers = atLeast(integers, size + 1);
        scales = atLeast(scales, size + 1);
      }
      integers[size] = integer;
      scales[size++] = scale;
    }
    return 2 * number + 1;
  }

  function directFactor(decimals: number): number {
    if (directScale === LONG) directScale = decimals;
    return decimals <= directScale ? 10 ** (directScale - decimals) : Number.NaN;
  }

  function ofInteger(integer: number, decimals: number): number {
    const direct = integer * directFactor(decimals);
    return isDirect(direct) ? 2 * direct : otherNumber(decimals, integer);
  }

  function ofText(text: string): number {
    let index = indexes.get(text);
    if (index === undefined) {
      index = texts.push(text) - 1;
      indexes.set(text, index);
    }
    return otherNumber(LONG, index);
  }

  /** The value of a number, and its scale. */
  function givenBy(number: number): { readonly scale: number; readonly integer: number } {
    if (number % 2 === 0) return { scale: directScale, integer: number / 2 };
    return { scale: scales[(number - 1) / 2]!, integer: integers[(number - 1) / 2]! };
  }

  return {
    ofInteger,
    ofText,
    directFactor,
    all: () => ({ scale: directScale, integers: integers.slice(0, size), scales: scales.slice(0, size), texts }),
    join(part) {
      const others = Uint32Array.from(part.integers, (integer, i) =>
        part.scales[i] === LONG ? ofText(part.texts[integer]!) : ofInteger(integer, part.scales[i]!),
      );
      return (number) => (number % 2 === 0 ? ofInteger(number / 2, part.scale) : others[(number - 1) / 2]!);
    },
    ranked(numbers) {
      const ranks = new Uint32Array(numbers.reduce((most, number) => Math.max(most, number + 1), 0));
      if (numbers.every((number) => number % 2 === 0)) {
        const sorted = numbers.slice().sort();
        for (let rank = 0; rank < sorted.length; rank++) ranks[sorted[rank]!] = rank;
        return { ranks, count: numbers.length, sorted: (rank) => BigInt(sorted[rank]! / 2), decimals: directScale };
      }
      const longest = texts.reduce((most, text) => Math.max(most, decimalsOf(text)), Math.max(0, directScale));
      const decimals = scales.subarray(0, size).reduce((most, each) => Math.max(most, each), longest);
      const values = Array.from(numbers, (number) => {
        const { scale, integer } = givenBy(number);
        const value =
          scale === LONG ? scaled(texts[integer]!, decimals) : BigInt(integer) * 10n ** BigInt(decimals - scale);
        return { number, value };
      });
      values.sort((a, b) => (a.value < b.value ? -1 : a.value > b.value ? 1 : 0));
      for (const [rank, { number }] of values.entries()) ranks[number] = rank;
      return { ranks, count: numbers.length, sorted: (rank) => values[rank]!.value, decimals };
    },
  };
}
