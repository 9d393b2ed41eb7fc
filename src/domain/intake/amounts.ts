import Big from 'big.js';

/**
 * Values of events (decisions.md#event-values). `raw` is what the sender sent, `minor` in smallest units
 * (`events.value_int`), `normal` in normal units; all decimal text. While the unit is unknown, `minor` is the value as
 * sent and `normal` null.
 */
export interface EventValue {
  readonly minor: string;
  readonly normal: string | null;
}

/** Decimals that an amount keeps. */
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
