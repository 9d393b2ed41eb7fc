import Big from 'big.js';
import { isLosslessNumber } from 'lossless-json';
import { type Problem, under } from './problem.ts';

/** Reads parsed JSON of unknown shape. Numbers are JS numbers, or numbers of lossless-json: these keep their text. */

export type JsonObject = Readonly<Record<string, unknown>>;

export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !isLosslessNumber(value);
}

/** An own property; undefined if it is absent or null, since both mean the same (decisions.md#plain-values). */
export function property(object: JsonObject, key: string): unknown {
  return Object.hasOwn(object, key) ? (object[key] ?? undefined) : undefined;
}

/** The exact value of a JSON number; undefined for anything else. */
export function exactNumber(value: unknown): Big | undefined {
  if (isLosslessNumber(value)) return new Big(value.value);
  return typeof value === 'number' && Number.isFinite(value) ? new Big(value) : undefined;
}

/** The integer of a JSON number within JSON-safe bounds, in any notation (`5`, `5.0`, `5e0`). */
export function safeInteger(value: unknown): number | undefined {
  if (typeof value === 'number') return Number.isSafeInteger(value) ? value + 0 : undefined; // + 0: there is no -0
  const exact = exactNumber(value);
  if (exact === undefined || exact.e > 15) return undefined;
  const rounded = exact.toNumber();
  return Number.isSafeInteger(rounded) && exact.eq(rounded) ? rounded : undefined;
}

/** The id of a JSON number or, as files have it, of decimal digits; undefined: it is no positive JSON-safe integer. */
export function positiveId(value: unknown): number | undefined {
  const id = typeof value === 'string' && /^\d{1,16}$/.test(value) ? Number(value) : safeInteger(value);
  return id !== undefined && Number.isSafeInteger(id) && id > 0 ? id : undefined;
}

/** The message for an id that is no positive JSON-safe integer. */
export const NO_ID = 'must be a positive integer below 2^53';

/**
 * Whether a string may be stored and echoed (decisions.md#plain-values): PostgreSQL has no U+0000, UTF-8 no lone
 * surrogate.
 */
export function isStorable(text: string): boolean {
  return text.isWellFormed() && !text.includes('\0');
}

/** A problem for each key and string below `root` that is not storable. Iterative, since JSON can be nested deeper than the stack. */
export function unstorableText(root: unknown): Problem[] {
  const problems: Problem[] = [];
  const pending: { readonly value: unknown; readonly path: string }[] = [{ value: root, path: '' }];
  const message = 'text must not hold U+0000 or a lone surrogate';
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    const { value, path } = next;
    if (typeof value === 'string' && !isStorable(value)) problems.push({ path, message });
    if (!Array.isArray(value) && !isJsonObject(value)) continue;
    for (const [key, child] of Object.entries(value)) {
      if (isStorable(key)) pending.push({ value: child, path: under(path, key) });
      else problems.push({ path, message: `a key holds U+0000 or a lone surrogate` });
    }
  }
  return problems;
}
