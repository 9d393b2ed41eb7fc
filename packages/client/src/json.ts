import { AMOUNTS, amountOf, hasAmounts } from './amounts.ts';
import { copyOf } from './copy.ts';

/** A text with the colon that makes it a key, or a number. */
const TOKEN = /"(?:[^"\\]|\\.)*"(\s*:)?|-?\d[\d.eE+-]*/g;
/** A double holds each number of this many characters. */
const SAFE_LENGTH = 15;

/**
 * Reads an answer without losing a digit: amounts become text, and so does any other number that a double does not hold.
 * @throws SyntaxError
 */
export function parseAnswer(path: string, text: string): unknown {
  const amounts = hasAmounts(path);
  let key: string | undefined;
  const exact = text.replace(TOKEN, (token, colon?: string) => {
    if (token.startsWith('"')) {
      key = colon === undefined ? undefined : token.slice(1, token.indexOf('"', 1));
      return token;
    }
    const isAmount = amounts && key !== undefined && AMOUNTS.includes(key);
    key = undefined;
    return isAmount || isRounded(token) ? `"${token}"` : token;
  });
  return JSON.parse(exact);
}

function isRounded(number: string): boolean {
  return number.length > SAFE_LENGTH && String(Number(number)) !== number;
}

const NUMBER = /^-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?$/;
/** Marks texts that go out as numbers. The service refuses texts with this character. */
const MARK = '\0';

/**
 * The bytes of a body, as text. An amount that is text becomes a number with the same digits.
 * @throws TypeError with the place of a value that JSON does not hold
 */
export function bodyText(path: string, body: unknown): string {
  const field = amountOf(path);
  const copy = copyOf(body, field);
  if (field === undefined) return JSON.stringify(copy);
  const marked = JSON.stringify(copy, (key, value: unknown) =>
    key === field && typeof value === 'string' && NUMBER.test(value) ? MARK + value : value,
  );
  return marked.replace(/"\\u0000(-?\d[\d.eE+-]*)"/g, '$1');
}
