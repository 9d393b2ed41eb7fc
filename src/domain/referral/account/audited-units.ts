import Big from 'big.js';
import type { DataOf } from '../../event-type.ts';
import type * as events from '../account-events.ts';

/** The balance of one unit, as decimal text. */
export interface AuditedBalance {
  readonly available: string;
  readonly reserved: string;
  readonly paid: string;
  readonly on_hold: string;
}

interface AuditedAccrual {
  readonly amount: string;
  readonly unit: AuditedUnit;
  readonly until: number;
  readonly compensates: boolean;
  state: 'live' | 'cancelled' | 'reversed';
  /** The payout that claimed it; null: it is unclaimed. */
  payout: number | null;
}

interface AuditedUnit {
  /** Sum of all accruals that are not cancelled. */
  total: Big;
  reserved: Big;
  paid: Big;
  /** Accruals on hold at the last event, including accruals cancelled since. */
  held: AuditedAccrual[];
  /** Accruals that are neither on hold nor claimed, including accruals cancelled since. */
  free: AuditedAccrual[];
}

/**
 * The accruals of an account, and the balances that follow from them, written a second time for audits: an accrual is
 * in one payout at most, and a payout takes exactly the available amount. `now` is the time of the last event.
 */
export class AuditedUnits {
  private readonly accruals = new Map<number, AuditedAccrual>();
  /** By payout. */
  private readonly claims = new Map<
    number,
    { readonly accruals: readonly AuditedAccrual[]; readonly unit: AuditedUnit }
  >();
  private readonly units = new Map<number | null, AuditedUnit>();

  accrue(data: DataOf<typeof events.rewardAccrued>, now: number): void {
    const { accrual_id, amount, unit_id, available_at } = data;
    this.add(accrual_id, { amount, unit: this.unitOf(unit_id), until: available_at, compensates: false }, now);
  }

  hasAccrual(id: number): boolean {
    return this.accruals.has(id);
  }

  request({ payouts }: DataOf<typeof events.payoutRequested>, now: number): string[] {
    return payouts.flatMap(({ payout_id, amount, unit_id }) => {
      const unit = this.unitOf(unit_id);
      const available = availableAt(unit, now);
      const passed = unit.held.filter(({ until }) => until <= now);
      const taken = [...unit.free, ...passed].filter(({ state }) => state !== 'cancelled');
      unit.held = unit.held.filter(({ until }) => until > now);
      unit.free = [];
      for (const accrual of taken) accrual.payout = payout_id;
      this.claims.set(payout_id, { accruals: taken, unit });
      unit.reserved = unit.reserved.plus(amount);
      if (available.eq(amount) && available.gt(0)) return [];
      return [`payout ${payout_id} is of ${amount}, and ${available.toFixed()} was available`];
    });
  }

  /** Moves the reserved amount of a payout that has ended: to paid, or back to available. */
  settle(payoutId: number, amount: string, paid: boolean): void {
    const { accruals: taken, unit } = this.claims.get(payoutId)!;
    unit.reserved = unit.reserved.minus(amount);
    if (paid) unit.paid = unit.paid.plus(amount);
    else
      for (const accrual of taken) {
        accrual.payout = null;
        unit.free.push(accrual);
      }
  }

  reverse(
    { accrual_id, compensation_id, at }: DataOf<typeof events.accrualReversed>,
    now: number,
    isPaid: (payoutId: number) => boolean,
  ): string[] {
    const accrual = this.accruals.get(accrual_id);
    if (accrual === undefined) return [`there is no accrual ${accrual_id} to reverse`];
    const wrong: string[] = [];
    if (accrual.state !== 'live') wrong.push(`accrual ${accrual_id} is ${accrual.state} already`);
    if (accrual.compensates) wrong.push(`accrual ${accrual_id} is a compensation`);
    const paid = accrual.payout !== null && isPaid(accrual.payout);
    if (paid !== (compensation_id !== null))
      wrong.push(
        `accrual ${accrual_id} was ${paid ? '' : 'not '}paid, and ${compensation_id === null ? 'cancelled' : 'made good'}`,
      );
    const { unit, amount } = accrual;
    if (compensation_id === null) {
      if (accrual.state !== 'cancelled') unit.total = unit.total.minus(amount);
      accrual.state = 'cancelled';
      return wrong;
    }
    if (this.accruals.has(compensation_id)) wrong.push(`accrual ${compensation_id} exists already`);
    accrual.state = 'reversed';
    const compensation = { amount: new Big(amount).times(-1).toFixed(), unit, until: at, compensates: true };
    this.add(compensation_id, compensation, now);
    return wrong;
  }

  balances(time: number): Map<number | null, AuditedBalance> {
    return new Map([...this.units].map(([id, unit]) => [id, balanceAt(unit, time)]));
  }

  private add(id: number, given: Omit<AuditedAccrual, 'state' | 'payout'>, now: number): void {
    // Field by field: with a spread, V8 would give each object a separate hidden class.
    const { amount, unit, until, compensates } = given;
    const accrual: AuditedAccrual = { amount, unit, until, compensates, state: 'live', payout: null };
    this.accruals.set(id, accrual);
    unit.total = unit.total.plus(amount);
    (until > now ? unit.held : unit.free).push(accrual);
  }

  private unitOf(id: number | null): AuditedUnit {
    const known = this.units.get(id);
    if (known !== undefined) return known;
    const zero = new Big(0);
    const unit = { total: zero, reserved: zero, paid: zero, held: [], free: [] };
    this.units.set(id, unit);
    return unit;
  }
}

function balanceAt(unit: AuditedUnit, time: number): AuditedBalance {
  return {
    available: availableAt(unit, time).toFixed(),
    reserved: unit.reserved.toFixed(),
    paid: unit.paid.toFixed(),
    on_hold: heldAt(unit, time).toFixed(),
  };
}

function availableAt(unit: AuditedUnit, time: number): Big {
  return unit.total.minus(heldAt(unit, time)).minus(unit.reserved).minus(unit.paid);
}

/** The amount of a unit that is on hold at a time. */
function heldAt({ held }: AuditedUnit, time: number): Big {
  let sum = new Big(0);
  for (const { until, state, amount } of held) if (until > time && state !== 'cancelled') sum = sum.plus(amount);
  return sum;
}
