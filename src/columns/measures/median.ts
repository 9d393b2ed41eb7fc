import type { ArrayPool } from '../array-pool.ts';
import type { Chunk, CodedName, Codes } from '../chunk.ts';
import { type ScaledDecimals, scaledDecimalsOf } from '../decimals.ts';
import type { Positions } from '../positions.ts';
import { decimalsOf } from '../property-codes.ts';
import { middleOf } from './middle.ts';
import { decimalsOf as decimalsOfText, decimalText, scaled as integerOf, statisticOf } from './statistics.ts';
import type { Tally, TallySize, ValueOf } from './tally.ts';

/**
 * Medians of the values of events. The values of a line are held as integers of one scale, in doubles, and the middle is
 * selected. From a chunk on whose values do not fit into doubles, values are counted as integers of any length.
 */
export class MedianTally implements Tally {
  readonly columns: readonly CodedName[];
  readonly #column: CodedName;
  readonly #buckets: number;
  readonly #byLine: readonly LineValues[];
  /** Decimal text by `line * buckets + bucket`. */
  readonly #medians = new Map<number, string>();
  #bucket = -1;
  /** The scale of all values. */
  #decimals = 0;
  /** The greatest value without its sign. */
  #greatest = 0;
  #fits = true;
  #codes: Codes = new Uint8Array(0);
  /** By code: values that become integers of the common scale by the factor; NaN: none. */
  #doubles: Float64Array = new Float64Array(0);
  #factor = 1;
  /** By code, once values do not fit. */
  #integers: readonly (bigint | null)[] = [];

  /** @param mostHeld the most values of a line that are held once a bucket has ended; more are counted by value */
  constructor(column: CodedName, { lines, buckets }: TallySize, arrays: ArrayPool, mostHeld = MOST_HELD) {
    this.#column = column;
    this.columns = [column];
    this.#buckets = buckets;
    this.#byLine = Array.from({ length: lines }, () => new LineValues(arrays, mostHeld));
  }

