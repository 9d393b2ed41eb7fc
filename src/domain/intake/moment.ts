/** Reads the moment of an event (decisions.md#event-dates): milliseconds since 1970 UTC, or null. */

const RFC_3339 = /^(\d{4})-(\d{2})-(\d{2})[Tt ](\d{2}):(\d{2}):(\d{2})\.(\d{3})\d*(?:[Zz]|([-+])(\d{2}):(\d{2}))$/;
const ISO_8601 =
  /^(\d{4})-(\d{2})-(\d{2})[Tt ](\d{2}):(\d{2})(?::(\d{2})(?:[.,](\d+))?)?(?:[Zz]|([-+])(\d{2})(?::?(\d{2}))?)?$/;

/** RFC 3339 with milliseconds (three digits or more; digits after the third are cut) and an offset. */
export function parseRfc3339(text: string): number | null {
  return moment(RFC_3339.exec(text));
}

/** ISO 8601 calendar date and time. Seconds, fraction and offset may be missing; without an offset it is UTC. */
export function parseIso8601(text: string): number | null {
  return moment(ISO_8601.exec(text));
}

function moment(match: RegExpExecArray | null): number | null {
  if (match === null) return null;
  const [, year, month, day, hour, minute, second = '0', fraction = '', sign, offsetHours = '0', offsetMinutes = '0'] =
    match;
  if (Number(hour) > 23 || Number(minute) > 59 || Number(second) > 59) return null;
  if (Number(offsetHours) > 23 || Number(offsetMinutes) > 59) return null;
  if (Number(month) < 1 || Number(month) > 12 || Number(day) < 1 || Number(day) > daysIn(Number(year), Number(month)))
    return null;
  const offset = (Number(offsetHours) * 60 + Number(offsetMinutes)) * (sign === '-' ? -60_000 : 60_000);
  const ms = Number(fraction.slice(0, 3).padEnd(3, '0'));
  // Date.UTC reads the years 0 to 99 as 1900 to 1999. So add 400 years, whose length is always the same, and subtract them.
  const at = Date.UTC(
    Number(year) + 400,
    Number(month) - 1,
    Number(day),
    Number(hour),
    Number(minute),
    Number(second),
    ms,
  );
  return at - FOUR_CENTURIES_MS - offset;
}

/** The years of reports (decisions.md#report-bounds), UTC. Every input refuses an instant outside them. */
export const YEARS = 'must lie in the years 1970 to 2100';
const END_OF_YEARS = Date.UTC(2101, 0, 1);

export function isWithinYears(at: number): boolean {
  return at >= 0 && at < END_OF_YEARS;
}

const FOUR_CENTURIES_MS = 146_097 * 24 * 60 * 60 * 1000;

function daysIn(year: number, month: number): number {
  if (month === 2) return (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0 ? 29 : 28;
  return month === 4 || month === 6 || month === 9 || month === 11 ? 30 : 31;
}
