import type { ReportConfig, SavedSettings } from '../reports/config.ts';
import { type Days, daysOf, PRESETS } from '../reports/period.ts';

/** Two local times of a bot's zone, `YYYY-MM-DD HH:MM:SS`, both included. */
export interface Span {
  readonly from: string;
  readonly to: string;
}

/** The periods that the dashboard offers; others are two dates. */
const PERIODS = ['today', '7d', '30d', '90d'] as const;
export type DashboardPeriod = (typeof PERIODS)[number] | Days;

/** Days that a period may have: new users are counted for a year at most. */
export const MOST_DAYS = 366;

const DAY_MS = 86_400_000;
const plus = (day: string, days: number): string =>
  new Date(Date.parse(day) + days * DAY_MS).toISOString().slice(0, 10);
const daysBetween = ({ from, to }: Days): number => Math.round((Date.parse(to) - Date.parse(from)) / DAY_MS) + 1;

/** Reads the period of an address; what cannot be read, and no text, is 30 days. */
export function periodFrom(text: string | null): DashboardPeriod {
  if (text === null) return '30d';
  const preset = PERIODS.find((each) => each === text);
  if (preset !== undefined) return preset;
  const [from = '', to = ''] = text.split('_');
  const isDay = (day: string): boolean => /^\d{4}-\d\d-\d\d$/.test(day) && !Number.isNaN(Date.parse(day));
  const isRange = isDay(from) && isDay(to) && from <= to && daysBetween({ from, to }) <= MOST_DAYS;
  return isRange ? { from, to } : '30d';
}

/** A period as the address has it. */
export const periodText = (period: DashboardPeriod): string =>
  typeof period === 'string' ? period : `${period.from}_${period.to}`;

export interface Compared {
  readonly days: Days;
  readonly span: Span;
  /** As many days before, up to the same time of day if the period is not over. */
  readonly before: Span;
  /** The last day is not over. */
  readonly isRunning: boolean;
}

/** A period up to now, and the period before it up to the same moment. */
export function comparedSpans(period: DashboardPeriod, zone: string, now: Date): Compared {
  const { from: today } = daysOf('today', zone, now);
  const time = new Intl.DateTimeFormat('en-GB', { timeZone: zone, timeStyle: 'medium', hourCycle: 'h23' }).format(now);
  const asked = typeof period === 'string' ? daysOf(period, zone, now) : period;
  const untilToday = (day: string): string => (day > today ? today : day);
  const days = { from: untilToday(asked.from), to: untilToday(asked.to) };
  const isRunning = days.to === today;
  const end = isRunning ? time : '23:59:59';
  const count = daysBetween(days);
  const span = ({ from, to }: Days): Span => ({ from: `${from} 00:00:00`, to: `${to} ${end}` });
  return {
    days,
    span: span(days),
    before: span({ from: plus(days.from, -count), to: plus(days.to, -count) }),
    isRunning,
  };
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
