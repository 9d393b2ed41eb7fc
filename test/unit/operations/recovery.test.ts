import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { reserveIds } from '../../../src/domain/catalog/ids.ts';
import {
  beginRecovery,
  endRecovery,
  idsAbove,
  type RecoveryEvent,
  recovery,
} from '../../../src/domain/operations/recovery-events.ts';
import { given } from '../../support/decider-specification.ts';

const HOUR_MS = 3_600_000;
const NOON = Date.UTC(2026, 0, 1, 12);

const begun = (frequent_ids_above: number, rare_ids_above: number, backup: string | null = 'b'): RecoveryEvent => ({
  type: 'recovery_begun',
  data: { backup, frequent_ids_above, rare_ids_above },
});
const ended: RecoveryEvent = { type: 'recovery_ended', data: { reason: 'compared' } };

describe('a recovery', () => {
  it('puts new ids above a floor that grows with time', () => {
    given(recovery)
      .when((state) => beginRecovery(state, 'b', NOON))
      .yields(begun(432_000_000, 43_200));
    given(recovery, begun(432_000_000, 43_200), ended)
      .when((state) => beginRecovery(state, null, NOON + HOUR_MS))
      .yields(begun(468_000_000, 46_800, null));
  });

  it('never lowers the floor, whatever the clock says', () => {
    given(recovery, begun(432_000_000, 43_200), ended)
      .when((state) => beginRecovery(state, 'b', NOON - HOUR_MS))
      .yields(begun(432_000_000, 43_200));
    given(recovery)
      .when((state) => beginRecovery(state, 'b', Date.UTC(2025, 0)))
      .yields(begun(0, 0));
  });

  it('begins once until it has ended, and ends once', () => {
    given(recovery, begun(10, 1))
      .when((state) => beginRecovery(state, 'other', NOON))
      .yields();
    given(recovery, begun(10, 1))
      .when((state) => endRecovery(state, ' compared '))
      .yields(ended);
    given(recovery, begun(10, 1))
      .when((state) => endRecovery(state, ' '))
      .isRefused('invalid', 'reason');
    for (const past of [[], [begun(10, 1), ended]])
      given(recovery, ...past)
        .when((state) => endRecovery(state, 'compared'))
        .isRefused('conflict', 'recovery');
  });

  it('has a floor for ids that grow with traffic, and one of 32 bits for the others', () => {
    const state = [begun(432_000_000, 43_200), ended].reduce(recovery.evolve, recovery.initialState());
    for (const kind of ['accrual', 'payout', 'broadcast', 'segment'] as const)
      expect(idsAbove(state, kind)).toBe(432_000_000);
    for (const kind of ['owner', 'bot', 'key', 'unit', 'rule', 'savedsegment', 'event'] as const)
      expect(idsAbove(state, kind)).toBe(43_200);
    expect(idsAbove(recovery.initialState(), 'payout')).toBe(0);
    const in2090 = beginRecovery(recovery.initialState(), null, Date.UTC(2090, 0)) as readonly RecoveryEvent[];
    expect(idsAbove(in2090.reduce(recovery.evolve, recovery.initialState()), 'bot')).toBeLessThan(2 ** 31);
  });

  it('gives no id twice, however often the same backup is restored, up to 10,000 ids a second', () => {
    const use = fc.record({
      seconds: fc.integer({ min: 1, max: 1000 }),
      share: fc.double({ min: 0, max: 1, noNaN: true }),
    });
    fc.assert(
      fc.property(fc.nat({ max: 1000 }), fc.array(use, { minLength: 1, maxLength: 8 }), (before, uses) => {
        let highest = before;
        let now = NOON;
        for (const { seconds, share } of uses) {
          // Each round restores the same backup, so both streams are as they were then.
          const [event] = beginRecovery(recovery.initialState(), 'b', now) as readonly RecoveryEvent[];
          const above = idsAbove(recovery.evolve(recovery.initialState(), event!), 'payout');
          const count = Math.max(1, Math.floor(seconds * 10_000 * share));
          const { from, to } = reserveIds({ last: before }, { kind: 'payout', count, above })[0]!.data;
          expect(from).toBeGreaterThan(highest);
          highest = to;
          now += seconds * 1000;
        }
      }),
    );
  });
});
