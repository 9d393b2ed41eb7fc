import { type CodedColumn, type Codes, type Column, type ColumnName, kindOf, newCodes, nothingCoded } from './chunk.ts';
import { DecimalColumn } from './decimals.ts';
import { propertyOf } from './property-codes.ts';

/**
 * Columns of chunks as bytes, each one a `bytea`. Numbers are little-endian, the byte order of all supported machines.
 * - index: 4 bytes an event. No bytes: no event has one.
 * - number: a header of 8 bytes and 8 bytes an event; the first byte of the header is 0. If all numbers lie close together,
 *   the first byte is 1, the smallest number follows in 8 bytes, and each event has its distance from it in 4 bytes (the
 *   largest distance means none).
 * - coded: the number of values and the length of their text, in 4 bytes each; one code an event, in as many bytes as the
 *   number of values takes (`newCodes`); the values as a JSON array. No bytes: no event has a value.
 * - property: a coded column that few of the events may have. The number of values, the length of their text and the number of
 *   events, in 4 bytes each; if these are not all events, their positions in 2 bytes each; their codes; the values.
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
  switch (kindOf(name)) {
    case 'index':
      return { kind: 'index', indexes: bytes === null ? new Uint32Array(size) : new Uint32Array(copyOf(bytes)) };
    case 'number':
      return { kind: 'number', numbers: decodeNumbers(required(name, bytes)) };
    case 'coded':
      if (bytes === null) return nothingCoded(size);
      return propertyOf(name) === null ? decodeCoded(size, bytes, DECIMALS.has(name)) : decodeProperty(size, bytes);
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

/** Positions have 2 bytes. */
const MOST_POSITIONS = 0x1_0000;
const PROPERTY_HEADER = 12;

export function encodeProperty({ codes, values }: CodedColumn): Buffer {
  const text = Buffer.from(JSON.stringify(values));
  const header = (events: number) => bytesOf(Uint32Array.of(values.length, text.length, events));
  const positions = positionsWithValue(codes);
  const inAll = codes.byteLength;
  const inSome = positions.length * (2 + codes.BYTES_PER_ELEMENT);
  if (codes.length > MOST_POSITIONS || inSome >= inAll)
    return Buffer.concat([header(codes.length), bytesOf(codes), text]);
  const some = newCodes(values.length, positions.length);
  for (let i = 0; i < positions.length; i++) some[i] = codes[positions[i]!]!;
  return Buffer.concat([header(positions.length), bytesOf(positions), bytesOf(some), text]);
}

function positionsWithValue(codes: Codes): Uint16Array {
  const positions = new Uint16Array(codes.length);
  let size = 0;
  for (let at = 0; at < codes.length; at++) if (codes[at] !== 0) positions[size++] = at;
  return positions.subarray(0, size);
}

function decodeProperty(size: number, bytes: Uint8Array): CodedColumn {
  const [count, length, events] = new Uint32Array(copyOf(bytes.subarray(0, PROPERTY_HEADER)));
  const positions =
    events === size ? null : new Uint16Array(copyOf(bytes.subarray(PROPERTY_HEADER, PROPERTY_HEADER + 2 * events!)));
  const from = PROPERTY_HEADER + (positions?.byteLength ?? 0);
  const stored = newCodes(count!, events!);
  new Uint8Array(stored.buffer).set(bytes.subarray(from, from + stored.byteLength));
  const to = from + stored.byteLength;
  const values = JSON.parse(Buffer.from(bytes.buffer, bytes.byteOffset + to, length).toString());
  if (positions === null) return { kind: 'coded', codes: stored, values };
  const codes = newCodes(count!, size);
  for (let i = 0; i < positions.length; i++) codes[positions[i]!] = stored[i]!;
  return { kind: 'coded', codes, values };
}

function bytesOf({ buffer, byteOffset, byteLength }: NodeJS.TypedArray): Buffer {
  return Buffer.from(buffer as ArrayBuffer, byteOffset, byteLength);
}

/** A copy of the bytes, aligned for numbers of any size. */
function copyOf(bytes: Uint8Array): ArrayBuffer {
  return bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength) as ArrayBuffer;
}
