import { Temporal } from 'temporal-polyfill';

/**
 * Converts between wall-clock times of a bot's zone and instants in milliseconds since 1970 UTC (decisions.md#time-zones).
 */

export const LOCAL_TIME_FORMAT = 'YYYY-MM-DD HH:MM:SS';

/** Reads `YYYY-MM-DD HH:MM:SS`; undefined for any other text and for a day or time that does not exist. */
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

/** Two different instants if the clock shows the time twice, otherwise the same instant twice. */
export interface LocalInstants {
  readonly first: number;
  readonly last: number;
}

/** The instants at which the zone's clock shows `local`. A skipped time moves forward by the gap (02:30 becomes 03:30). */
export function instantsOf(local: Temporal.PlainDateTime, timezone: string): LocalInstants {
  return {
    first: local.toZonedDateTime(timezone, { disambiguation: 'compatible' }).epochMilliseconds,
    last: local.toZonedDateTime(timezone, { disambiguation: 'later' }).epochMilliseconds,
  };
}

/**
 * The instant at which the zone's clock shows the same time as a UTC clock at `ms`. It is the first of two such instants.
 * A time in a gap moves as in {@link instantsOf}.
 */
export function instantOfClock(ms: number, timezone: string): number {
  const local = Temporal.Instant.fromEpochMilliseconds(ms).toZonedDateTimeISO('UTC').toPlainDateTime();
  return instantsOf(local, timezone).first;
}

/** ISO 8601 with the zone's offset and whole seconds: `2025-03-30T00:00:00+01:00`. */
export function isoWithOffset(ms: number, timezone: string): string {
  const offset = offsetAt(ms, timezone);
  // Before time zones, offsets had seconds. The text has whole minutes, so Temporal rounds.
  if (offset % MINUTE_MS !== 0)
    return Temporal.Instant.fromEpochMilliseconds(ms).toString({ timeZone: timezone, smallestUnit: 'second' });
  const minutes = Math.abs(offset) / MINUTE_MS;
  const text = [Math.floor(minutes / 60), minutes % 60].map((part) => String(part).padStart(2, '0')).join(':');
  return `${new Date(ms + offset).toISOString().slice(0, -'.000Z'.length)}${offset < 0 ? '-' : '+'}${text}`;
}

const MINUTE_MS = 60_000;

/** A zone's clock keeps its offset from `from` to before `to`. */
interface Stretch {
  readonly from: number;
  readonly to: number;
  readonly offset: number;
}

/** The last used stretch of each zone. Rows come by date, and Temporal takes 15 µs per call. */
const stretches = new Map<string, Stretch>();

/** The zone's offset at `ms`, in milliseconds. */
function offsetAt(ms: number, timezone: string): number {
  const known = stretches.get(timezone);
  if (known !== undefined && ms >= known.from && ms < known.to) return known.offset;
  const time = Temporal.Instant.fromEpochMilliseconds(ms).toZonedDateTimeISO(timezone);
  const to = time.getTimeZoneTransition('next')?.epochMilliseconds ?? Number.POSITIVE_INFINITY;
  const stretch = { from: ms, to, offset: time.offsetNanoseconds / 1e6 };
  stretches.set(timezone, stretch);
  return stretch.offset;
}

/** ISO 8601 with the zone's offset and milliseconds: `2025-03-30T00:00:00.000+01:00`. */
export function preciseIsoWithOffset(ms: number, timezone: string): string {
  return Temporal.Instant.fromEpochMilliseconds(ms).toString({ timeZone: timezone, smallestUnit: 'millisecond' });
}

/** The time on the zone's clock, in seconds: `2025-03-30 00:00:00`. */
export function localTimeOf(ms: number, timezone: string): string {
  const shown = Temporal.Instant.fromEpochMilliseconds(ms).toZonedDateTimeISO(timezone).toPlainDateTime();
  return shown.toString({ smallestUnit: 'second' }).replace('T', ' ');
}

/** `YYYY-MM-DD HH:MM:SS`, UTC. */
export function utcDate(ms: number): string {
  return new Date(ms).toISOString().slice(0, 19).replace('T', ' ');
}
