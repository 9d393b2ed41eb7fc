/**
 * A stretch of a bot's events in the order of (date, ord), column by column: what reports walk. Chunks are packed into
 * one row each (columns.ts); what is not packed yet is made into chunks as it is read (rows.ts).
 */
export interface Chunk {
  /** How many events. */
  readonly size: number;
  /** Those that were asked for, and perhaps others. */
  readonly columns: ReadonlyMap<ColumnName, Column>;
}

export type Column = PlaceColumn | NumberColumn | CodedColumn;

/**
 * Places in what a bot has of something: the user among its known users, from 0 (`known_users.idx`), or the UTM
 * combination, from 1; 0: none.
 */
export interface PlaceColumn {
  readonly kind: 'place';
  readonly places: Uint32Array;
}

/** Integers; NaN: none. */
export interface NumberColumn {
  readonly kind: 'number';
  readonly numbers: Float64Array;
}

/** Few different values, each event having the place of its own. */
export interface CodedColumn {
  readonly kind: 'coded';
  readonly codes: Codes;
  /** Each once, the first being null: no value. Decimals and JSON are text. */
  readonly values: readonly (string | number | null)[];
}

export type Codes = Uint8Array | Uint16Array | Uint32Array;

/** Zeros for the codes of so many values, as small as they can be. */
export function newCodes(values: number, size: number): Codes {
  if (values <= 0x100) return new Uint8Array(size);
  return values <= 0x1_0000 ? new Uint16Array(size) : new Uint32Array(size);
}

/** Columns by their names in the tables `events` and `chunks`. */
export const COLUMN_KINDS = {
  user_idx: 'place',
  date: 'number',
  ord: 'number',
  date_received: 'number',
  session: 'number',
  app_session: 'number',
  event_id: 'coded',
  utm_id: 'place',
  value_int: 'coded',
  value_amount: 'coded',
  unit: 'coded',
  value_str: 'coded',
  category: 'coded',
  webapp_name: 'coded',
  properties: 'coded',
} as const satisfies Record<string, Column['kind']>;
export type ColumnName = keyof typeof COLUMN_KINDS;
export type PlaceName = NamesOf<'place'>;
export type NumberName = NamesOf<'number'>;
export type CodedName = NamesOf<'coded'>;
type NamesOf<Kind> = { [K in ColumnName]: (typeof COLUMN_KINDS)[K] extends Kind ? K : never }[ColumnName];

export const COLUMN_NAMES = Object.keys(COLUMN_KINDS) as readonly ColumnName[];

export function placesOf(chunk: Chunk, name: PlaceName): Uint32Array {
  return columnOf(chunk, name, 'place').places;
}

export function numbersOf(chunk: Chunk, name: NumberName): Float64Array {
  return columnOf(chunk, name, 'number').numbers;
}

export function codedOf(chunk: Chunk, name: CodedName): CodedColumn {
  return columnOf(chunk, name, 'coded');
}

function columnOf<K extends Column['kind']>(
  { columns }: Chunk,
  name: ColumnName,
  kind: K,
): Extract<Column, { kind: K }> {
  const column = columns.get(name);
  if (column?.kind !== kind) throw new Error(`the chunk was not read with ${name}`);
  return column as Extract<Column, { kind: K }>;
}

/** A coded column of events of which none has a value. */
export function nothingCoded(size: number): CodedColumn {
  return { kind: 'coded', codes: new Uint8Array(size), values: [null] };
}

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
