import type { CodedColumn, Codes } from './chunk.ts';

/** Decimals as integers: 150 with 2 decimals is 1.5. Each integer is exact in a double. */
export interface ScaledDecimals {
  /** By code; NaN: no value. */
  readonly integers: Float64Array;
  readonly decimals: number;
  /** The greatest of the integers without their signs. */
  readonly greatest: number;
}

const computed = new WeakMap<CodedColumn, ScaledDecimals | null>();

/** The values of a column of decimals as integers. Null: one of them is too long, and only its text is exact. */
export function scaledDecimalsOf(column: CodedColumn): ScaledDecimals | null {
  if (column instanceof DecimalColumn) return column.scaled;
  let scaled = computed.get(column);
  if (scaled === undefined) {
    scaled = parseDecimals(Buffer.from(JSON.stringify(column.values)), column.values.length);
    computed.set(column, scaled);
  }
  return scaled;
}

/**
 * A packed column of decimals. It keeps the text of its values, and no string for each of them: a column of prices has
 * nearly as many values as events, and strings would take 30 bytes each and most of the time of decoding.
 */
export class DecimalColumn implements CodedColumn {
  readonly kind = 'coded';
  readonly codes: Codes;
  readonly scaled: ScaledDecimals | null;
  readonly #text: Buffer;

  /** @param text a JSON array of `count` values */
  constructor(codes: Codes, text: Buffer, count: number) {
    this.codes = codes;
    this.#text = text;
    this.scaled = parseDecimals(text, count);
  }

  /** Parsed at each access. */
  get values(): readonly (string | null)[] {
    return JSON.parse(this.#text.toString('latin1'));
  }

  /** The bytes of the values. */
  get valueBytes(): number {
    return this.#text.length + (this.scaled?.integers.byteLength ?? 0);
  }
}

const NULL = Buffer.from('null,');
const [QUOTE, MINUS, POINT, ZERO, NINE] = [...Buffer.from('"-.09')] as [number, number, number, number, number];
/** Powers of ten up to this one are exact in a double. */
const EXACT_POWER = 22;

/** Parses a JSON array of decimals in quotes and of null. @returns null if one of them is no integer that a double holds */
function parseDecimals(text: Uint8Array, count: number): ScaledDecimals | null {
  const integers = new Float64Array(count);
  const places = new Uint8Array(count);
  let decimals = 0;
  let at = 1; // after the bracket
  for (let i = 0; i < count; i++) {
    if (text[at] === NULL[0]) {
      integers[i] = Number.NaN;
      at += NULL.length;
      continue;
    }
    at++; // the quote
    const isNegative = text[at] === MINUS;
    if (isNegative) at++;
    let digits = 0;
    let point = -1;
    for (; text[at] !== QUOTE; at++) {
      const byte = text[at]!;
      if (byte === POINT && point < 0) point = at;
      else if (byte >= ZERO && byte <= NINE) digits = digits * 10 + byte - ZERO;
      else return null;
    }
    if (digits > Number.MAX_SAFE_INTEGER) return null;
    places[i] = point < 0 ? 0 : Math.min(at - point - 1, EXACT_POWER + 1);
    if (places[i]! > decimals) decimals = places[i]!;
    integers[i] = isNegative && digits > 0 ? -digits : digits;
    at += 2; // the quote and the comma
  }
  if (decimals > EXACT_POWER) return null;
  let greatest = 0;
  for (let i = 0; i < count; i++) {
    const integer = integers[i]! * 10 ** (decimals - places[i]!);
    integers[i] = integer;
    if (Math.abs(integer) > greatest) greatest = Math.abs(integer);
  }
  return greatest <= Number.MAX_SAFE_INTEGER ? { integers, decimals, greatest } : null;
}
