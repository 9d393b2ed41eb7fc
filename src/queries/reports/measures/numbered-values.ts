import { atLeast } from '../array-pool.ts';
import { pairIndex } from './pair-index.ts';
import { decimalsOf, scaled } from './statistics.ts';

/** Numbers decimals from 0. Equal ones may have several numbers, if they were given with different decimals. */
export interface NumberedValues {
  /** The number of `integer / 10 ** decimals`. */
  ofInteger(integer: number, decimals: number): number;
  /** The number of a decimal that is too long for an integer. */
  ofText(text: string): number;
  /** All values, for another thread to {@link join}. */
  all(): ValuesPart;
  /** Numbers the values of another thread. @returns the number here by the number there */
  join(part: ValuesPart): Uint32Array;
  ranked(): RankedValues;
}

/** By number: an integer and its decimals, or the index of a text and {@link LONG}. */
interface ValuesPart {
  readonly integers: Float64Array;
  readonly scales: Int8Array;
  readonly texts: readonly string[];
}

interface RankedValues {
  /** By number: the place of the value in ascending order. */
  readonly ranks: Uint32Array;
  /** The value with a rank, scaled by `decimals`. */
  readonly sorted: (rank: number) => bigint;
  readonly decimals: number;
}

/** The scale of decimals that are given as text, in the hash table of integers. */
const LONG = -1;

export function numberedValues(): NumberedValues {
  /** Numbers pairs of decimals and an integer. A long decimal has its index in `texts` for an integer. */
  const pairs = pairIndex(1, 0);
  const texts: string[] = [];
  const indexes = new Map<string, number>();
  let integers = new Float64Array(1024);
  let scales = new Int8Array(1024);
  let size = 0;

  function numberOf(scale: number, integer: number): number {
    const number = pairs.of(scale, integer);
    if (number === size) {
      if (size === integers.length) {
        integers = atLeast(integers, size + 1);
        scales = atLeast(scales, size + 1);
      }
      integers[size] = integer;
      scales[size++] = scale;
    }
    return number;
  }

  function ofText(text: string): number {
    let index = indexes.get(text);
    if (index === undefined) {
      index = texts.push(text) - 1;
      indexes.set(text, index);
    }
    return numberOf(LONG, index);
  }

  return {
    ofInteger: (integer, decimals) => numberOf(decimals, integer),
    ofText,
    all: () => ({ integers: integers.slice(0, size), scales: scales.slice(0, size), texts }),
    join: (part) =>
      Uint32Array.from(part.integers, (integer, i) =>
        part.scales[i] === LONG ? ofText(part.texts[integer]!) : numberOf(part.scales[i]!, integer),
      ),
    ranked() {
      const scale = scales[0]!;
      const ranks = new Uint32Array(size);
      if (scale !== LONG && scales.subarray(0, size).every((each) => each === scale)) {
        const sorted = integers.slice(0, size).sort();
        for (let rank = 0; rank < size; rank++) ranks[pairs.of(scale, sorted[rank]!)] = rank;
        return { ranks, sorted: (rank) => BigInt(sorted[rank]!), decimals: scale };
      }
      const longest = texts.reduce((most, text) => Math.max(most, decimalsOf(text)), 0);
      const decimals = scales.subarray(0, size).reduce((most, each) => Math.max(most, each), longest);
      const values = Array.from({ length: size }, (_, number) =>
        scales[number] === LONG
          ? scaled(texts[integers[number]!]!, decimals)
          : BigInt(integers[number]!) * 10n ** BigInt(decimals - scales[number]!),
      );
      const order = values.map((_, number) => number);
      order.sort((a, b) => (values[a]! < values[b]! ? -1 : values[a]! > values[b]! ? 1 : 0));
      for (const [rank, number] of order.entries()) ranks[number] = rank;
      return { ranks, sorted: (rank) => values[order[rank]!]!, decimals };
    },
  };
}
