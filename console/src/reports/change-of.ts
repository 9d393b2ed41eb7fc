import type { Value } from '../api.ts';

export interface ChangeOf {
  /** Now less before, with all digits. */
  readonly difference: number | string;
  /** The difference as a part of the value before; null: there was nothing before. */
  readonly part: number | null;
}

/** How a value differs from the value before; null: one of them is not known. */
export function changeOf(now: Value | undefined, before: Value | undefined): ChangeOf | null {
  if (!isNumber(now) || !isNumber(before)) return null;
  const difference = minus(String(now), String(before));
  const base = Number(before);
  return { difference, part: base > 0 ? Number(difference) / base : null };
}

const isNumber = (value: Value | undefined): value is number | string =>
  value !== null && value !== undefined && typeof value !== 'boolean' && !Number.isNaN(Number(value));

/** The difference of two decimals. Floats would lose digits of amounts; a decimal with an exponent is a float already. */
function minus(a: string, b: string): number | string {
  if (/e/i.test(a + b)) return Number(a) - Number(b);
  const places = Math.max(...[a, b].map((digits) => (digits.split('.')[1] ?? '').length));
  const whole = (digits: string): bigint => {
    const [units, parts = ''] = digits.split('.');
    return BigInt(units + parts.padEnd(places, '0'));
  };
  const found = whole(a) - whole(b);
  const digits = `${found < 0n ? -found : found}`.padStart(places + 1, '0');
  const at = digits.length - places;
  const parts = digits.slice(at).replace(/0+$/, '');
  const text = `${found < 0n ? '-' : ''}${digits.slice(0, at)}${parts === '' ? '' : `.${parts}`}`;
  return String(Number(text)) === text ? Number(text) : text;
}
