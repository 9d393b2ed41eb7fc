import { codedOf } from '../../../projections/events/packed/chunk.ts';
import { scaledDecimalsOf } from '../../../projections/events/packed/decimals.ts';
import { atLeast } from '../array-pool.ts';
import { middleOf } from './middle.ts';
import { isDirect, type NumberedValues, numberedValues } from './numbered-values.ts';
import { decimalText } from './statistics.ts';
import type { Tally, TallySize, ValueOf } from './tally.ts';

/** How often each of some values occurs. `numbers` are those of {@link NumberedValues}; each may occur several times. */
interface Counted {
  readonly numbers: Uint32Array;
  readonly counts: Uint32Array;
}

/** Medians of the values of events. */
export function medianTally(column: 'value_int' | 'value_amount', { lines, buckets, isShared }: TallySize): Tally {
  const values = numberedValues();
  /** By line: the values of the bucket that is being added, and the counts of the whole period. */
  const inBucket = Array.from({ length: lines }, () => new Numbers());
  const inAll = Array.from({ length: lines }, () => new ValueCounts());
  const counts = new ValueCounts();
  let current = -1;
  const cells = new Map<number, Counted | Middle>();
  let codes: ArrayLike<number> = [];
  /** By code: integers that are numbers when they are doubled and multiplied with `factor`, and others. */
  let integers: Float64Array = new Float64Array(0);
  let factor = Number.NaN;
  let numberOf: (code: number) => number = () => -1;

  /** Keeps what the current bucket needs, and begins another one. */
  function begin(bucket: number): void {
    for (const [line, numbers] of inBucket.entries()) {
      if (numbers.size === 0) continue;
      cells.set(line * buckets + current, (isShared ? null : numbers.middle()) ?? numbers.counted(counts));
      numbers.clear();
    }
    current = bucket;
  }

  return {
    columns: [column],
    open(chunk) {
      const coded = codedOf(chunk, column);
      codes = coded.codes;
      const scaled = scaledDecimalsOf(coded);
      integers = scaled?.integers ?? new Float64Array(coded.values.length).fill(Number.NaN);
      factor = scaled === null ? Number.NaN : values.directFactor(scaled.decimals);
      const texts = scaled === null ? coded.values : [];
      numberOf = (code) => {
        if (code === 0) return -1; // no value
        return scaled === null
          ? values.ofText(texts[code] as string)
          : values.ofInteger(scaled.integers[code]!, scaled.decimals);
      };
    },
    add(bucket, positions, linesAt, from, to) {
      if (bucket !== current) begin(bucket);
      for (let i = from; i < to; i++) {
        const code = codes[positions[i]!]!;
        const direct = integers[code]! * factor;
        const number = isDirect(direct) ? 2 * direct : numberOf(code);
        if (number < 0) continue;
        const line = linesAt === null ? 0 : linesAt[i]!;
        inBucket[line]!.add(number);
        inAll[line]!.add(number, 1);
      }
    },
    part(): MedianPart {
      begin(-1);
      return {
        cells: cells as Map<number, Counted>,
        totals: inAll.map((counts) => counts.take()),
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
      for (const [line, { numbers, counts }] of part.totals.entries())
        for (let i = 0; i < numbers.length; i++) inAll[line]!.add(numberOfTheirs(numbers[i]!), counts[i]!);
    },
    values() {
      begin(-1);
      return mediansOf(
        values,
        inAll.map((counts) => counts.take()),
        cells,
        buckets,
      );
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

/** The numbers of the values of a bucket. */
class Numbers {
  #numbers = new Uint32Array(64);
  /** Whether one of the numbers is odd: their order is not that of the values. */
  #areOthers = 0;
  size = 0;

  add(number: number): void {
    if (this.size === this.#numbers.length) this.#numbers = atLeast(this.#numbers, this.size + 1);
    this.#numbers[this.size++] = number;
    this.#areOthers |= number & 1;
  }

  clear(): void {
    this.size = 0;
    this.#areOthers = 0;
  }

  /** Null: the order of the values is not known yet. */
  middle(): Middle | null {
    if (this.#areOthers !== 0) return null;
    const [low, high] = middleOf(this.#numbers, this.size);
    return { low, high };
  }

  counted(counts: ValueCounts): Counted {
    for (let i = 0; i < this.size; i++) counts.add(this.#numbers[i]!, 1);
    return counts.take();
  }
}

/** Counts of values by their numbers. */
class ValueCounts {
  #counts = new Uint32Array(64);
  #numbers = new Uint32Array(64);
  size = 0;

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
  totals: readonly Counted[],
  cells: ReadonlyMap<number, Counted | Middle>,
  buckets: number,
): ValueOf {
  const all = new ValueCounts();
  for (const { numbers } of totals) for (let i = 0; i < numbers.length; i++) all.add(numbers[i]!, 1);
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
