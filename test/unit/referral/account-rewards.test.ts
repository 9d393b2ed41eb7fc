import { describe, expect, it } from 'vitest';
import { account } from '../../../src/domain/referral/account/account.ts';
import { accrueRewards, mayAccrue, newCurrencies } from '../../../src/domain/referral/account/accrue.ts';
import { Recalled } from '../../../src/domain/referral/account/recall.ts';
import { availableAt, type RewardItem, setRate } from '../../../src/domain/referral/account/reward.ts';
import type { AccountEvent, AccountState } from '../../../src/domain/referral/account/state.ts';
import { accrued, cause, DAY, item, NOON, percentItem } from '../../support/account-samples.ts';
import { given } from '../../support/decider-specification.ts';

const ids = [11, 12, 13, 14];
const accrue =
  (items: readonly RewardItem[], now = NOON, units = new Map<string, { unit_id: number; scale: number }>()) =>
  (state: AccountState) =>
    accrueRewards(state, new Recalled(), { items, units, ids }, now);
const locked = (more: object = {}): AccountEvent => ({
  type: 'reward_rate_locked',
  data: {
    ...{ rule_id: 1, reward_type: 'fixed', amount: '5', percent: null, unit_id: 1, source: 'auto', at: NOON },
    ...more,
  },
});
const refused = (index: number, reason: 'not_positive' | 'no_rate' | 'no_value', rule_id = 2): AccountEvent => ({
  type: 'reward_refused',
  data: { rule_id, referral_id: 7, event: cause(index), reason, at: NOON },
});

describe('a reward', () => {
  it('accrues once for a rule and an event, and the first one locks the rate in the same append', () => {
    given(account)
      .when(accrue([item(11), item(11)]))
      .yields(locked(), accrued(11, '5'));
    given(account, locked(), accrued(11, '5'))
      .when(accrue([item(11)]))
      .yieldsNothing();
    given(account, locked(), accrued(11, '5'))
      .when(accrue([item(11), item(12)]))
      .yields(accrued(11, '5', { event: cause(12) }));
    given(account)
      .when(accrue([item(11), item(12, { rule: { rule_id: 3 } })]))
      .isIdempotent();
  });

  it('is on hold for the days of its rule after the receipt of its event, to the millisecond', () => {
    given(account, locked())
      .when(accrue([item(11, { rule: { hold_days: '1.5' } })], NOON + 1))
      .yields(accrued(11, '5', { available_at: NOON + 1.5 * DAY, at: NOON + 1 }));
    expect(availableAt(0, '0.000000005')).toBe(0);
    expect(availableAt(0, '0.00000001')).toBe(1);
    expect(availableAt(NOON, '36525')).toBe(NOON + 36_525 * DAY);
  });

  it('uses the locked rate even if the rule has changed', () => {
    given(account, locked({ amount: '3', source: 'manual' }))
      .when(accrue([item(11)]))
      .yields(accrued(11, '3'));
    given(account, locked({ rule_id: 2, reward_type: 'percent', amount: null, percent: '50', unit_id: null }))
      .when(accrue([percentItem(11, '10', '30')]))
      .yields(accrued(11, '15', { rule_id: 2, rate: { reward_type: 'percent', amount: null, percent: '50' } }));
  });

  it.each([
    ['3', '20', 0, '1'],
    ['15', '10', 0, '2'],
    ['1', '50', 0, '1'],
    ['500', '2.9', 0, '15'],
    ['500', '2.9', 2, '14.5'],
    ['0.3', '33.333333333333', 2, '0.1'],
    ['999999999999999', '100', 2, '999999999999999'],
    ['0.1', '300', 3, '0.3'],
  ])('of %s at %s %% with %i decimals is %s', (value, percent, scale, amount) => {
    const base = { value, rate: '1', unit: { unit_id: 1, scale } };
    given(account)
      .when(accrue([percentItem(11, percent, value, { base })]))
      .yields(
        locked({ rule_id: 2, reward_type: 'percent', amount: null, percent, unit_id: null }),
        accrued(11, amount, { rule_id: 2, rate: { reward_type: 'percent', amount: null, percent } }),
      );
  });

  it('of a value in another unit is converted and rounded once', () => {
    // 0.045 * 50 % = 0.0225; of 0.05 it would be 0.03.
    const base = { value: '1', rate: '0.045', unit: { unit_id: 1, scale: 2 } };
    const [, reward] = accrue([percentItem(11, '50', '1', { base })])(given(account).state()) as AccountEvent[];
    expect(reward).toMatchObject({ data: { amount: '0.02' } });
  });

  it('of zero or less is refused forever and locks no rate', () => {
    given(account)
      .when(accrue([percentItem(11, '1', '0.4'), percentItem(12, '10', '-5'), item(13, { rule: { amount: '0' } })]))
      .yields(refused(11, 'not_positive'), refused(12, 'not_positive'), refused(13, 'not_positive', 1));
    given(account, refused(11, 'not_positive'))
      .when(accrue([percentItem(11, '50', '10')]))
      .yieldsNothing();
  });

  it('without a base for its percentage is refused with the reason', () => {
    given(account)
      .when(accrue([percentItem(11, '10', '1', { base: undefined, refusal: 'no_rate' })]))
      .yields(refused(11, 'no_rate'));
    given(account)
      .when(accrue([percentItem(11, '10', '1', { base: undefined })]))
      .yields(refused(11, 'no_value'));
  });

  it('of an external rule accrues nothing and locks the rate', () => {
    const external = item(11, { rule: { reward_type: 'external', amount: null } });
    given(account)
      .when(accrue([external, external]))
      .yields(locked({ reward_type: 'external', amount: null }));
    given(account)
      .when(accrue([external]))
      .isIdempotent();
  });

  it('in a currency without a unit waits for the unit, which is asked for only if something is earned', () => {
    const base = { value: '1000', rate: '1', unit: { currency: 'JPY' } };
    const yen = percentItem(11, '1', '', { base });
    const nothing = percentItem(12, '0.001', '', { base: { ...base, unit: { currency: 'EUR' }, value: '1' } });
    const state = given(account).state();
    expect(newCurrencies(state, new Recalled(), [yen, nothing])).toEqual(['JPY']);
    given(account)
      .when(accrue([yen]))
      .yieldsNothing();
    const units = new Map([['JPY', { unit_id: 4, scale: 0 }]]);
    const rate = { reward_type: 'percent', amount: null, percent: '1' } as const;
    given(account)
      .when(accrue([yen], NOON, units))
      .yields(locked({ rule_id: 2, ...rate, unit_id: null }), accrued(11, '10', { rule_id: 2, unit_id: 4, rate }));
    expect(
      newCurrencies(given(account, accrued(1, '10', { rule_id: 2, event: cause(11) })).state(), new Recalled(), [yen]),
    ).toEqual([]);
  });

  it('takes at most the ids that it may need', () => {
    const external = item(14, { rule: { reward_type: 'external', amount: null } });
    const state = given(account, accrued(11, '5')).state();
    expect(
      mayAccrue(state, new Recalled(), [
        item(11),
        item(12),
        external,
        percentItem(13, '1', '1', { refusal: 'no_rate' }),
      ]),
    ).toBe(1);
  });

  it('never uses a clock that went back', () => {
    given(account, accrued(1, '5', { at: NOON + DAY }))
      .when(accrue([item(11, { rule: { rule_id: 3 } })], NOON))
      .yields(locked({ rule_id: 3, at: NOON + DAY }), accrued(11, '5', { rule_id: 3, at: NOON + DAY }));
  });
});

