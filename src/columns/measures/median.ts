import { type ArrayPool, atLeast } from '../array-pool.ts';
import type { CodedName } from '../chunk.ts';
import { scaledDecimalsOf } from '../decimals.ts';
import { decimalsOf } from '../properties.ts';
import { middleOf } from './middle.ts';
import { isDirect, type NumberedValues, numberedValues } from './numbered-values.ts';
import { decimalText } from './statistics.ts';
import type { Tally, TallySize, ValueOf } from './tally.ts';

/** How often each of some values occurs. `numbers` are those of {@link NumberedValues}; each may occur several times. */
interface Counted {
  readonly numbers: Uint32Array;
  readonly counts: Uint32Array;
}

/**
 * Medians of the values of events.
 * @param mostHeld the most values of a line that are held one by one, once a bucket has ended
 */
export function medianTally(
  column: CodedName,
  { lines, buckets, isShared }: TallySize,
  arrays: ArrayPool,
  mostHeld = MOST_HELD,
): Tally {
  const values = numberedValues();
  const byLine = Array.from({ length: lines }, () => new LineValues(arrays, mostHeld));
  /** All 0 between uses. */
  const counts = new ValueCounts();
  let current = -1;
  const cells = new Map<number, Counted | Middle>();
  /** By line: the values of all threads, once another one's are joined. */
  let joinedTotals: Counted[] | null = null;
  let codes: ArrayLike<number> = [];
  /** By code: integers that are numbers when they are doubled and multiplied with `factor`, and others. */
  let integers: Float64Array = new Float64Array(0);
  let factor = Number.NaN;
  let numberOf: (code: number) => number = () => -1;

  /** Keeps what the current bucket needs, and begins another one. */
  function begin(bucket: number): void {
    for (const [line, values] of byLine.entries()) {
      const cell = values.endBucket(counts, isShared);
      if (cell !== null) cells.set(line * buckets + current, cell);
    }
    current = bucket;
  }

  return {
    columns: [column],
    open(chunk) {
      const coded = decimalsOf(chunk, column);
      codes = coded.codes;
      const scaled = scaledDecimalsOf(coded);
      integers = scaled?.integers ?? new Float64Array(coded.values.length).fill(Number.NaN);
      factor = scaled === null ? Number.NaN : values.directFactor(scaled.decimals);
      const texts = scaled === null ? coded.values : [];
      numberOf = (code) => {
        if (scaled === null) {
          const text = texts[code] as string | null;
          return text === null ? -1 : values.ofText(text);
        }
        const integer = scaled.integers[code]!;
        return Number.isNaN(integer) ? -1 : values.ofInteger(integer, scaled.decimals);
      };
    },
    add(bucket, positions, linesAt, from, to) {
      if (bucket !== current) begin(bucket);
      for (let i = from; i < to; i++) {
        const code = codes[positions[i]!]!;
        const direct = integers[code]! * factor;
        const number = isDirect(direct) ? 2 * direct : numberOf(code);
        if (number < 0) continue;
        byLine[linesAt === null ? 0 : linesAt[i]!]!.add(number);
      }
    },
    part(): MedianPart {
      begin(-1);
      return {
        cells: cells as Map<number, Counted>,
        totals: byLine.map((line) => line.counted()),
        values: values.all(),
      };
    },
    join(part: MedianPart) {
      begin(-1);
      const numberOfTheirs = values.join(part.values);
      for (const [cell, theirs] of part.cells) {
        const own = cells.get(cell) as Counted | undefined;
        const numbers = theirs.numbers.map(numberOfTheirs);
        cells.set(cell, joined(own, { numbers, counts: theirs.counts }));
      }
      joinedTotals ??= byLine.map((line) => line.counted());
      joinedTotals = joinedTotals.map((own, line) => {
        const theirs = part.totals[line]!;
        return joined(own, { numbers: theirs.numbers.map(numberOfTheirs), counts: theirs.counts });
      });
    },
    values() {
      begin(-1);
      return mediansOf(values, joinedTotals ?? byLine.map((line) => line.middle() ?? line.counted()), cells, buckets);
    },
  };
}

interface MedianPart {
  readonly cells: ReadonlyMap<number, Counted>;
  /** By line. */
  readonly totals: readonly Counted[];
  readonly values: ReturnType<NumberedValues['all']>;
}

function joined(a: Counted | undefined, b: Counted): Counted {
  if (a === undefined) return b;
  const numbers = new Uint32Array(a.numbers.length + b.numbers.length);
  const counts = new Uint32Array(numbers.length);
  for (const [into, first, second] of [
    [numbers, a.numbers, b.numbers],
    [counts, a.counts, b.counts],
  ] as const) {
    into.set(first);
    into.set(second, first.length);
  }
  return { numbers, counts };
}

/** The values in the middle of a bucket, by their numbers, of which all are integers doubled. */
interface Middle {
  readonly low: number;
  readonly high: number;
}

/** 16 MB. */
const MOST_HELD = 2 ** 22;

/** The values of a line by their numbers, one bucket after another in one array. */
class LineValues {
  #numbers: Uint32Array = new Uint32Array(0);
  #size = 0;
  /** Where the values of the last bucket begin. */
  #begin = 0;
  /** Whether a number of the bucket, and of all, is odd: their order is not that of the values. */
  #hasOthers = 0;
  #everHadOthers = 0;
  /** The values of earlier buckets that are no longer held. */
  readonly #counts = new ValueCounts();
  readonly #arrays: ArrayPool;
  readonly #mostHeld: number;

