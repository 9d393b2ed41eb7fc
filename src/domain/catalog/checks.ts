import { isStorable } from '../json.ts';
import { Rejection } from '../rejection.ts';
import { currencyDigits } from './currency.ts';

/** Checks that the catalog's deciders share. Each answers why the value is refused, or undefined. Paths end in the field. */

/** A unit's code (decisions.md 3.4): a currency's, or the bot's own. */
export const MAX_CODE_LENGTH = 3;
export const MAX_NAME_LENGTH = 250;

export function textProblem(path: string, text: string, max: number): Rejection | undefined {
  if (!isStorable(text))
    return new Rejection('invalid', path, `${fieldOf(path)} must not hold U+0000 or a lone surrogate`);
  const length = [...text].length;
  if (length >= 1 && length <= max) return undefined;
  return new Rejection('invalid', path, `${fieldOf(path)} must have 1 to ${max} characters`);
}

export function currencyProblem(path: string, code: string): Rejection | undefined {
  if (currencyDigits(code) !== undefined) return undefined;
  return new Rejection('invalid', path, `${fieldOf(path)} must be a currency code of ISO 4217 in capitals, or XTR`);
}

/** IANA names only: offsets such as `+01:00`, which newer runtimes take as zones, do not know summer time. */
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