describe('an individual rate', () => {
  const rule = { rule_id: 1, reward_type: 'fixed', unit_id: 1 } as const;
  const set = (more: object) => (state: AccountState) => setRate(state, { rule, scale: 2, ...more }, NOON);

  it('replaces a locked rate, is not replaced by a later lock, and is set once', () => {
    given(account)
      .when(set({ amount: '7.50' }))
      .yields(locked({ amount: '7.5', source: 'manual' }));
    given(account, locked())
      .when(set({ amount: '5' }))
      .yields(locked({ source: 'manual' }));
    given(account, locked({ source: 'manual' }))
      .when(accrue([item(11)]))
      .yields(accrued(11, '5'));
    given(account)
      .when(set({ amount: '0' }))
      .isIdempotent();
    given(account)
      .when(set({ rule: { ...rule, reward_type: 'percent', unit_id: null }, percent: '12.5' }))
      .yields(locked({ reward_type: 'percent', amount: null, percent: '12.5', unit_id: null, source: 'manual' }));
  });

  it.each<[string, object]>([
    ['rate', {}],
    ['rate', { amount: '1', percent: '1' }],
    ['percent', { percent: '10' }],
    ['amount', { amount: '-1' }],
    ['amount', { amount: '1e3' }],
    ['amount', { amount: '1.005' }],
    ['amount', { amount: '1234567890123456' }],
    ['amount', { rule: { ...rule, reward_type: 'external' }, amount: '1' }],
  ])('is refused for its %s: %j', (path, more) => {
    given(account).when(set(more)).isRefused('invalid', path);
  });
});
