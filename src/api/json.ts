import { isUtf8 } from 'node:buffer';
import Big from 'big.js';
import { LosslessNumber, parse } from 'lossless-json';

/** The body is not JSON, or not UTF-8. */
export class JsonSyntaxError extends Error {
  override readonly name = 'JsonSyntaxError';
}

/**
 * A double holds any number of up to 15 significant digits and gives the same digits back, so only longer ones, and
 * exponents, need the slow parser that keeps the text. Inside strings the pattern only costs time.
 */
const NEEDS_EXACT_PARSER = /\d[\d.]{15}|\d[eE][-+]?\d/;

/**
 * Up to 15 digits, and an exponent only where it stays far from the ends of a double's range: held exactly, no need to
 * compare.
 */
const HELD_BY_DOUBLE = /^(?:[^eE]{1,15}|[^eE]{1,11}[eE][-+]?\d{1,2})$/;

/** Nothing that we take is nested deeper than a few levels, and both parsers recurse. */
export const MAX_DEPTH = 100;

/** Parses JSON without losing a digit: numbers that a double cannot hold come as LosslessNumber. @throws JsonSyntaxError */
export function parseJson(bytes: Buffer): unknown {
  if (!isUtf8(bytes)) throw new JsonSyntaxError('the body is not UTF-8');
  if (isTooDeep(bytes)) throw new JsonSyntaxError(`the body is nested deeper than ${MAX_DEPTH} levels`);
  const text = bytes.toString('utf8');
  try {
    return NEEDS_EXACT_PARSER.test(text)
      ? parse(text, null, { parseNumber: exactNumber, onDuplicateKey: ({ newValue }) => newValue })
      : JSON.parse(text);
  } catch (error) {
    throw new JsonSyntaxError('Body is not valid JSON', { cause: error });
  }
}

/** A JS number where it holds exactly what the text says. */
function exactNumber(text: string): number | LosslessNumber {
  const value = Number(text);
  if (HELD_BY_DOUBLE.test(text)) return value;
  return Number.isFinite(value) && new Big(text).eq(value) ? value : new LosslessNumber(text);
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
/** `[` and `{`, `]` and `}` differ in the bit 0x20 alone. */
const OPENING = 0x7b;
const CLOSING = 0x7d;

/** One pass over the bytes: in UTF-8 none of these signs is part of another character. */
function isTooDeep(bytes: Buffer): boolean {
  let depth = 0;
  let inString = false;
  for (let i = 0; i < bytes.length; i++) {
    const byte = bytes[i]!;
    if (inString) {
      if (byte === BACKSLASH) i++;
      else if (byte === QUOTE) inString = false;
    } else if (byte === QUOTE) inString = true;
    else if ((byte | 0x20) === OPENING && ++depth > MAX_DEPTH) return true;
    else if ((byte | 0x20) === CLOSING) depth--;
  }
  return false;
}
