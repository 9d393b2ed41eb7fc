import { data, publishDate } from 'currency-codes';
import { Rejection } from '../rejection.ts';
import { isStorable } from '../storable-json.ts';

/** ISO 4217's currencies and `XTR`, the messaging platform's stars, with their minor-unit exponents (JPY 0, BHD 3). */
const DIGITS: ReadonlyMap<string, number> = new Map([
  ...data.map(({ code, digits }) => [code, digits] as const),
  ['XTR', 0],
]);

/** The publication date of the used list of ISO 4217, `YYYY-MM-DD`. */
const CURRENCY_LIST_DATE: string = publishDate;

/** The decimals of a currency's normal unit; undefined if it is no currency. @param code in capitals */
export function currencyDigits(code: string): number | undefined {
  return DIGITS.get(code);
}

/** Checks that the deciders of the catalog share. Each returns the reason of a refusal, or undefined. Paths end in the field. */

/**
 * The code of a currency or a custom unit, before it is upper-cased (decisions.md#event-values). ASCII only: `ß` would
 * become two letters, and `ı` an `I`.
 */
export const UNIT_CODE = /^[A-Za-z0-9]{1,3}$/;
export const MAX_NAME_LENGTH = 250;

export function textProblem(path: string, text: string, max: number): Rejection | undefined {
  if (!isStorable(text))
    return new Rejection('invalid', path, `${fieldOf(path)} must not hold U+0000 or a lone surrogate`);
  const length = [...text].length;
  if (length >= 1 && length <= max) return undefined;
  return new Rejection('invalid', path, `${fieldOf(path)} must have 1 to ${max} characters`);
}

export function unitCodeProblem(path: string, code: string): Rejection | undefined {
  if (UNIT_CODE.test(code)) return undefined;
  return new Rejection('invalid', path, `${fieldOf(path)} must be 1 to 3 letters A to Z and digits`);
}

export function currencyProblem(path: string, code: string): Rejection | undefined {
  if (currencyDigits(code) !== undefined) return undefined;
  return new Rejection(
    'invalid',
    path,
    `${fieldOf(path)} must be a code of the ISO 4217 list of ${CURRENCY_LIST_DATE} in capitals, such as EUR, or XTR: ${code} is none`,
  );
}

/** Allows IANA names only. Newer runtimes accept offsets such as `+01:00` as zones, but these have no summer time. */
export function timezoneProblem(path: string, timezone: string): Rejection | undefined {
  try {
    new Intl.DateTimeFormat('en', { timeZone: timezone });
    if (/^[A-Za-z]/.test(timezone)) return undefined;
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
  }
  return new Rejection('invalid', path, `${fieldOf(path)} must be a time zone's IANA name, such as Europe/Berlin`);
}

const fieldOf = (path: string): string => path.slice(path.lastIndexOf('.') + 1);
