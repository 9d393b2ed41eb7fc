import { type Days, dayText, type Period, plus } from './period.ts';

/** Two local times of the bot's zone, `YYYY-MM-DD HH:MM:SS`, both included. */
export interface Span {
  readonly from: string;
  readonly to: string;
}

const DAY_MS = 86_400_000;

/**
 * The span that a period is compared with: of calendar months as many months before, else as many days before. A period that is
 * not over is compared up to the same moment.
 * @param days those that the period has now
 * @param dataAsOf how far the answer has counted, in the bot's zone
 */
export function comparedSpan(period: Period, { from, to }: Days, dataAsOf: string): Span {
  const [today, time] = [dataAsOf.slice(0, 10), dataAsOf.slice(11, 19)];
  const months = monthsOf(period, { from, to });
  const days = Math.round((Date.parse(to) - Date.parse(from)) / DAY_MS) + 1;
  const shift = (day: string): string => (months === null ? plus(day, -days) : monthsBefore(day, months));
  const start = `${shift(from)} 00:00:00`;
  if (today < from || today > to) return { from: start, to: `${plus(from, -1)} 23:59:59` };
  const sameDay = shift(today);
  // The 30th of March has no day of its own in February: all of February is compared.
  const isClipped = months !== null && dayOfMonth(sameDay) !== dayOfMonth(today);
  return { from: start, to: `${sameDay} ${isClipped ? '23:59:59' : time}` };
}

/** How many calendar months a period has; null: it has days. The last 30 days are no month, even of November. */
function monthsOf(period: Period, { from, to }: Days): number | null {
  if (period === 'month') return 1;
  if (typeof period === 'string' && period !== 'last-month') return null;
  if (dayOfMonth(from) !== 1 || dayOfMonth(plus(to, 1)) !== 1) return null;
  return monthIndex(to) - monthIndex(from) + 1;
}

const dayOfMonth = (day: string): number => Number(day.slice(8, 10));
const monthIndex = (day: string): number => Number(day.slice(0, 4)) * 12 + Number(day.slice(5, 7)) - 1;

/** The same day `count` months before; of a shorter month its last day. */
function monthsBefore(day: string, count: number): string {
  const index = monthIndex(day) - count;
  const [year, month] = [Math.floor(index / 12), index % 12];
  const last = new Date(Date.UTC(year, month + 1, 0)).getUTCDate();
  return dayText(Date.UTC(year, month, Math.min(dayOfMonth(day), last)));
}