  open(chunk: Chunk): void {
    const coded = decimalsOf(chunk, this.#column);
    this.#codes = coded.codes;
    const scaled = scaledDecimalsOf(coded);
    if (this.#fits && scaled !== null && this.#takeIn(scaled)) {
      this.#doubles = scaled.integers;
      this.#factor = 10 ** (this.#decimals - scaled.decimals);
      return;
    }
    if (this.#fits) for (const line of this.#byLine) line.toIntegers();
    this.#fits = false;
    const texts = coded.values as readonly (string | null)[];
    this.#rescale(texts.reduce((most, text) => Math.max(most, text === null ? 0 : decimalsOfText(text)), 0));
    this.#integers = texts.map((text) => (text === null ? null : integerOf(text, this.#decimals)));
  }

  /** Finds the common scale with a chunk's values. @returns false if a value would not be exact in it */
  #takeIn({ greatest, decimals }: ScaledDecimals): boolean {
    const common = Math.max(decimals, this.#decimals);
    const all = Math.max(greatest * 10 ** (common - decimals), this.#greatest * 10 ** (common - this.#decimals));
    if (all > Number.MAX_SAFE_INTEGER) return false;
    this.#greatest = all;
    this.#rescale(common);
    return true;
  }

  #rescale(decimals: number): void {
    if (decimals <= this.#decimals) return;
    for (const line of this.#byLine) line.rescale(decimals - this.#decimals);
    this.#decimals = decimals;
  }

  add(bucket: number, positions: Positions, linesAt: Uint32Array | null, from: number, to: number): void {
    if (bucket !== this.#bucket) this.#begin(bucket);
    const [codes, byLine] = [this.#codes, this.#byLine];
    if (!this.#fits) {
      for (let i = from; i < to; i++) {
        const value = this.#integers[codes[positions[i]!]!]!;
        if (value !== null) byLine[linesAt === null ? 0 : linesAt[i]!]!.addInteger(value);
      }
      return;
    }
    const [doubles, factor] = [this.#doubles, this.#factor];
    for (let i = from; i < to; i++) {
      const value = doubles[codes[positions[i]!]!]! * factor;
      if (!Number.isNaN(value)) byLine[linesAt === null ? 0 : linesAt[i]!]!.add(value);
    }
  }

  /** Ends the current bucket, and begins another one. */
  #begin(bucket: number): void {
    for (const [line, values] of this.#byLine.entries()) {
      const median = values.endBucket(this.#decimals);
      if (median !== null) this.#medians.set(line * this.#buckets + this.#bucket, median);
    }
    this.#bucket = bucket;
  }

  values(): ValueOf {
    this.#begin(-1);
    const totals = this.#byLine.map((line) => line.median(this.#decimals));
    return mediansOf(this.#medians, totals, this.#buckets);
  }
}

/** A function outside of the tally: a closure inside it would keep the values in memory. */
function mediansOf(medians: ReadonlyMap<number, string>, totals: readonly (string | null)[], buckets: number): ValueOf {
  return (line, bucket) => (bucket === null ? totals[line]! : (medians.get(line * buckets + bucket) ?? null));
}

/** 16 MB. */
const MOST_HELD = 2 ** 21;

/** How often each value occurs. */
type Counts = Map<number | bigint, number>;

/** The values of a line, one bucket after another. */
class LineValues {
  #held: Float64Array = new Float64Array(0);
  #size = 0;
  /** Where the current bucket begins. */
  #begin = 0;
  /** Values that are not held: of earlier buckets, and of the current one. */
  #earlier: Counts = new Map();
  #current: Counts = new Map();
  readonly #arrays: ArrayPool;
  readonly #mostHeld: number;

  constructor(arrays: ArrayPool, mostHeld: number) {
    this.#arrays = arrays;
    this.#mostHeld = mostHeld;
  }

  add(value: number): void {
    if (this.#size === this.#held.length) this.#grow();
    this.#held[this.#size++] = value;
  }

  addInteger(value: bigint): void {
    count(this.#current, value, 1);
  }

  #grow(): void {
    const former = this.#held;
    this.#held = this.#arrays.float64(Math.max(512, 2 * former.length));
    this.#held.set(former);
    this.#arrays.free(former);
  }

  /** Multiplies all values by a power of ten. */
  rescale(exponent: number): void {
    const factor = 10 ** exponent;
    for (let i = 0; i < this.#size; i++) this.#held[i]! *= factor;
    const scaled = (value: number | bigint) =>
      typeof value === 'number' ? value * factor : value * 10n ** BigInt(exponent);
    this.#earlier = mapped(this.#earlier, scaled);
    this.#current = mapped(this.#current, scaled);
  }

  /** Counts the values that are held, as integers of any length. */
  toIntegers(): void {
    for (let i = 0; i < this.#size; i++) count(i < this.#begin ? this.#earlier : this.#current, this.#held[i]!, 1);
    [this.#size, this.#begin] = [0, 0];
    this.#earlier = mapped(this.#earlier, BigInt);
    this.#current = mapped(this.#current, BigInt);
  }

  /** @returns the median of the current bucket as decimal text; null: it has no values */
  endBucket(decimals: number): string | null {
    const median = medianOf(this.#held.subarray(this.#begin, this.#size), this.#current, decimals);
    for (const [value, times] of this.#current) count(this.#earlier, value, times);
    this.#current.clear();
    if (this.#size > this.#mostHeld) {
      for (let i = 0; i < this.#size; i++) count(this.#earlier, this.#held[i]!, 1);
      this.#size = 0;
    }
    this.#begin = this.#size;
    return median;
  }

  /** The median of all buckets that have ended. */
  median(decimals: number): string | null {
    return medianOf(this.#held.subarray(0, this.#size), this.#earlier, decimals);
  }
}

function count(counts: Counts, value: number | bigint, times: number): void {
  counts.set(value, (counts.get(value) ?? 0) + times);
}

function mapped(counts: Counts, to: (value: number | bigint) => number | bigint): Counts {
  return new Map(Array.from(counts, ([value, times]) => [to(value), times]));
}

/** The median of values, of which some are counted. It may reorder the others. Null: there are none. */
function medianOf(values: Float64Array, counted: Counts, decimals: number): string | null {
  if (counted.size === 0) {
    if (values.length === 0) return null;
    const [low, high] = middleOf(values, values.length);
    return decimalText((BigInt(low) + BigInt(high)) * 5n, decimals + 1);
  }
  const all = new Map(counted);
  for (const value of values) count(all, value, 1);
  const ascending = Array.from(all, ([value, times]) => [BigInt(value), times] as const).sort(([a], [b]) =>
    a < b ? -1 : Number(a > b),
  );
  return statisticOf('median', ascending, decimals);
}
