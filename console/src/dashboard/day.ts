import { before, type Days } from '../reports/period.ts';

/** Two local times of a bot's zone, `YYYY-MM-DD HH:MM:SS`, both included. */
export interface Span {
  readonly from: string;
  readonly to: string;
}

/** Today up to now, and yesterday up to the same time of day. */
export function todayAndYesterday(zone: string, now: Date): { readonly today: Span; readonly yesterday: Span } {
  const day = new Intl.DateTimeFormat('en-CA', { timeZone: zone, dateStyle: 'short' }).format(now);
  const time = new Intl.DateTimeFormat('en-GB', { timeZone: zone, timeStyle: 'medium', hourCycle: 'h23' }).format(now);
  const upToNow = (date: string): Span => ({ from: `${date} 00:00:00`, to: `${date} ${time}` });
  return { today: upToNow(day), yesterday: upToNow(before({ from: day, to: day }).from) };
}

const DAY_MS = 86_400_000;

/** As many days as the given ones, moved so that the last of them is `today`. */
export function endingOn(today: string, { from, to }: Days): Days {
  const moved = Date.parse(today) - Date.parse(to);
  return { from: new Date(Date.parse(from) + moved).toISOString().slice(0, 10), to: today };
}

/** How many days a period has. */
export const lengthOf = ({ from, to }: Days): number => Math.round((Date.parse(to) - Date.parse(from)) / DAY_MS) + 1;
