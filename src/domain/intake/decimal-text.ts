import Big from 'big.js';

/** Beyond this in magnitude a value is refused (decisions.md#exact-decimals). */
const LIMIT = new Big('1e15');
const MAX_DECIMALS = 30;

/**
 * The canonical decimal text of a value as sent: no exponent, no superfluous zeros.
 * @returns null when it lies beyond 10^15 in magnitude or has more than 30 digits after the point
 */
export function decimalText(value: Big | number): string | null {
  // Between these bounds a double prints without an exponent and with at most 22 decimals: no need for Big, which costs
  // more than the rest of an event's checks.
  if (typeof value === 'number' && Math.abs(value) <= 1e15 && (Math.abs(value) >= 1e-6 || value === 0))
    return String(value + 0);
  const exact = new Big(value);
  if (exact.abs().gt(LIMIT)) return null;
  // `e` is the exponent of the first digit and `c` the digits without trailing zeros, so this counts decimals without
  // writing them out: 1e-1000000 would be a megabyte.
  if (exact.c.length - 1 - exact.e > MAX_DECIMALS) return null;
  return exact.toFixed();
}
