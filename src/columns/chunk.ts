/**
 * Consecutive events of a bot in the order of (date, ord), column by column, as reports read them. A packed chunk is one
 * row of the table `chunks` (columns.ts). Events that are not packed yet are made into chunks as they are read (rows.ts).
 */
export interface Chunk {
  /** The number of events. */
  readonly size: number;
  /** The requested columns, and perhaps others. */
  readonly columns: ReadonlyMap<ColumnName, Column>;
}

/** The events of a chunk when it is packed first. */
export const CHUNK_EVENTS = 4096;

/**
 * How many packings of a bot's events a rebuild of only this bot counts for, more than there ever are: the higher bits of
 * `timelines.packings` count these rebuilds. After one, users may have another index.
 */
export const PACKINGS_OF_A_REBUILD = 2 ** 32;

export type Column = IndexColumn | NumberColumn | CodedColumn;

/**
 * Indexes of a bot's things: of the user among its known users, from 0 (`known_users.idx`), or of the UTM combination,
 * from 1; 0: none.
 */
interface IndexColumn {
  readonly kind: 'index';
  readonly indexes: Uint32Array;
}

/** Integers; NaN: none. */
interface NumberColumn {
  readonly kind: 'number';
  readonly numbers: Float64Array;
}

/** Few different values; each event has the index of its value. */
export interface CodedColumn {
  readonly kind: 'coded';
  readonly codes: Codes;
  /**
   * Each value once; the first is null: no value. Decimals are text, and so are the values of properties (JSON).
   * Decimals may be parsed at each access.
   */
  readonly values: readonly (string | number | null)[];
}

export type Codes = Uint8Array | Uint16Array | Uint32Array;

/** `size` zeros of the smallest type that has codes for so many values. */
export function newCodes(values: number, size: number): Codes {
  if (values <= 0x100) return new Uint8Array(size);
  return values <= 0x1_0000 ? new Uint16Array(size) : new Uint32Array(size);
}

/** Kinds of columns, by their names in the tables `events` and `chunks`. */
const COLUMN_KINDS = {
  user_idx: 'index',
  date: 'number',
  ord: 'number',
  date_received: 'number',
  session: 'number',
  app_session: 'number',
  event_id: 'coded',
  utm_id: 'index',
  value_int: 'coded',
  value_amount: 'coded',
  unit: 'coded',
  value_str: 'coded',
  category: 'coded',
  webapp_name: 'coded',
} as const satisfies Record<string, Column['kind']>;
type FixedName = keyof typeof COLUMN_KINDS;
/** A column of the values of a property (properties.ts). */
export type PropertyColumn = `properties.${string}`;
export type ColumnName = FixedName | PropertyColumn;
export type IndexName = NamesOf<'index'>;
export type NumberName = NamesOf<'number'>;
export type CodedName = NamesOf<'coded'> | PropertyColumn;
type NamesOf<Kind> = { [K in FixedName]: (typeof COLUMN_KINDS)[K] extends Kind ? K : never }[FixedName];

/** The columns that every chunk has. */
export const FIXED_COLUMNS = Object.keys(COLUMN_KINDS) as readonly FixedName[];

export function kindOf(name: ColumnName): Column['kind'] {
  return Object.hasOwn(COLUMN_KINDS, name) ? COLUMN_KINDS[name as FixedName] : 'coded';
}

export function indexesOf(chunk: Chunk, name: IndexName): Uint32Array {
  return columnOf(chunk, name, 'index').indexes;
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

/** A coded column without any value. */
export function nothingCoded(size: number): CodedColumn {
  return { kind: 'coded', codes: new Uint8Array(size), values: [null] };
}
