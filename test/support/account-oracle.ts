import Big from 'big.js';
import type { AccountEvent } from '../../src/domain/referral/account/state.ts';

/**
 * An account as a plain list of its events, calculated again at each question. It is slow, and simple enough to check by
 * reading.
 */
export interface Oracle {
  apply(event: AccountEvent): void;
  /** By unit: available, reserved, paid, on hold. @throws if money is lost or spent twice */
  balances(now: number): Map<number | null, readonly [string, string, string, string]>;
  /** By accrual that was not reversed: 0 on hold, 1 confirmed, 2 paid. */
  statuses(now: number): Map<number, number>;
  /** By accrual, also reversed ones: the payout that claimed it; null: none has. */
  payouts(): Map<number, number | null>;
}

interface OracleAccrual {
  readonly amount: string;
  readonly unit: number | null;
  readonly until: number;
  readonly compensates: boolean;
  state: 'live' | 'cancelled' | 'reversed';
  payouts: number[];
}

export function oracle(): Oracle {
  const accruals = new Map<number, OracleAccrual>();
  const payouts = new Map<
    number,
    { readonly amount: string; readonly unit: number | null; state: 'open' | 'paid' | 'cancelled' }
  >();
  /** By rule: the rate that the account locked. */
  const rates = new Map<number, string>();
  const rateOf = ({ amount, percent }: { readonly amount: string | null; readonly percent: string | null }) =>
    `${amount} ${percent}`;
  let reversals = 0;
  let clock = 0;

  const sum = (amounts: readonly string[]): Big => amounts.reduce((total, amount) => total.plus(amount), new Big(0));
  const counted = (unit: number | null) =>
    [...accruals.values()].filter((accrual) => accrual.unit === unit && accrual.state !== 'cancelled');
  const spent = (unit: number | null, state: 'open' | 'paid'): Big =>
    sum([...payouts.values()].filter((each) => each.unit === unit && each.state === state).map(({ amount }) => amount));
  const isOver = (id: number): boolean => payouts.get(id)!.state === 'cancelled';

  return {
    apply({ type, data }) {
      clock = Math.max(clock, data.at);
      if (type === 'reward_rate_locked') {
        if (data.source === 'auto' && rates.has(data.rule_id)) throw new Error(`rule ${data.rule_id} is locked twice`);
        rates.set(data.rule_id, rateOf(data));
      }
      if (type === 'reward_accrued') {
        if (rates.get(data.rule_id) !== rateOf(data.rate))
          throw new Error(`rule ${data.rule_id} is locked with another rate`);
        const { accrual_id, amount, unit_id: unit, available_at: until } = data;
        if (accruals.has(accrual_id)) throw new Error(`accrual ${accrual_id} exists already`);
        accruals.set(accrual_id, { amount, unit, until, compensates: false, state: 'live', payouts: [] });
      }
      if (type === 'payout_requested')
        for (const { payout_id, amount, unit_id: unit } of data.payouts) {
          if (payouts.has(payout_id)) throw new Error(`payout ${payout_id} exists already`);
          const available = this.balances(data.at).get(unit)![0];
          if (available !== amount) throw new Error(`payout of ${amount}, available ${available}`);
          payouts.set(payout_id, { amount, unit, state: 'open' });
          for (const accrual of accruals.values())
            if (
              accrual.state !== 'cancelled' &&
              accrual.unit === unit &&
              accrual.until <= data.at &&
              accrual.payouts.every(isOver)
            )
              accrual.payouts.push(payout_id);
        }
      if (type === 'payout_paid') payouts.get(data.payout_id)!.state = 'paid';
      if (type === 'payout_cancelled') payouts.get(data.payout_id)!.state = 'cancelled';
      if (type === 'accrual_reversed') {
        reversals++;
        const accrual = accruals.get(data.accrual_id)!;
        if (accrual.state !== 'live' || accrual.compensates) throw new Error('the accrual cannot be reversed');
        const paid = accrual.payouts.some((id) => payouts.get(id)!.state === 'paid');
        if (paid !== (data.compensation_id !== null))
          throw new Error(`compensation of an accrual that was ${paid ? '' : 'not '}paid`);
        accrual.state = paid ? 'reversed' : 'cancelled';
        if (data.compensation_id === null) return;
        const amount = new Big(accrual.amount).times(-1).toFixed();
        accruals.set(data.compensation_id, {
          ...accrual,
          amount,
          until: data.at,
          compensates: true,
          state: 'live',
          payouts: [],
        });
      }
    },

    balances(now) {
      const time = Math.max(now, clock);
      const found = new Map<number | null, readonly [string, string, string, string]>();
      for (const unit of new Set([...accruals.values()].map((accrual) => accrual.unit))) {
        const all = counted(unit);
        const onHold = sum(all.filter(({ until }) => until > time).map(({ amount }) => amount));
        const [reserved, paid] = [spent(unit, 'open'), spent(unit, 'paid')];
        const available = sum(all.map(({ amount }) => amount))
          .minus(onHold)
          .minus(reserved)
          .minus(paid);
        if (available.lt(0) && reversals === 0) throw new Error(`unit ${unit}: available is ${available}`);
        found.set(unit, [available.toFixed(), reserved.toFixed(), paid.toFixed(), onHold.toFixed()]);
      }
      for (const [id, accrual] of accruals)
        if (accrual.payouts.filter((each) => !isOver(each)).length > 1)
          throw new Error(`accrual ${id} is claimed twice`);
      return found;
    },

    payouts() {
      return new Map(
        [...accruals].map(([id, { payouts: claims }]) => [id, claims.find((each) => !isOver(each)) ?? null]),
      );
    },

    statuses(now) {
      const time = Math.max(now, clock);
      return new Map(
        [...accruals]
          .filter(([, { state }]) => state === 'live')
          .map(([id, { until, payouts: claims }]) => {
            const paid = claims.some((each) => payouts.get(each)!.state === 'paid');
            return [id, paid ? 2 : until <= time ? 1 : 0];
          }),
      );
    },
  };
}
