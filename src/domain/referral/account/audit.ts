import Big from 'big.js';
import type { AccountEvent } from './account.ts';
import { createAuditedPayouts } from './audited-payouts.ts';
import { earningKey } from './earned.ts';

/** The balance of one unit, as decimal text. */
export interface AuditedBalance {
  readonly available: string;
  readonly reserved: string;
  readonly paid: string;
  readonly on_hold: string;
}

export interface AccountAudit {
  /** @returns the faults of the event at its place in the stream, in words; [] if there are none */
  take(event: AccountEvent): string[];
  /** Balances by unit, of each unit that ever had an accrual. `now` in ms UTC decides which accruals are on hold. */
  balances(now: number): Map<number | null, AuditedBalance>;
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
  /** Accruals on hold at the last event, including those that were cancelled since. */
  held: AuditedAccrual[];
  /** Accruals that are neither on hold nor claimed, including those that were cancelled since. */
  free: AuditedAccrual[];
}

/**
 * Follows an account event by event and checks its rules. It shares no code with the fold that decisions use (account.ts).
 * The rules: balances equal the sums of accruals and payouts, each pair of rule and event earns once, an accrual is in one
 * payout at most, and a payout takes exactly what is available.
 */
export function createAccountAudit(): AccountAudit {
  const accruals = new Map<number, AuditedAccrual>();
  const claims = new Map<number, { readonly accruals: readonly AuditedAccrual[]; readonly unit: AuditedUnit }>();
  const earned = new Set<string>();
  const rates = new Map<number, string>();
  const units = new Map<number | null, AuditedUnit>();
  const payouts = createAuditedPayouts();
  let clock = 0;

  function unitOf(id: number | null): AuditedUnit {
    const known = units.get(id);
    if (known !== undefined) return known;
    const zero = new Big(0);
    const unit = { total: zero, reserved: zero, paid: zero, held: [], free: [] };
    units.set(id, unit);
    return unit;
  }

  function add(id: number, given: Omit<AuditedAccrual, 'state' | 'payout'>): void {
    // Field by field: with a spread, V8 would give each object a hidden class of its own.
    const { amount, unit, until, compensates } = given;
    const accrual: AuditedAccrual = { amount, unit, until, compensates, state: 'live', payout: null };
    accruals.set(id, accrual);
    unit.total = unit.total.plus(amount);
    (until > clock ? unit.held : unit.free).push(accrual);
  }

  /** The amount of a unit that is on hold at a time. */
  function heldAt({ held }: AuditedUnit, time: number): Big {
    let sum = new Big(0);
    for (const { until, state, amount } of held) if (until > time && state !== 'cancelled') sum = sum.plus(amount);
    return sum;
  }

  function availableAt(unit: AuditedUnit, time: number): Big {
    return unit.total.minus(heldAt(unit, time)).minus(unit.reserved).minus(unit.paid);
  }

  function earn(ruleId: number, event: { readonly commit_id: string; readonly index: number }): string[] {
    const key = earningKey(ruleId, event);
    const twice = earned.has(key);
    earned.add(key);
    return twice ? [`rule ${ruleId} has decided on event ${event.index} of commit ${event.commit_id} before`] : [];
  }

  function accrue(data: DataOf<'reward_accrued'>): string[] {
    const { accrual_id, rule_id, amount, unit_id, available_at, rate, event } = data;
    const wrong = earn(rule_id, event);
    if (accruals.has(accrual_id)) wrong.push(`accrual ${accrual_id} exists already`);
    if (new Big(amount).lte(0)) wrong.push(`accrual ${accrual_id} is of ${amount}`);
    if (rates.get(rule_id) !== rateKey(rate)) wrong.push(`accrual ${accrual_id} is at another rate than is locked`);
    if (rate.amount !== null && rate.amount !== amount)
      wrong.push(`accrual ${accrual_id} is of ${amount}, its rate is ${rate.amount}`);
    if (available_at < event.received) wrong.push(`accrual ${accrual_id} is available before it was earned`);
    add(accrual_id, { amount, unit: unitOf(unit_id), until: available_at, compensates: false });
    return wrong;
  }

  function request({ payouts: requested }: DataOf<'payout_requested'>): string[] {
    return requested.flatMap(({ payout_id, amount, unit_id }) => {
      const unit = unitOf(unit_id);
      const available = availableAt(unit, clock);
      const wrong =
        available.eq(amount) && available.gt(0)
          ? []
          : [`payout ${payout_id} is of ${amount}, and ${available.toFixed()} was available`];
      const passed = unit.held.filter(({ until }) => until <= clock);
      const taken = [...unit.free, ...passed].filter(({ state }) => state !== 'cancelled');
      unit.held = unit.held.filter(({ until }) => until > clock);
      unit.free = [];
      for (const accrual of taken) accrual.payout = payout_id;
      claims.set(payout_id, { accruals: taken, unit });
      unit.reserved = unit.reserved.plus(amount);
      return wrong;
    });
  }

  /** Moves the reserved amount of a payout that has ended: to paid, or back to available. */
  function settle(payoutId: number, amount: string, paid: boolean): void {
    const { accruals: taken, unit } = claims.get(payoutId)!;
    unit.reserved = unit.reserved.minus(amount);
    if (paid) unit.paid = unit.paid.plus(amount);
    else
      for (const accrual of taken) {
        accrual.payout = null;
        unit.free.push(accrual);
      }
  }

  function reverse({ accrual_id, compensation_id, at }: DataOf<'accrual_reversed'>): string[] {
    const accrual = accruals.get(accrual_id);
    if (accrual === undefined) return [`there is no accrual ${accrual_id} to reverse`];
    const wrong: string[] = [];
    if (accrual.state !== 'live') wrong.push(`accrual ${accrual_id} is ${accrual.state} already`);
    if (accrual.compensates) wrong.push(`accrual ${accrual_id} is a compensation`);
    const paid = accrual.payout !== null && payouts.isPaid(accrual.payout);
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
    if (accruals.has(compensation_id)) wrong.push(`accrual ${compensation_id} exists already`);
    accrual.state = 'reversed';
    add(compensation_id, { amount: new Big(amount).times(-1).toFixed(), unit, until: at, compensates: true });
    return wrong;
  }

  function follow(event: AccountEvent): string[] {
    switch (event.type) {
      case 'reward_accrued':
        return accrue(event.data);
      case 'reward_refused':
        return earn(event.data.rule_id, event.data.event);
      case 'reward_rate_locked': {
        const { rule_id, source } = event.data;
        const twice = source === 'auto' && rates.has(rule_id);
        rates.set(rule_id, rateKey(event.data));
        return twice ? [`the rate of rule ${rule_id} was locked before`] : [];
      }
      case 'accrual_reversed':
        return reverse(event.data);
      case 'payout_requested':
        return [...payouts.request(event.data), ...request(event.data)];
      default: {
        const { problem, over } = payouts.go(event);
        if (over !== null) settle(event.data.payout_id, over.amount, over.paid);
        return problem === null ? [] : [problem];
      }
    }
  }

  return {
    take(event) {
      const { at } = event.data;
      const wrong = at < clock ? [`goes back to ${at} from ${clock}`] : [];
      clock = Math.max(clock, at);
      return [...wrong, ...follow(event)];
    },

    balances(now) {
      const time = Math.max(now, clock);
      return new Map(
        [...units].map(([id, unit]) => {
          const [onHold, available] = [heldAt(unit, time), availableAt(unit, time)];
          const { reserved, paid } = unit;
          return [
            id,
            {
              available: available.toFixed(),
              reserved: reserved.toFixed(),
              paid: paid.toFixed(),
              on_hold: onHold.toFixed(),
            },
          ];
        }),
      );
    },
  };
}

type DataOf<T extends AccountEvent['type']> = Extract<AccountEvent, { readonly type: T }>['data'];

const rateKey = (rate: { readonly amount: string | null; readonly percent: string | null }): string =>
  `${rate.amount} ${rate.percent}`;

/**
 * The names in an event that only one account may have: the ids that it assigns, and the pair of rule and event that earns.
 * Within one account {@link createAccountAudit} finds names that are taken twice.
 */
export function givenOnce({ type, data }: AccountEvent): string[] {
  switch (type) {
    case 'reward_accrued':
      return [`accrual ${data.accrual_id}`, `reward ${earningKey(data.rule_id, data.event)}`];
    case 'payout_requested':
      return data.payouts.map(({ payout_id }) => `payout ${payout_id}`);
    case 'accrual_reversed':
      return data.compensation_id === null ? [] : [`accrual ${data.compensation_id}`];
    default:
      return [];
  }
}
