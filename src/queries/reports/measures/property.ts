import type { Measure } from '../../../domain/reports/report.ts';
import { codedOf } from '../../../projections/events/packed/chunk.ts';
import { decimalsOf, scaled, statisticOf } from './statistics.ts';
import type { Tally, TallySize } from './tally.ts';

/** A statistic of the values of events that have one. Exact: it counts how often each value occurs. */
export function propertyTally(
  { statistic, field }: Extract<Measure, { type: 'property' }>,
  { lines, buckets }: TallySize,
): Tally {
  const column = field === 'events.value_int' ? 'value_int' : 'value_amount';
  /** For each cell (line and bucket), how often each value occurred, by the value's number. */
  const cells: Map<number, number>[] = Array.from({ length: lines * buckets });
  /** Numbers of the values, by decimal text, in the order in which they occur. */
  const numbers = new Map<string, number>();
  let codes: ArrayLike<number> = [];
  /** By the chunk's code of a value; -1: no value. */
  let numberOf = new Int32Array(0);
  return {
    columns: [column],
    open(chunk) {
      const coded = codedOf(chunk, column);
      codes = coded.codes;
      numberOf = Int32Array.from(coded.values, (value) => {
        if (value === null) return -1;
        let number = numbers.get(value as string);
        if (number === undefined) {
          number = numbers.size;
          numbers.set(value as string, number);
        }
        return number;
      });
    },
    add(bucket, positions, linesAt, from, to) {
      for (let i = from; i < to; i++) {
        const number = numberOf[codes[positions[i]!]!]!;
        if (number < 0) continue;
        const cell = (linesAt === null ? 0 : linesAt[i]!) * buckets + bucket;
        let counts = cells[cell];
        if (counts === undefined) {
          counts = new Map();
          cells[cell] = counts;
        }
        counts.set(number, (counts.get(number) ?? 0) + 1);
      }
    },
    values() {
      const { values, ranks, decimals } = rankOf([...numbers.keys()]);
      return (line, bucket) => {
        const counts =
          bucket === null ? sumOf(cells.slice(line * buckets, (line + 1) * buckets)) : cells[line * buckets + bucket];
        const sorted = [...(counts ?? [])].sort(([a], [b]) => ranks[a]! - ranks[b]!);
        return statisticOf(
          statistic,
          sorted.map(([number, count]) => [values[number]!, count]),
          decimals,
        );
      };
    },
  };
}

/** Values as integers scaled by the same number of decimals, and the rank of each in ascending order. */
interface Ranked {
  readonly values: readonly bigint[];
  readonly ranks: Uint32Array;
  readonly decimals: number;
}

function rankOf(texts: readonly string[]): Ranked {
  const decimals = texts.reduce((most, text) => Math.max(most, decimalsOf(text)), 0);
  const values = texts.map((text) => scaled(text, decimals));
  const order = values
    .map((_, i) => i)
    .sort((a, b) => (values[a]! < values[b]! ? -1 : values[a]! > values[b]! ? 1 : 0));
  const ranks = new Uint32Array(order.length);
  for (const [rank, i] of order.entries()) ranks[i] = rank;
  return { values, ranks, decimals };
}

function sumOf(cells: readonly (ReadonlyMap<number, number> | undefined)[]): Map<number, number> {
  const all = new Map<number, number>();
  for (const cell of cells) for (const [number, count] of cell ?? []) all.set(number, (all.get(number) ?? 0) + count);
  return all;
}
