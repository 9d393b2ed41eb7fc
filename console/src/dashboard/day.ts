import type { ReportConfig, SavedSettings } from '../reports/config.ts';
import { before, type Days, daysOf, PRESETS } from '../reports/period.ts';

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

/** The days of a saved report now: those of its preset, else as many as it was saved with, ending today. */
export function daysToday(config: ReportConfig, zone: string, now: Date): Days {
  const { params, period } = config['settings'] as SavedSettings;
  if (period !== undefined && PRESETS.includes(period)) return daysOf(period, zone, now);
  const { to: today } = daysOf('today', zone, now);
  const at = (date: string): number => Date.parse(date.slice(0, 10));
  const from = at(today) - at(params[':date_to']) + at(params[':date_from']);
  return { from: new Date(from).toISOString().slice(0, 10), to: today };
}
