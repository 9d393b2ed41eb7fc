import { COLUMN_KINDS, type CodedColumn, type Column, type ColumnName, newCodes, nothingCoded } from './chunk.ts';
import { DecimalColumn } from './decimals.ts';

/**
 * Columns of chunks as bytes, each one a `bytea`. Numbers are little-endian, the byte order of all supported machines.
 * - index: 4 bytes an event. No bytes: no event has one.
 * - number: a header of 8 bytes and 8 bytes an event; the first byte of the header is 0. If all numbers lie close together,
 *   the first byte is 1, the smallest number follows in 8 bytes, and each event has its distance from it in 4 bytes (the
 *   largest distance means none).
 * - coded: the number of values and the length of their text, in 4 bytes each; one code an event, in as many bytes as the
 *   number of values takes (`newCodes`); the values as a JSON array. No bytes: no event has a value.
 */
export function encodeColumn(column: Column): Buffer | null {
  switch (column.kind) {
    case 'index':
      return column.indexes.some((index) => index !== 0) ? bytesOf(column.indexes) : null;
    case 'number':
      return encodeNumbers(column.numbers);
    case 'coded':
      return encodeCoded(column);
  }
}

/** Decodes the column of `size` events. */
export function decodeColumn(name: ColumnName, size: number, bytes: Uint8Array | null): Column {
  switch (COLUMN_KINDS[name]) {
    case 'index':
      return { kind: 'index', indexes: bytes === null ? new Uint32Array(size) : new Uint32Array(copyOf(bytes)) };
    case 'number':
      return { kind: 'number', numbers: decodeNumbers(required(name, bytes)) };
    case 'coded':
      return bytes === null ? nothingCoded(size) : decodeCoded(size, bytes, DECIMALS.has(name));
  }
}

/** Columns of decimals: most reports read their values as integers. */
const DECIMALS: ReadonlySet<ColumnName> = new Set(['value_int', 'value_amount']);

function required(name: ColumnName, bytes: Uint8Array | null): Uint8Array {
  if (bytes === null) throw new Error(`a chunk without ${name}`);
  return bytes;
}

const HEADER = 8;
/** The distance of an event without a number. */
const NONE = 0xffffffff;

function encodeNumbers(numbers: Float64Array): Buffer {
  let [least, greatest] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (const number of numbers) {
    if (number < least) least = number;
    if (number > greatest) greatest = number;
  }
  if (!(greatest - least < NONE)) return Buffer.concat([Buffer.alloc(HEADER), bytesOf(numbers)]);
  const distances = new Uint32Array(numbers.length);
  for (let i = 0; i < numbers.length; i++) {
    const number = numbers[i]!;
    distances[i] = Number.isNaN(number) ? NONE : number - least;
  }
  const close = Buffer.alloc(HEADER);
  close[0] = 1;
  return Buffer.concat([close, bytesOf(Float64Array.of(least)), bytesOf(distances)]);
}

function decodeNumbers(bytes: Uint8Array): Float64Array {
  const body = copyOf(bytes.subarray(HEADER));
  if (bytes[0] === 0) return new Float64Array(body);
  const least = new Float64Array(body, 0, 1)[0]!;
  const distances = new Uint32Array(body, 8);
  const numbers = new Float64Array(distances.length);
  for (let i = 0; i < distances.length; i++) {
    const distance = distances[i]!;
    numbers[i] = distance === NONE ? Number.NaN : least + distance;
  }
  return numbers;
}

function encodeCoded({ codes, values }: CodedColumn): Buffer | null {
  if (values.length === 1) return null;
  const text = Buffer.from(JSON.stringify(values));
  return Buffer.concat([bytesOf(Uint32Array.of(values.length, text.length)), bytesOf(codes), text]);
}

function decodeCoded(size: number, bytes: Uint8Array, isDecimal: boolean): CodedColumn {
  const [count, length] = new Uint32Array(copyOf(bytes.subarray(0, HEADER)));
  const codes = newCodes(count!, size);
  const stored = bytes.subarray(HEADER, HEADER + codes.byteLength);
  new Uint8Array(codes.buffer).set(stored);
  const text = Buffer.from(bytes.buffer, bytes.byteOffset + HEADER + codes.byteLength, length);
  if (isDecimal) return new DecimalColumn(codes, Buffer.from(text), count!);
  return { kind: 'coded', codes, values: JSON.parse(text.toString()) };
}

function bytesOf({ buffer, byteOffset, byteLength }: NodeJS.TypedArray): Buffer {
  return Buffer.from(buffer as ArrayBuffer, byteOffset, byteLength);
}

/** A copy of the bytes, aligned for numbers of any size. */
function copyOf(bytes: Uint8Array): ArrayBuffer {
  return bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength) as ArrayBuffer;
}
