import {
  type Chunk,
  type CodedColumn,
  type Codes,
  type Column,
  type ColumnName,
  newCodes,
  numbersOf,
} from './chunk.ts';

/**
 * A chunk with events that came later: both have `date` and `ord`, and the columns of `later`. What both have, `later` has
 * right.
 */
export function mergeChunks(packed: Chunk, later: Chunk): Chunk {
  const places = mergedPlaces(packed, later);
  const columns = new Map<ColumnName, Column>();
  for (const [name, column] of later.columns) columns.set(name, mergeColumn(packed.columns.get(name)!, column, places));
  return { size: places.length, columns };
}

/** Where each event of the result stands: in `packed`, or as far behind it in `later`. */
function mergedPlaces(packed: Chunk, later: Chunk): Uint32Array {
  const [dates, ords] = [numbersOf(packed, 'date'), numbersOf(packed, 'ord')];
  const [laterDates, laterOrds] = [numbersOf(later, 'date'), numbersOf(later, 'ord')];
  const places = new Uint32Array(packed.size + later.size);
  let [size, at, next] = [0, 0, 0];
  while (at < packed.size || next < later.size) {
    const order =
      at === packed.size
        ? 1
        : next === later.size
          ? -1
          : dates[at]! - laterDates[next]! || ords[at]! - laterOrds[next]!;
    if (order < 0) places[size++] = at++;
    else {
      if (order === 0) at++;
      places[size++] = packed.size + next++;
    }
  }
  return places.slice(0, size);
}

function mergeColumn(packed: Column, later: Column, places: Uint32Array): Column {
  if (packed.kind === 'place' && later.kind === 'place') {
    const merged = new Uint32Array(places.length);
    pick(merged, packed.places, later.places, places);
    return { kind: 'place', places: merged };
  }
  if (packed.kind === 'number' && later.kind === 'number') {
    const numbers = new Float64Array(places.length);
    pick(numbers, packed.numbers, later.numbers, places);
    return { kind: 'number', numbers };
  }
  if (packed.kind === 'coded' && later.kind === 'coded') return mergeCoded(packed, later, places);
  throw new Error(`columns of two kinds: ${packed.kind}, ${later.kind}`);
}

function mergeCoded(packed: CodedColumn, later: CodedColumn, places: Uint32Array): CodedColumn {
  const codeOf = new Map(packed.values.map((value, code) => [value, code]));
  const values = [...packed.values];
  const moved = Uint32Array.from(later.values, (value) => codeOf.get(value) ?? values.push(value) - 1);
  const codes = newCodes(values.length, places.length);
  pick(
    codes,
    packed.codes,
    Uint32Array.from(later.codes, (code) => moved[code]!),
    places,
  );
  return { kind: 'coded', codes, values };
}

type Cells = Codes | Float64Array;

function pick(into: Cells, packed: Cells, later: Cells, places: Uint32Array): void {
  for (let i = 0; i < places.length; i++) {
    const place = places[i]!;
    into[i] = place < packed.length ? packed[place]! : later[place - packed.length]!;
  }
}