  constructor(arrays: ArrayPool, mostHeld: number) {
    this.#arrays = arrays;
    this.#mostHeld = mostHeld;
  }

  add(number: number): void {
    if (this.#size === this.#numbers.length) this.#grow();
    this.#numbers[this.#size++] = number;
    this.#hasOthers |= number & 1;
  }

  #grow(): void {
    const former = this.#numbers;
    this.#numbers = this.#arrays.uint32(Math.max(1024, 2 * former.length));
    this.#numbers.set(former);
    this.#arrays.free(former);
  }

  /** Begins the next bucket. @returns what is needed of the last one; null: it had no values */
  endBucket(counts: ValueCounts, isShared: boolean): Counted | Middle | null {
    const bucket = this.#numbers.subarray(this.#begin, this.#size);
    if (bucket.length === 0) return null;
    let cell: Counted | Middle;
    if (isShared || this.#hasOthers !== 0) {
      counts.addAll(bucket);
      cell = counts.take();
    } else cell = middle(bucket);
    this.#everHadOthers |= this.#hasOthers;
    this.#hasOthers = 0;
    if (this.#size > this.#mostHeld) this.#count();
    this.#begin = this.#size;
    return cell;
  }

  /** The middle of all buckets. Null: the order of the values is not known, or they are no longer held. */
  middle(): Middle | null {
    if (this.#everHadOthers !== 0 || this.#counts.size > 0 || this.#size === 0) return null;
    return middle(this.#numbers.subarray(0, this.#size));
  }

  /** The values of all buckets, which are dropped. */
  counted(): Counted {
    this.#count();
    return this.#counts.take();
  }

  #count(): void {
    this.#counts.addAll(this.#numbers.subarray(0, this.#size));
    this.#size = 0;
    this.#begin = 0;
  }
}

function middle(numbers: Uint32Array): Middle {
  const [low, high] = middleOf(numbers, numbers.length);
  return { low, high };
}

/** Counts of values by their numbers. */
class ValueCounts {
  #counts = new Uint32Array(64);
  #numbers = new Uint32Array(64);
  size = 0;

  addAll(numbers: Uint32Array): void {
    for (let i = 0; i < numbers.length; i++) this.add(numbers[i]!, 1);
  }

  add(number: number, times: number): void {
    if (number >= this.#counts.length) this.#counts = atLeast(this.#counts, number + 1);
    if (this.#counts[number] === 0) {
      if (this.size === this.#numbers.length) this.#numbers = atLeast(this.#numbers, this.size + 1);
      this.#numbers[this.size++] = number;
    }
    this.#counts[number]! += times;
  }

  /** The counts so far, which then are all 0. */
  take(): Counted {
    const numbers = this.#numbers.slice(0, this.size);
    const counts = new Uint32Array(this.size);
    for (let i = 0; i < numbers.length; i++) {
      counts[i] = this.#counts[numbers[i]!]!;
      this.#counts[numbers[i]!] = 0;
    }
    this.size = 0;
    return { numbers, counts };
  }
}

/** A function outside of the tally: a closure inside it would keep the tally's state in memory. */
function mediansOf(
  values: NumberedValues,
  totals: readonly (Counted | Middle)[],
  cells: ReadonlyMap<number, Counted | Middle>,
  buckets: number,
): ValueOf {
  const all = new ValueCounts();
  for (const cell of [...totals, ...cells.values()]) {
    if ('low' in cell) all.addAll(Uint32Array.of(cell.low, cell.high));
    else all.addAll(cell.numbers);
  }
  const { ranks, count, sorted, decimals } = values.ranked(all.take().numbers);
  /** By rank; all 0 between calls. */
  const counts = new Uint32Array(count);
  return (line, bucket) => {
    const counted = bucket === null ? totals[line]! : cells.get(line * buckets + bucket);
    if (counted === undefined) return null;
    if ('low' in counted) return medianText(ranks[counted.low]!, ranks[counted.high]!);
    if (counted.numbers.length === 0) return null;
    let total = 0;
    for (let i = 0; i < counted.numbers.length; i++) {
      counts[ranks[counted.numbers[i]!]!]! += counted.counts[i]!;
      total += counted.counts[i]!;
    }
    const [low, high] = middleRanks(counted, total);
    for (let i = 0; i < counted.numbers.length; i++) counts[ranks[counted.numbers[i]!]!] = 0;
    return medianText(low, high);
  };

  function medianText(low: number, high: number): string {
    return decimalText((sorted(low) + sorted(high)) * 5n, decimals + 1);
  }

  /** The ranks of the one or two values in the middle of all. */
  function middleRanks({ numbers }: Counted, total: number): readonly [number, number] {
    // Few of many values: visiting only their ranks is faster than visiting all.
    const visited = numbers.length * SORT_COST < counts.length ? numbers.map((number) => ranks[number]!).sort() : null;
    const most = visited === null ? counts.length : visited.length;
    const [first, second] = [Math.ceil(total / 2), Math.floor(total / 2) + 1];
    let seen = 0;
    let low = -1;
    for (let i = 0; i < most; i++) {
      const rank = visited === null ? i : visited[i]!;
      if (visited !== null && i > 0 && rank === visited[i - 1]!) continue;
      seen += counts[rank]!;
      if (low < 0 && seen >= first) low = rank;
      if (seen >= second) return [low, rank];
    }
    throw new Error(`there are ${seen} values, not ${total}`);
  }
}

/** How many times longer it takes to sort a rank than to pass one. */
const SORT_COST = 16;
