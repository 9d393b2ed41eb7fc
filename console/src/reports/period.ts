/** Days of a period, `YYYY-MM-DD`, both included. */
export interface Days {
  readonly from: string;
  readonly to: string;
}

const DAY_MS = 86_400_000;

export const PRESETS = ['today', 'yesterday', '7d', '30d', '90d', 'month', 'last-month'] as const;
export type Preset = (typeof PRESETS)[number];

/** A preset moves with the day; dates `YYYY-MM-DD` stay, both included. */
export type Period = Preset | Days;

/** The days that a period has now in a time zone. */
export function daysOf(period: Period, zone: string, now: Date): Days {
  if (typeof period === 'object') return period;
  const today = new Intl.DateTimeFormat('en-CA', { timeZone: zone, dateStyle: 'short' }).format(now);
  const [year, month] = today.split('-').map(Number) as [number, number];
  switch (period) {
    case 'today':
      return { from: today, to: today };
    case 'yesterday':
      return { from: plus(today, -1), to: plus(today, -1) };
    case '7d':
      return { from: plus(today, -6), to: today };
    case '30d':
      return { from: plus(today, -29), to: today };
    case '90d':
      return { from: plus(today, -89), to: today };
    case 'month':
      return { from: `${today.slice(0, 8)}01`, to: today };
    case 'last-month':
      return { from: dayText(Date.UTC(year, month - 2, 1)), to: dayText(Date.UTC(year, month - 1, 0)) };
  }
}

/** The period of the same length that ends the day before. */
export function before({ from, to }: Days): Days {
  const days = Math.round((Date.parse(to) - Date.parse(from)) / DAY_MS) + 1;
  return { from: plus(from, -days), to: plus(to, -days) };
}

/** The day `days` later. */
export function plus(day: string, days: number): string {
  return dayText(Date.parse(`${day}T00:00:00Z`) + days * DAY_MS);
}

export function dayText(ms: number): string {
  return new Date(ms).toISOString().slice(0, 10);
}
