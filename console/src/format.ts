import type { Value } from './api.ts';

const LOCALE = navigator.languages;

const plain = new Intl.NumberFormat(LOCALE, { maximumFractionDigits: 20 });
const short = new Intl.NumberFormat(LOCALE, { notation: 'compact', maximumFractionDigits: 1 });
const percent = new Intl.NumberFormat(LOCALE, { style: 'percent', maximumFractionDigits: 1 });

/** A number with all its digits. A text holds digits that a float would lose. */
export function number(value: number | string): string {
  return plain.format(value as number);
}

/** For axes, where there is little room. */
export function shortNumber(value: number): string {
  return short.format(value);
}

export function share(value: number): string {
  return percent.format(value);
}

/** A duration in the largest two units, such as `2 d 3 h`. */
export function duration(seconds: number): string {
  const units: readonly [number, string][] = [
    [86_400, 'd'],
    [3600, 'h'],
    [60, 'min'],
    [1, 's'],
  ];
  const at = units.findIndex(([size]) => seconds >= size);
  if (at < 0) return '0 s';
  const [size, name] = units[at]!;
  const [nextSize, nextName] = units[at + 1] ?? [0, ''];
  const count = Math.floor(seconds / size);
  const rest = nextSize === 0 ? 0 : Math.floor((seconds - count * size) / nextSize);
  return rest === 0 ? `${count} ${name}` : `${count} ${name} ${rest} ${nextName}`;
}

/** Whether a date of a report has a time of day; otherwise the day says all. */
export function hasTime(iso: string): boolean {
  return !/[T ]00:00:00/.test(iso);
}

/** A date of an answer, in the bot's zone, as an offset says or as local time. @param timed shows midnight, too */
export function date(iso: string, timed = hasTime(iso)): string {
  // The offset is the bot's zone: its digits are read as they stand, not moved to the browser's zone.
  const local = new Date(`${iso.slice(0, 19).replace(' ', 'T')}Z`);
  return new Intl.DateTimeFormat(LOCALE, {
    timeZone: 'UTC',
    dateStyle: 'medium',
    ...(timed ? { timeStyle: 'short' } : {}),
  }).format(local);
}

const moment = new Intl.DateTimeFormat(LOCALE, { dateStyle: 'medium', timeStyle: 'medium' });

/** An instant, in the zone of the browser. @param iso with an offset or Z */
export function instant(iso: string): string {
  return moment.format(new Date(iso));
}

/** A cell of a table. */
export function cell(value: Value | undefined, type: string): string {
  if (value === null || value === undefined) return '–';
  if (type === 'date' && typeof value === 'string') return date(value);
  if (type === 'number') return number(value as number | string);
  return String(value);
}
