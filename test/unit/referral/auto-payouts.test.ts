import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  type AutoPayout,
  type AutoPayoutSetting,
  autoPayouts,
  lastDue,
  payoutsDue,
  payoutsMade,
} from '../../../src/domain/referral/auto-payouts.ts';
import { given } from '../../support/decider-specification.ts';

const at = (text: string): number => Date.parse(`${text}Z`);

describe('the last moment at which payouts are made', () => {
  it.each([
    ['daily', '2026-01-15T00:00:00.000', '2026-01-15T00:00'],
    ['daily', '2026-01-15T23:59:59.999', '2026-01-15T00:00'],
    ['weekly', '2026-01-12T00:00:00.000', '2026-01-12T00:00'], // a Monday
    ['weekly', '2026-01-18T23:59:59.999', '2026-01-12T00:00'], // the Sunday after
    ['weekly', '2026-01-01T12:00:00.000', '2025-12-29T00:00'],
    ['monthly', '2026-03-31T12:00:00.000', '2026-03-01T00:00'],
    ['monthly', '2026-03-01T00:00:00.000', '2026-03-01T00:00'],
  ] as const)('%s, asked at %s', (when, now, due) => {
    expect(lastDue(when, at(now))).toBe(at(due));
  });

  it('is none if automatic payouts are off', () => {
    expect(lastDue('off', at('2026-01-15T00:00'))).toBeNull();
  });
});

const setting = (text: string, when: AutoPayout): AutoPayoutSetting => ({ at: at(text), when });
const due = (now: string, until: string, ...settings: AutoPayoutSetting[]) =>
  payoutsDue(settings, { until: at(until) }, at(now));

describe('payouts are due', () => {
  const daily = setting('2026-01-10T10:00', 'daily');

  it('from the first midnight after the setting, once each', () => {
    expect(due('2026-01-10T23:59', '2000-01-01T00:00', daily)).toBeNull();
    expect(due('2026-01-11T00:00', '2000-01-01T00:00', daily)).toBe(at('2026-01-11T00:00'));
    expect(due('2026-01-11T12:00', '2026-01-11T00:00', daily)).toBeNull();
    expect(due('2026-01-12T00:00', '2026-01-11T00:00', daily)).toBe(at('2026-01-12T00:00'));
  });

  it('once for all missed midnights', () => {
    expect(due('2026-01-20T07:00', '2026-01-11T00:00', daily)).toBe(at('2026-01-20T00:00'));
  });

  it('by the setting of that time, and not if they are off now', () => {
    const weekly = setting('2026-01-14T10:00', 'weekly');
    expect(due('2026-01-15T00:00', '2026-01-12T00:00', daily, weekly)).toBeNull();
    expect(due('2026-01-19T00:00', '2026-01-14T00:00', daily, weekly)).toBe(at('2026-01-19T00:00'));
    // At that Monday's midnight it was daily: the day's payouts, late.
    expect(due('2026-01-14T11:00', '2026-01-11T00:00', daily, weekly)).toBe(at('2026-01-12T00:00'));
    expect(due('2026-01-12T09:00', '2026-01-11T00:00', daily, setting('2026-01-12T08:00', 'off'))).toBeNull();
    expect(due('2026-01-12T09:00', '2000-01-01T00:00', setting('2026-01-12T08:00', 'daily'))).toBeNull();
  });

  it('at one midnight at a time, for every setting and every time', () => {
    const when = fc.constantFrom<AutoPayout>('off', 'daily', 'weekly', 'monthly');
    const moment = fc.integer({ min: at('2026-01-01T00:00'), max: at('2026-03-01T00:00') });
    fc.assert(
      fc.property(fc.array(fc.record({ at: moment, when })), fc.array(moment), (unsorted, looks) => {
        const settings = unsorted.toSorted((a, b) => a.at - b.at);
        let until = 0;
        for (const now of looks.toSorted((a, b) => a - b)) {
          const known = settings.filter((each) => each.at <= now);
          const next = payoutsDue(known, { until }, now);
          if (next === null) continue;
          expect(next).toBeGreaterThan(until);
          expect(next).toBeLessThanOrEqual(now);
          expect(next % 86_400_000).toBe(0);
          until = next;
          expect(payoutsDue(known, { until }, now)).toBeNull();
        }
      }),
    );
  });

  it('no more once they are recorded, and never at an earlier time', () => {
    const made = { type: 'auto_payouts_made', data: { until: 5 } } as const;
    given(autoPayouts)
      .when((state) => payoutsMade(state, 5))
      .yields(made);
    given(autoPayouts, made)
      .when((state) => payoutsMade(state, 5))
      .yieldsNothing();
    given(autoPayouts, made)
      .when((state) => payoutsMade(state, 4))
      .yieldsNothing();
  });
});
