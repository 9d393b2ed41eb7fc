import { describe, expect, it } from 'vitest';
import { comparedSpan } from '../../../console/src/reports/compared-period.ts';

const whole = (from: string, to: string) => ({ from: `${from} 00:00:00`, to: `${to} 23:59:59` });
const AS_OF = '2026-11-26T14:30:05+01:00';

describe('the period that a period is compared with', () => {
  it.each([
    ['last month', ['2026-10-01', '2026-10-31'], whole('2026-09-01', '2026-09-30')],
    ['a month after a longer one', ['2026-02-01', '2026-02-28'], whole('2026-01-01', '2026-01-31')],
    ['January', ['2026-01-01', '2026-01-31'], whole('2025-12-01', '2025-12-31')],
    ['a quarter', ['2026-07-01', '2026-09-30'], whole('2026-04-01', '2026-06-30')],
    ['a year', ['2025-01-01', '2025-12-31'], whole('2024-01-01', '2024-12-31')],
    ['seven days that are over', ['2026-11-10', '2026-11-16'], whole('2026-11-03', '2026-11-09')],
    ['yesterday', ['2026-11-25', '2026-11-25'], whole('2026-11-24', '2026-11-24')],
    ['days across a month', ['2026-10-05', '2026-11-03'], whole('2026-09-05', '2026-10-04')],
  ] as const)('is as long or the calendar period before, whole where it is over: %s', (_, [from, to], expected) => {
    expect(comparedSpan({ from, to }, { from, to }, AS_OF)).toEqual(expected);
  });

  it.each([
    ['today', ['2026-11-26', '2026-11-26'], '2026-11-25 00:00:00', '2026-11-25 14:30:05'],
    ['7d', ['2026-11-20', '2026-11-26'], '2026-11-13 00:00:00', '2026-11-19 14:30:05'],
    ['month', ['2026-11-01', '2026-11-26'], '2026-10-01 00:00:00', '2026-10-26 14:30:05'],
  ] as const)('ends at the same moment where it is not over: %s', (preset, [from, to], start, end) => {
    expect(comparedSpan(preset, { from, to }, AS_OF)).toEqual({ from: start, to: end });
  });

  it('of months that are not over ends at the same moment', () => {
    const span = (from: string, to: string, asOf: string) => comparedSpan({ from, to }, { from, to }, asOf);
    expect(span('2026-11-01', '2026-11-30', AS_OF)).toEqual({ from: '2026-10-01 00:00:00', to: '2026-10-26 14:30:05' });
    expect(span('2026-04-01', '2026-06-30', '2026-05-31T08:00:00Z')).toEqual(whole('2026-01-01', '2026-02-28'));
  });

  it('of a month so far ends with the month before, if that is shorter', () => {
    const days = { from: '2026-03-01', to: '2026-03-30' };
    expect(comparedSpan('month', days, '2026-03-30T08:00:00Z')).toEqual(whole('2026-02-01', '2026-02-28'));
  });

  it('of the last 30 days is no month, even of November', () => {
    const days = { from: '2026-11-01', to: '2026-11-30' };
    const span = comparedSpan('30d', days, '2026-11-30T08:00:00Z');
    expect(span).toEqual({ from: '2026-10-02 00:00:00', to: '2026-10-31 08:00:00' });
  });

  it('is whole, if nothing of the period has been counted yet', () => {
    const days = { from: '2026-12-01', to: '2026-12-31' };
    expect(comparedSpan(days, days, AS_OF)).toEqual(whole('2026-11-01', '2026-11-30'));
  });
});
