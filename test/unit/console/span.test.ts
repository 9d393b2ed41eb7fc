import { describe, expect, it } from 'vitest';
import { comparedSpans, MOST_DAYS, periodFrom, periodText } from '../../../console/src/dashboard/span.ts';

/** The periods of the dashboard, each with the period before it. */

// 01:30 of the 26th in Berlin, an hour after midnight in winter time.
const NOW = new Date('2026-11-26T00:30:15Z');
const ZONE = 'Europe/Berlin';

describe('a period of the dashboard', () => {
  it("ends now, and is compared up to the same time of day, in the bot's zone", () => {
    expect(comparedSpans('today', ZONE, NOW)).toEqual({
      days: { from: '2026-11-26', to: '2026-11-26' },
      span: { from: '2026-11-26 00:00:00', to: '2026-11-26 01:30:15' },
      before: { from: '2026-11-25 00:00:00', to: '2026-11-25 01:30:15' },
      isRunning: true,
    });
    expect(comparedSpans('today', 'America/New_York', NOW).span.to).toBe('2026-11-25 19:30:15');
    expect(comparedSpans('30d', ZONE, NOW)).toMatchObject({
      span: { from: '2026-10-28 00:00:00', to: '2026-11-26 01:30:15' },
      before: { from: '2026-09-28 00:00:00', to: '2026-10-27 01:30:15' },
    });
  });

  it('that is over is compared whole', () => {
    expect(comparedSpans({ from: '2026-11-10', to: '2026-11-12' }, ZONE, NOW)).toMatchObject({
      span: { from: '2026-11-10 00:00:00', to: '2026-11-12 23:59:59' },
      before: { from: '2026-11-07 00:00:00', to: '2026-11-09 23:59:59' },
      isRunning: false,
    });
  });

  it('ends today if its days lie ahead', () => {
    const { days, isRunning } = comparedSpans({ from: '2026-11-25', to: '2026-12-24' }, ZONE, NOW);
    expect({ days, isRunning }).toEqual({ days: { from: '2026-11-25', to: '2026-11-26' }, isRunning: true });
  });

  it('is read from its text, and any other text is 30 days', () => {
    for (const period of ['today', '7d', '30d', '90d', { from: '2026-01-01', to: '2026-01-31' }] as const)
      expect(periodFrom(periodText(period))).toEqual(period);
    const long = periodText({ from: '2025-01-01', to: '2026-06-01' });
    for (const text of [null, '', 'x', '2026-02-01_2026-01-01', '2026-13-01_2026-13-02', '2026-01-01', long])
      expect(periodFrom(text), `${text}`).toBe('30d');
    expect(MOST_DAYS).toBe(366);
  });
});
