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

/** Parses JSON without losing a digit: numbers that a double cannot hold come as LosslessNumber. @throws JsonSyntaxError */
export function parseJson(bytes: Buffer): unknown {
  if (!isUtf8(bytes)) throw new JsonSyntaxError('the body is not UTF-8');
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
  return Number.isFinite(value) && new Big(text).eq(value) ? value : new LosslessNumber(text);
}
