import type { Value } from './api.ts';
import { zoneOfPage } from './page-bot.ts';

/** The texts are English; numbers and dates in another language would mix directions and orders of words. */
const LOCALE = 'en-US';

const plain = new Intl.NumberFormat(LOCALE, { maximumFractionDigits: 20 });
const short = new Intl.NumberFormat(LOCALE, { notation: 'compact', maximumFractionDigits: 1 });
const percent = new Intl.NumberFormat(LOCALE, { style: 'percent', maximumFractionDigits: 1 });

/** A number with all its digits. A text holds digits that a float would lose. */
export function number(value: number | string): string {
  return plain.format(value as number);
}

/** For axes, where there is little room. */
export function shortNumber(value: number): string {
  return short.format(value).replace('K', 'k');
}

export function share(value: number): string {
  return percent.format(value);
}

const oneDecimal = new Intl.NumberFormat(LOCALE, { minimumFractionDigits: 1, maximumFractionDigits: 1 });

/** A part of a whole with one decimal, such as `31.0 %`; nothing and all without. The space before the sign is thin. */
export function perCent(part: number): string {
  return part === 0 || part === 1 ? perCentShort(part) : `${oneDecimal.format(part * 100)}\u2009%`;
}

/** A part of a whole on an axis: decimals only where there are any. */
export const perCentShort = (part: number): string => `${shortNumber(Number((part * 100).toFixed(1)))}\u2009%`;

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
  return iso.length > 10 && !/[T ]00:00:00/.test(iso);
}

const TIMES = {
  minutes: { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' },
  seconds: { hour: '2-digit', minute: '2-digit', second: '2-digit', hourCycle: 'h23' },
} as const;

/** A date, with its year if that is not the present one. */
function dateText(at: Date, timeZone: string, time?: keyof typeof TIMES): string {
  const year = (of: Date): string => of.toLocaleDateString(LOCALE, { timeZone, year: 'numeric' });
  return at.toLocaleString(LOCALE, {
    ...{ timeZone, month: 'short', day: 'numeric' },
    ...(year(at) === year(new Date()) ? {} : { year: 'numeric' }),
    ...(time === undefined ? {} : TIMES[time]),
  });
}

/** Digits of a local time as if they were UTC, so that no other zone comes in. */
export const digitsOf = (iso: string): Date =>
  new Date(iso.slice(0, 19).replace(' ', 'T') + (iso.length > 10 ? 'Z' : ''));

/** A date in the bot's zone, as an offset says or as local time. @param timed shows midnight, too */
export function date(iso: string, timed = hasTime(iso)): string {
  return dateText(digitsOf(iso), 'UTC', timed ? 'minutes' : undefined);
}

/** A day such as `Nov 14`, of another year `Nov 14, 2025`. @param weekday puts the day of the week before it */
export function dayName(iso: string, weekday = false): string {
  const at = digitsOf(iso.slice(0, 10));
  const isOther = at.getUTCFullYear() !== new Date().getUTCFullYear();
  const form = { timeZone: 'UTC', month: 'short', day: 'numeric' } as const;
  return new Intl.DateTimeFormat(LOCALE, {
    ...form,
    ...(weekday ? { weekday: 'short' } : {}),
    ...(isOther ? { year: 'numeric' } : {}),
  }).format(at);
}

const instantOf = (iso: string): Date => (iso.length > 19 ? new Date(iso) : digitsOf(iso));

/** An instant to the second, in the zone of the page. @param iso with an offset or Z; without either it is UTC */
export function instant(iso: string): string {
  const at = instantOf(iso);
  // The address may have anything.
  return Number.isNaN(at.getTime()) ? iso : dateText(at, zoneOfPage(), 'seconds');
}

/** The time of day of an instant, in the zone of the page. */
export function timeOfDay(iso: string): string {
  const { format } = new Intl.DateTimeFormat(LOCALE, { timeZone: zoneOfPage(), timeStyle: 'medium', hourCycle: 'h23' });
  return format(instantOf(iso));
}

/** An instant as local time of the page's zone, `YYYY-MM-DDTHH:MM:SS`. @param iso as of `instant` */
export const localOf = (iso: string): string =>
  instantOf(iso).toLocaleString('sv', { timeZone: zoneOfPage() }).replace(' ', 'T');

/** The instant of a local time of the page's zone, `YYYY-MM-DD HH:MM:SS`, UTC. */
export function utcOf(local: string): string {
  const utc = (ms: number): string => new Date(ms).toISOString().slice(0, 19).replace('T', ' ');
  const offset = (ms: number): number => digitsOf(localOf(utc(ms))).getTime() - ms;
  const given = digitsOf(local).getTime();
  // The first guess may lie beyond a change of the clocks.
  return utc(given - offset(given - offset(given)));
}

const YEAR = { year: 'numeric' } as const;

/** The marks of an axis, which are `step` seconds apart: days, within a day times. @param marks as seconds of `digitsOf` */
export function axisDates(marks: readonly number[], step: number): string[] {
  const times = marks.map((mark) => new Date(mark * 1000));
  const years = new Set(times.map((time) => time.getUTCFullYear()));
  const day = { timeZone: 'UTC', month: 'short', day: 'numeric', ...(years.size > 1 ? YEAR : {}) } as const;
  const dayText = new Intl.DateTimeFormat(LOCALE, day);
  const timeText = new Intl.DateTimeFormat(LOCALE, {
    timeZone: 'UTC',
    timeStyle: step < 60 ? 'medium' : 'short',
    hourCycle: 'h23',
  });
  return times.map((time, index) => {
    if (time.getTime() % 86_400_000 === 0) return dayText.format(time);
    if (time.getTime() % 1000 !== 0) return '';
    return timeText.format(time) + (index === 0 ? `\n${dayText.format(time)}` : '');
  });
}

/** A cell of a table. Of type `when` it is an instant, of type `date` a date in the bot's zone. */
export function cell(value: Value | undefined, type: string): string {
  if (value === null || value === undefined) return '–';
  if (type === 'date' && typeof value === 'string') return date(value);
  if (type === 'when') return instant(String(value));
  if (type === 'number') return number(value as number | string);
  return String(value);
}

/** The time of day of a date in the bot's zone, `22:51:04`. @param seconds default: shown */
export const clock = (iso: string, seconds = true): string => iso.slice(11, seconds ? 19 : 16);

/** An amount, with two decimals at most; its code stands after it. */
export function money(value: number | string, code: string | null | undefined): string {
  const digits = new Intl.NumberFormat(LOCALE, { minimumFractionDigits: 2, maximumFractionDigits: 2 });
  const text = digits.format(value as number).replace('-', '−');
  return code === null || code === undefined ? text : `${text} ${code}`;
}

/** A number for a tile: all digits below 10,000, else short, such as `28.2k`. */
export const figure = (value: number): string => (Math.abs(value) < 10_000 ? number(value) : shortNumber(value));
