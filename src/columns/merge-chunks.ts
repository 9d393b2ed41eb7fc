import {
  type Chunk,
  type CodedColumn,
  type Codes,
  type Column,
  type ColumnName,
  newCodes,
  numbersOf,
} from './chunk.ts';
import { DecimalColumn } from './decimals.ts';

/**
 * Merges a chunk with events that were added or changed later. Both have `date` and `ord`, and the columns of `later`.
 * For an event of both, `later` counts.
 */
export function mergeChunks(packed: Chunk, later: Chunk): Chunk {
  const order = mergedOrder(packed, later);
  const columns = new Map<ColumnName, Column>();
  for (const [name, column] of later.columns) columns.set(name, mergeColumn(packed.columns.get(name)!, column, order));
  return { size: order.length, columns };
}

/** The index of each event of the result: in `packed`, or after its end in `later`. */
function mergedOrder(packed: Chunk, later: Chunk): Uint32Array {
  const [dates, ords] = [numbersOf(packed, 'date'), numbersOf(packed, 'ord')];
  const [laterDates, laterOrds] = [numbersOf(later, 'date'), numbersOf(later, 'ord')];
  const merged = new Uint32Array(packed.size + later.size);
  let [size, at, next] = [0, 0, 0];
  while (at < packed.size || next < later.size) {
    const order =
      at === packed.size
        ? 1
        : next === later.size
          ? -1
          : dates[at]! - laterDates[next]! || ords[at]! - laterOrds[next]!;
    if (order < 0) merged[size++] = at++;
    else {
      if (order === 0) at++;
      merged[size++] = packed.size + next++;
    }
  }
  return merged.slice(0, size);
}

function mergeColumn(packed: Column, later: Column, order: Uint32Array): Column {
  if (packed.kind === 'index' && later.kind === 'index') {
    const merged = new Uint32Array(order.length);
    pick(merged, packed.indexes, later.indexes, order);
    return { kind: 'index', indexes: merged };
  }
  if (packed.kind === 'number' && later.kind === 'number') {
    const numbers = new Float64Array(order.length);
    pick(numbers, packed.numbers, later.numbers, order);
    return { kind: 'number', numbers };
  }
  if (packed.kind === 'coded' && later.kind === 'coded') return mergeCoded(packed, later, order);
  throw new Error(`columns of two kinds: ${packed.kind}, ${later.kind}`);
}

function mergeCoded(packed: CodedColumn, later: CodedColumn, order: Uint32Array): CodedColumn {
  const values = [...packed.values];
  const codeOf = new Map(values.map((value, code) => [value, code]));
  const moved = Uint32Array.from(later.values, (value) => codeOf.get(value) ?? values.push(value) - 1);
  const codes = newCodes(values.length, order.length);
  pick(
    codes,
    packed.codes,
    Uint32Array.from(later.codes, (code) => moved[code]!),
    order,
  );
  if (!(packed instanceof DecimalColumn)) return { kind: 'coded', codes, values };
  return new DecimalColumn(codes, Buffer.from(JSON.stringify(values), 'latin1'), values.length);
}

type Cells = Codes | Float64Array;

function pick(into: Cells, packed: Cells, later: Cells, order: Uint32Array): void {
  for (let i = 0; i < order.length; i++) {
    const index = order[i]!;
    into[i] = index < packed.length ? packed[index]! : later[index - packed.length]!;
  }
}
