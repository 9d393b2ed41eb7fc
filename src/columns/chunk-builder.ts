import { readBigint } from '../util/read-bigint.ts';
import { type Chunk, type CodedColumn, type Column, type ColumnName, kindOf, newCodes } from './chunk.ts';
import { eachProperty, propertyColumn, propertyOf } from './property-codes.ts';

/** Builds chunks from rows of the table `events`. The rows come in the order of (date, ord). */
export interface ChunkBuilder {
  /** Adds a row of {@link rowColumns}, in the binary format of COPY. */
  add(bytes: Buffer, starts: Int32Array, lengths: Int32Array): void;
  readonly size: number;
  /** The chunk of the rows so far. The next row begins another chunk. */
  build(): Chunk;
}

/** The select list, from `events AS e`, for a chunk with these columns, in their order. */
export function rowColumns(names: readonly ColumnName[]): string {
  return names
    .map((name) => {
      const property = propertyOf(name);
      return property === null ? `e.${name}${CASTS[name] ?? ''}` : `(e.properties -> '${property}')::text`;
    })
    .join();
}

/** Numeric as text, since its binary format is groups of four decimal digits. */
const CASTS: Partial<Record<ColumnName, string>> = {
  value_int: '::text',
  value_amount: '::text',
};
/** Coded columns that are integers of 4 bytes in the table; the others are text. */
const INTEGERS: ReadonlySet<ColumnName> = new Set(['event_id']);

/** @param expected rows of a chunk; there may be more */
export function chunkBuilder(names: readonly ColumnName[], expected: number): ChunkBuilder {
  let size = 0;
  let columns: readonly GrowingColumn[] = [];
  return {
    add(bytes, starts, lengths) {
      if (size === 0) columns = names.map((name) => newColumn(name, expected));
      for (let i = 0; i < columns.length; i++) columns[i]!.set(size, bytes, starts[i]!, lengths[i]!);
      size++;
    },
    get size() {
      return size;
    },
    build() {
      const chunk = { size, columns: new Map(columns.map(({ finish }, i) => [names[i]!, finish(size)])) };
      size = 0;
      return chunk;
    },
  };
}

interface GrowingColumn {
  set(row: number, bytes: Buffer, start: number, length: number): void;
  finish(size: number): Column;
}

function newColumn(name: ColumnName, expected: number): GrowingColumn {
  switch (kindOf(name)) {
    case 'index': {
      let indexes = new Uint32Array(expected);
      return {
        set(row, bytes, start, length) {
          if (row === indexes.length) indexes = grown(indexes, new Uint32Array(2 * row));
          if (length > 0) indexes[row] = bytes.readInt32BE(start);
        },
        finish: (size) => ({ kind: 'index', indexes: indexes.slice(0, size) }),
      };
    }
    case 'number': {
      let numbers = new Float64Array(expected);
      return {
        set(row, bytes, start, length) {
          if (row === numbers.length) numbers = grown(numbers, new Float64Array(2 * row));
          numbers[row] = length < 0 ? Number.NaN : readBigint(bytes, start);
        },
        finish: (size) => ({ kind: 'number', numbers: numbers.slice(0, size) }),
      };
    }
    case 'coded':
      return INTEGERS.has(name)
        ? codedColumn(expected, (bytes, start) => bytes.readInt32BE(start))
        : codedColumn(expected, (bytes, start, length) => bytes.toString('utf8', start, start + length));
  }
}

function codedColumn<T extends string | number>(
  expected: number,
  read: (bytes: Buffer, start: number, length: number) => T,
): GrowingColumn {
  const { setValue, finish } = growingCodes<T>(expected);
  return {
    set(row, bytes, start, length) {
      if (length >= 0) setValue(row, read(bytes, start, length));
    },
    finish,
  };
}

interface GrowingCodes<T> {
  finish(size: number): CodedColumn;
  /** Rows that are left out have no value. */
  setValue(row: number, value: T): void;
}

function growingCodes<T extends string | number>(expected: number): GrowingCodes<T> {
  let codes = new Uint32Array(expected); // 0: no value
  const codeOf = new Map<T, number>();
  return {
    setValue(row, value) {
      if (row >= codes.length) codes = grown(codes, new Uint32Array(2 * row));
      let code = codeOf.get(value);
      if (code === undefined) {
        code = codeOf.size + 1;
        codeOf.set(value, code);
      }
      codes[row] = code;
    },
    finish(size): CodedColumn {
      const values = [null, ...codeOf.keys()];
      const used = newCodes(values.length, size);
      used.set(codes.subarray(0, Math.min(size, codes.length)));
      return { kind: 'coded', codes: used, values };
    },
  };
}

function grown<A extends Uint32Array | Float64Array>(small: A, large: A): A {
  large.set(small);
  return large;
}

/** Builds the columns of all properties of rows. */
export interface PropertiesBuilder {
  /** Adds a row with the JSON text of its properties. */
  add(row: number, text: string): void;
  /** A column of `size` rows for each property that occurs in them. The next row begins other columns. */
  build(size: number): Map<ColumnName, CodedColumn>;
}

/** @param expected rows of a chunk; there may be more */
export function propertiesBuilder(expected: number): PropertiesBuilder {
  const columns = new Map<string, GrowingCodes<string>>();
  return {
    add(row, text) {
      for (const [name, json] of eachProperty(text)) {
        let column = columns.get(name);
        if (column === undefined) {
          column = growingCodes(expected);
          columns.set(name, column);
        }
        column.setValue(row, json);
      }
    },
    build(size) {
      const built = new Map([...columns].map(([name, { finish }]) => [propertyColumn(name), finish(size)] as const));
      columns.clear();
      return built;
    },
  };
}
