import Big from 'big.js';

/**
 * Values of events (decisions.md#event-values). `raw` as the sender sent it, `minor` in smallest units
 * (`events.value_int`), `normal` in normal units; all decimal text. While the unit is unknown, `minor` is the value as
 * sent and `normal` null.
 */
export interface EventValue {
  readonly minor: string;
  readonly normal: string | null;
}

/** Decimals of an amount. */
const AMOUNT_DECIMALS = 6;

/**
 * The value of a custom event or a payment, sent in minor units where there is a unit.
 * @param scale decimals of the unit; null: no unit; undefined: unknown unit
 */
export function minorValue(raw: string, scale: number | null | undefined): EventValue {
  if (scale === undefined) return { minor: raw, normal: null };
  return { minor: raw, normal: scale === null ? raw : shift(raw, -scale) };
}

/** The value of a target event, sent in normal units. */
export function normalValue(raw: string, scale: number | null | undefined): EventValue {
  if (scale === undefined) return { minor: raw, normal: null };
  return { minor: scale === null ? raw : shift(raw, scale), normal: raw };
}

/** A value in normal units at an exchange rate, rounded once, half away from zero. */
export function convert(normal: string, rate: string): string {
  return new Big(normal).times(rate).round(AMOUNT_DECIMALS, Big.roundHalfUp).toFixed();
}

/** Moves the decimal point; exact, where a division of Big would round. */
function shift(decimal: string, digits: number): string {
  return digits === 0 ? decimal : new Big(decimal).times(`1e${digits}`).toFixed();
}

/** The largest magnitude of a value (decisions.md#exact-decimals). */
const LIMIT = new Big('1e15');
const MAX_DECIMALS = 30;

/**
 * The canonical decimal text of a value as sent: no exponent, no superfluous zeros.
 * @returns null when it lies beyond 10^15 in magnitude or has more than 30 digits after the point
 */
export function decimalText(value: Big | number): string | null {
  const text = shortText(value);
  if (text !== null) return text;
  const exact = new Big(value);
  // `e` is the exponent of the first digit and `c` the digits without trailing zeros. So this counts decimals without
  // writing them out: 1e-1000000 would take a megabyte.
  const isExact = exact.c.length - 1 - exact.e <= MAX_DECIMALS;
  return isExact && exact.abs().lte(LIMIT) ? exact.toFixed() : null;
}

/**
 * The same for a value or a property of an event, rounded to 30 digits after the point, half away from zero. A double has
 * more: JavaScript computes 0.1 + 0.2 - 0.3 as 5.551115123125783e-17, and one such number must not cost a whole request.
 * @returns null when it lies beyond 10^15 in magnitude
 */
export function roundedText(value: Big | number): string | null {
  const text = shortText(value);
  if (text !== null) return text;
  const exact = new Big(value);
  if (exact.abs().gt(LIMIT)) return null;
  const rounded = exact.round(MAX_DECIMALS, Big.roundHalfUp);
  return rounded.eq(0) ? '0' : rounded.toFixed(); // Big keeps the sign of -0
}

/**
 * Between these bounds a double prints without an exponent and with at most 22 decimals. So Big is not needed: it costs
 * more than all other checks of an event.
 */
function shortText(value: Big | number): string | null {
  const isShort = typeof value === 'number' && Math.abs(value) <= 1e15 && (Math.abs(value) >= 1e-6 || value === 0);
  return isShort ? String(value + 0) : null;
}
