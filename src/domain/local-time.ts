import { Temporal } from 'temporal-polyfill';

/** Wall-clock times of a bot's zone and the instants they name, as milliseconds since 1970 UTC (decisions.md 1.5). */

export const LOCAL_TIME_FORMAT = 'YYYY-MM-DD HH:MM:SS';

/** Reads `YYYY-MM-DD HH:MM:SS`; undefined for anything else and for a day or time that no calendar has. */
export function parseLocalTime(text: string): Temporal.PlainDateTime | undefined {
  const match = /^(\d{4}-\d\d-\d\d) (\d\d:\d\d:(?!60)\d\d)$/.exec(text); // Temporal reads second 60 as 59
  if (match === null) return undefined;
  try {
    return Temporal.PlainDateTime.from(`${match[1]}T${match[2]}`);
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

/** Two instants where the clock shows the time twice, else one. */
export interface LocalInstants {
  readonly first: number;
  readonly last: number;
}

/** When the zone's clock shows `local`; a time that it skips moves forward by the gap (02:30 becomes 03:30). */
export function instantsOf(local: Temporal.PlainDateTime, timezone: string): LocalInstants {
  return {
    first: local.toZonedDateTime(timezone, { disambiguation: 'compatible' }).epochMilliseconds,
    last: local.toZonedDateTime(timezone, { disambiguation: 'later' }).epochMilliseconds,
  };
}

/** ISO 8601 with the zone's offset and whole seconds: `2025-03-30T00:00:00+01:00`. */
export function isoWithOffset(ms: number, timezone: string): string {
  return Temporal.Instant.fromEpochMilliseconds(ms).toString({ timeZone: timezone, smallestUnit: 'second' });
}

/** The same with milliseconds: `2025-03-30T00:00:00.000+01:00`. */
export function preciseIsoWithOffset(ms: number, timezone: string): string {
  return Temporal.Instant.fromEpochMilliseconds(ms).toString({ timeZone: timezone, smallestUnit: 'millisecond' });
}

/** What the zone's clock shows, to the second: `2025-03-30 00:00:00`. */
export function localTimeOf(ms: number, timezone: string): string {
  const shown = Temporal.Instant.fromEpochMilliseconds(ms).toZonedDateTimeISO(timezone).toPlainDateTime();
  return shown.toString({ smallestUnit: 'second' }).replace('T', ' ');
}
