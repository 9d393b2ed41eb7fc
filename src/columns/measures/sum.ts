import type { Statistic } from '../../domain/reports/report.ts';
import type { Chunk, CodedColumn, CodedName, Codes } from '../chunk.ts';
import { scaledDecimalsOf } from '../decimals.ts';
import type { Positions } from '../positions.ts';
import { decimalsOf as decimalsIn } from '../property-codes.ts';
import { decimalsOf, decimalText, meanText, scaled } from './statistics.ts';
import type { Tally, TallySize, ValueOf } from './tally.ts';

type SumStatistic = Exclude<Statistic, 'median'> | 'sum';

/** The values of a line in a bucket: how many, their sum, the least and the greatest. Integers with `decimals`. */
interface Cell {
  readonly count: number;
  readonly sum: bigint;
  readonly least: bigint;
  readonly greatest: bigint;
  readonly decimals: number;
}

/** Sums, means, minima and maxima of the values of events. */
export class SumTally implements Tally {
  readonly columns: readonly CodedName[];
  readonly #statistic: SumStatistic;
  readonly #column: CodedName;
  readonly #buckets: number;
  /** By `line * buckets + bucket`. */
  readonly #cells: (Cell | undefined)[];
  /** By line, the values of one call of `add`: their number, sum, least and greatest. Counts and sums are 0 between calls. */
  readonly #counts: Float64Array;
  readonly #sums: Float64Array;
  readonly #least: Float64Array;
  readonly #greatest: Float64Array;
  #codes: Codes = new Uint8Array(0);
  /** The scale of the open chunk's values. */
  #decimals = 0;
  /** By code; NaN: no value. Null: the values are too large, or too many, to add them as doubles. */
  #doubles: Float64Array | null = null;
  /** By code, if they are not added as doubles. */
  #integers: readonly (bigint | null)[] = [];

  constructor(statistic: SumStatistic, column: CodedName, { lines, buckets }: TallySize) {
    this.#statistic = statistic;
    this.#column = column;
    this.columns = [column];
    this.#buckets = buckets;
    this.#cells = Array.from({ length: lines * buckets });
    this.#counts = new Float64Array(lines);
    this.#sums = new Float64Array(lines);
    this.#least = new Float64Array(lines);
    this.#greatest = new Float64Array(lines);
  }

  open(chunk: Chunk): void {
    const coded = decimalsIn(chunk, this.#column);
    this.#codes = coded.codes;
    const short = scaledDecimalsOf(coded);
    if (short !== null && short.greatest * chunk.size <= Number.MAX_SAFE_INTEGER) {
      this.#doubles = short.integers;
      this.#decimals = short.decimals;
    } else {
      this.#doubles = null;
      this.#readIntegers(coded);
    }
  }

  #readIntegers({ values }: CodedColumn): void {
    const texts = values as readonly (string | null)[];
    const decimals = texts.reduce((most, text) => Math.max(most, text === null ? 0 : decimalsOf(text)), 0);
    this.#decimals = decimals;
    this.#integers = texts.map((text) => (text === null ? null : scaled(text, decimals)));
  }

  add(bucket: number, positions: Positions, linesAt: Uint32Array | null, from: number, to: number): void {
    const codes = this.#codes;
    if (this.#doubles !== null) {
      this.#addDoubles(this.#doubles, positions, linesAt, from, to);
      this.#endDoubles(bucket);
      return;
    }
    for (let i = from; i < to; i++) {
      const value = this.#integers[codes[positions[i]!]!]!;
      if (value === null) continue;
      const cell = { count: 1, sum: value, least: value, greatest: value, decimals: this.#decimals };
      this.#addTo(bucket, linesAt === null ? 0 : linesAt[i]!, cell);
    }
  }

  #addDoubles(
    doubles: Float64Array,
    positions: Positions,
    linesAt: Uint32Array | null,
    from: number,
    to: number,
  ): void {
    const [codes, counts, sums, least, greatest] = [this.#codes, this.#counts, this.#sums, this.#least, this.#greatest];
    for (let i = from; i < to; i++) {
      const value = doubles[codes[positions[i]!]!]!;
      if (Number.isNaN(value)) continue;
      const line = linesAt === null ? 0 : linesAt[i]!;
      const isFirst = counts[line] === 0;
      counts[line]!++;
      sums[line]! += value;
      if (isFirst || value < least[line]!) least[line] = value;
      if (isFirst || value > greatest[line]!) greatest[line] = value;
    }
  }

  /** Adds the doubles of each line to its cell. */
  #endDoubles(bucket: number): void {
    const [counts, sums, decimals] = [this.#counts, this.#sums, this.#decimals];
    for (let line = 0; line < counts.length; line++) {
      if (counts[line] === 0) continue;
      const [least, greatest] = [BigInt(this.#least[line]!), BigInt(this.#greatest[line]!)];
      this.#addTo(bucket, line, { count: counts[line]!, sum: BigInt(sums[line]!), least, greatest, decimals });
      counts[line] = 0;
      sums[line] = 0;
    }
  }

  #addTo(bucket: number, line: number, cell: Cell): void {
    const at = line * this.#buckets + bucket;
    this.#cells[at] = joined(this.#cells[at], cell);
  }

  values(): ValueOf {
    return measuresOf(this.#statistic, this.#cells, this.#buckets);
  }
}

/** A function outside of the tally: a closure inside it would keep the tally's arrays in memory. */
function measuresOf(statistic: SumStatistic, cells: readonly (Cell | undefined)[], buckets: number): ValueOf {
  return (line, bucket) => {
    if (bucket !== null) return textOf(statistic, cells[line * buckets + bucket]);
    let all: Cell | undefined;
    for (const cell of cells.slice(line * buckets, (line + 1) * buckets))
      all = cell === undefined ? all : joined(all, cell);
    return textOf(statistic, all);
  };
}

function joined(a: Cell | undefined, b: Cell): Cell {
  if (a === undefined) return b;
  const decimals = Math.max(a.decimals, b.decimals);
  const [x, y] = [rescaled(a, decimals), rescaled(b, decimals)];
  return {
    count: x.count + y.count,
    sum: x.sum + y.sum,
    least: ascending(x.least, y.least)[0],
    greatest: ascending(x.greatest, y.greatest)[1],
    decimals,
  };
}

function ascending(a: bigint, b: bigint): readonly [bigint, bigint] {
  return a < b ? [a, b] : [b, a];
}

function rescaled(cell: Cell, decimals: number): Cell {
  if (cell.decimals === decimals) return cell;
  const factor = 10n ** BigInt(decimals - cell.decimals);
  const { count, sum, least, greatest } = cell;
  return { count, sum: sum * factor, least: least * factor, greatest: greatest * factor, decimals };
}

function textOf(statistic: SumStatistic, cell: Cell | undefined): string | null {
  if (cell === undefined) return statistic === 'sum' ? '0' : null;
  const { count, sum, least, greatest, decimals } = cell;
  switch (statistic) {
    case 'sum':
      return decimalText(sum, decimals);
    case 'avg':
      return meanText(sum, count, decimals);
    case 'min':
      return decimalText(least, decimals);
    case 'max':
      return decimalText(greatest, decimals);
  }
}
