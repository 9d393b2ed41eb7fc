import { isUtf8 } from 'node:buffer';
import { LosslessNumber } from 'lossless-json';

/** The body is not JSON, or not UTF-8. */
export class JsonSyntaxError extends Error {
  override readonly name = 'JsonSyntaxError';
}

/** Bodies that the service accepts are nested a few levels deep. */
export const MAX_DEPTH = 100;
/** A long number costs as much as some hundred bytes of other JSON. The largest request may have a hundred per element. */
export const MAX_LONG_NUMBERS = 100_000;

/**
 * Parses JSON without losing a digit: numbers that a double cannot hold become LosslessNumber.
 *
 * A parser that keeps every number's text takes five times as long as the engine's own, even for megabytes with one long
 * number. So only the long numbers are taken out of the text, the engine parses the rest, and they are put back.
 * @throws JsonSyntaxError
 */
export function parseJson(bytes: Buffer): unknown {
  if (!isUtf8(bytes)) throw new JsonSyntaxError('the body is not UTF-8');
  const long = longNumbers(bytes);
  try {
    if (long.length === 0) return JSON.parse(bytes.toString('utf8'));
    const { text, taken } = withStandIns(bytes, long);
    const value: unknown = JSON.parse(text);
    return taken.length === 0 ? value : putBack(value, taken);
  } catch (error) {
    throw new JsonSyntaxError('Body is not valid JSON', { cause: error });
  }
}

/** A range of the text, in bytes. */
type Span = readonly [start: number, end: number];

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
/** `[` and `{`, `]` and `}` differ only in the bit 0x20. */
const OPENING = 0x7b;
const CLOSING = 0x7d;
const PLUS = 0x2b;
const MINUS = 0x2d;
const POINT = 0x2e;
const DIGIT_0 = 0x30;
const DIGIT_9 = 0x39;
/** `E` with the bit 0x20, as above. */
const EXPONENT = 0x65;

/**
 * A double holds every number of up to 15 significant digits. With an exponent it does so for up to 11 characters before
 * the `e` and 2 digits after it.
 */
const HELD_LENGTH = 15;
const HELD_MANTISSA = 11;
const HELD_EXPONENT = 2;

/**
 * Finds the numbers that a double may not hold, in one pass over the bytes: in UTF-8 none of these characters is part of
 * another one.
 * @throws JsonSyntaxError too deep, or too many of them
 */
function longNumbers(bytes: Buffer): Span[] {
  const found: Span[] = [];
  let depth = 0;
  let inString = false;
  for (let i = 0; i < bytes.length; i++) {
    const byte = bytes[i]!;
    if (inString) {
      if (byte === BACKSLASH) i++;
      else if (byte === QUOTE) inString = false;
    } else if (byte === QUOTE) inString = true;
    else if (byte === MINUS || (byte >= DIGIT_0 && byte <= DIGIT_9)) {
      const start = i;
      let exponent = 0;
      let next = bytes[i + 1]!;
      while (
        (next >= DIGIT_0 && next <= DIGIT_9) ||
        next === POINT ||
        next === PLUS ||
        next === MINUS ||
        (next | 0x20) === EXPONENT
      ) {
        i++;
        if ((next | 0x20) === EXPONENT) exponent = i;
        next = bytes[i + 1]!;
      }
      const end = i + 1;
      if (exponent === 0 ? end - start <= HELD_LENGTH : isShort(bytes, start, exponent, end)) continue;
      if (found.length === MAX_LONG_NUMBERS)
        throw new JsonSyntaxError(
          `the body has more than ${MAX_LONG_NUMBERS} numbers of more than ${HELD_LENGTH} digits`,
        );
      found.push([start, end]);
    } else if ((byte | 0x20) === OPENING && ++depth > MAX_DEPTH)
      throw new JsonSyntaxError(`the body is nested deeper than ${MAX_DEPTH} levels`);
    else if ((byte | 0x20) === CLOSING) depth--;
  }
  return found;
}

function isShort(bytes: Buffer, start: number, exponent: number, end: number): boolean {
  const sign = bytes[exponent + 1] === PLUS || bytes[exponent + 1] === MINUS ? 1 : 0;
  return exponent - start <= HELD_MANTISSA && end - exponent - 1 - sign <= HELD_EXPONENT;
}

const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][-+]?\d+)?$/;

/**
 * A stand-in is a number that no other number in the text can equal: any number as small is long itself and has a stand-in.
 * Stand-ins begin at 1e-300; the smallest number that is not long is above 1e-120.
 */
const standIn = (index: number): string => `${index + 1}e-300`;
const STAND_INS_BELOW = 1e-200;

/** The text with a stand-in for each long number that a double does not hold, and these numbers' own texts. */
function withStandIns(bytes: Buffer, long: readonly Span[]): { text: string; taken: string[] } {
  const taken: string[] = [];
  let text = '';
  let done = 0;
  for (const [start, end] of long) {
    const number = bytes.toString('latin1', start, end);
    const value = Number(number);
    // The parser refuses text that is no number.
    if (!NUMBER.test(number) || (String(value) === number && Math.abs(value) >= STAND_INS_BELOW)) continue;
    text += bytes.toString('utf8', done, start) + standIn(taken.length);
    taken.push(number);
    done = end;
  }
  return { text: text + bytes.toString('utf8', done), taken };
}

/** Replaces the stand-ins by their long numbers, in place. {@link longNumbers} has limited the depth. */
function putBack(value: unknown, taken: readonly string[]): unknown {
  if (typeof value === 'number')
    return value > 0 && value < STAND_INS_BELOW ? new LosslessNumber(taken[Math.round(value * 1e300) - 1]!) : value;
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) {
    for (let i = 0; i < value.length; i++) {
      const child: unknown = value[i];
      const whole = putBack(child, taken);
      if (whole !== child) value[i] = whole;
    }
    return value;
  }
  const object = value as Record<string, unknown>;
  for (const key of Object.keys(object)) {
    const child = object[key];
    const whole = putBack(child, taken);
    if (whole !== child) object[key] = whole;
  }
  return object;
}
