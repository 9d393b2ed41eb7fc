import type { Statistic } from '../../domain/reports/report.ts';
import type { CodedColumn, CodedName } from '../chunk.ts';
import { scaledDecimalsOf } from '../decimals.ts';
import { decimalsOf as decimalsIn } from '../properties.ts';
import { decimalsOf, decimalText, meanText, scaled } from './statistics.ts';
import type { Tally, TallySize } from './tally.ts';

/** The values of a line in a bucket: how many, their sum, the least and the greatest. Integers with `decimals`. */
interface Cell {
  count: number;
  sum: bigint;
  least: bigint;
  greatest: bigint;
  decimals: number;
}

/** Sums, means, minima and maxima of the values of events. */
export function sumTally(
  statistic: Exclude<Statistic, 'median'> | 'sum',
  column: CodedName,
  { lines, buckets }: TallySize,
): Tally {
  const cells: (Cell | undefined)[] = Array.from({ length: lines * buckets });
  /** Of each line, the values of one call of `add`: their number, sum, least and greatest. All zero between calls. */
  const counts = new Float64Array(lines);
  const sums = new Float64Array(lines);
  const least = new Float64Array(lines);
  const greatest = new Float64Array(lines);
  let coded: CodedColumn;
  /** The integers by code, and their decimals; null: they are too large, or too many, to add them as doubles. */
  let integers: Float64Array | null = null;
  let decimals = 0;
  /** The integers by code, if they are not added as doubles. */
  let large: readonly (bigint | null)[] = [];

  return {
    columns: [column],
    open(chunk) {
      coded = decimalsIn(chunk, column);
      const short = scaledDecimalsOf(coded);
      integers = short !== null && short.greatest * chunk.size <= Number.MAX_SAFE_INTEGER ? short.integers : null;
      if (integers !== null) {
        decimals = short!.decimals;
        return;
      }
      const texts = coded.values as readonly (string | null)[];
      decimals = texts.reduce((most, text) => Math.max(most, text === null ? 0 : decimalsOf(text)), 0);
      large = texts.map((text) => (text === null ? null : scaled(text, decimals)));
    },
    add(bucket, positions, linesAt, from, to) {
      const { codes } = coded;
      if (integers === null) {
        for (let i = from; i < to; i++) {
          const value = large[codes[positions[i]!]!]!;
          if (value === null) continue;
          addTo(bucket, linesAt === null ? 0 : linesAt[i]!, {
            count: 1,
            sum: value,
            least: value,
            greatest: value,
            decimals,
          });
        }
        return;
      }
      for (let i = from; i < to; i++) {
        const value = integers[codes[positions[i]!]!]!;
        if (Number.isNaN(value)) continue;
        const line = linesAt === null ? 0 : linesAt[i]!;
        const isFirst = counts[line] === 0;
        counts[line]!++;
        sums[line]! += value;
        if (isFirst || value < least[line]!) least[line] = value;
        if (isFirst || value > greatest[line]!) greatest[line] = value;
      }
      for (let line = 0; line < lines; line++) {
        if (counts[line] === 0) continue;
        const [sum, low, high] = [BigInt(sums[line]!), BigInt(least[line]!), BigInt(greatest[line]!)];
        addTo(bucket, line, { count: counts[line]!, sum, least: low, greatest: high, decimals });
        counts[line] = 0;
        sums[line] = 0;
      }
    },
    part: () => cells,
    join(part: readonly (Cell | undefined)[]) {
      for (const [i, cell] of part.entries()) if (cell !== undefined) cells[i] = joined(cells[i], cell);
    },
    values: () => (line, bucket) => {
      if (bucket !== null) return textOf(statistic, cells[line * buckets + bucket]);
      let all: Cell | undefined;
      for (const cell of cells.slice(line * buckets, (line + 1) * buckets))
        all = cell === undefined ? all : joined(all, cell);
      return textOf(statistic, all);
    },
  };

  function addTo(bucket: number, line: number, cell: Cell): void {
    cells[line * buckets + bucket] = joined(cells[line * buckets + bucket], cell);
  }
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

function textOf(statistic: Exclude<Statistic, 'median'> | 'sum', cell: Cell | undefined): string | null {
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
