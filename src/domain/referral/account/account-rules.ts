import Big from 'big.js';
import type { DataOf } from '../../event-type.ts';
import type * as events from '../account-events.ts';
import { createAuditedPayouts } from './audited-payouts.ts';
import { type AuditedBalance, AuditedUnits } from './audited-units.ts';
import { earningKey } from './earned.ts';
import type { AccountEvent } from './state.ts';

export interface AccountAudit {
  /** @returns the faults of the event at its place in the stream, in words; [] if there are none */
  take(event: AccountEvent): string[];
  /** Balances by unit, of each unit that ever had an accrual. `now` in ms UTC decides which accruals are on hold. */
  balances(now: number): Map<number | null, AuditedBalance>;
}

/**
 * Follows an account event by event and checks its rules. It shares no code with the fold that decisions use
 * (account.ts). The rules: balances equal the sums of accruals and payouts, each pair of rule and event earns once, an
 * accrual is in one payout at most, and a payout takes exactly the available amount.
 */
export function createAccountAudit(): AccountAudit {
  return new Audit();
}

class Audit implements AccountAudit {
  private readonly rewards = new AuditedRewards();
  private readonly units = new AuditedUnits();
  private readonly payouts = createAuditedPayouts();
  private clock = 0;

  take(event: AccountEvent): string[] {
    const { at } = event.data;
    const wrong = at < this.clock ? [`goes back to ${at} from ${this.clock}`] : [];
    this.clock = Math.max(this.clock, at);
    return [...wrong, ...this.follow(event)];
  }

  balances(now: number): Map<number | null, AuditedBalance> {
    return this.units.balances(Math.max(now, this.clock));
  }

  private follow(event: AccountEvent): string[] {
    switch (event.type) {
      case 'reward_accrued':
        return this.accrue(event.data);
      case 'reward_refused':
        return this.rewards.decide(event.data.rule_id, event.data.event);
      case 'reward_rate_locked':
        return this.rewards.lockRate(event.data);
      case 'accrual_reversed':
        return this.units.reverse(event.data, this.clock, this.payouts.isPaid);
      case 'payout_requested':
        return [...this.payouts.request(event.data), ...this.units.request(event.data, this.clock)];
      default: {
        const { problem, over } = this.payouts.go(event);
        if (over !== null) this.units.settle(event.data.payout_id, over.amount, over.paid);
        return problem === null ? [] : [problem];
      }
    }
  }

  private accrue(data: DataOf<typeof events.rewardAccrued>): string[] {
    const { accrual_id, rule_id, amount, available_at, event } = data;
    const wrong = this.rewards.decide(rule_id, event);
    if (this.units.hasAccrual(accrual_id)) wrong.push(`accrual ${accrual_id} exists already`);
    if (new Big(amount).lte(0)) wrong.push(`accrual ${accrual_id} is of ${amount}`);
    wrong.push(...this.rewards.checkRate(data));
    if (available_at < event.received) wrong.push(`accrual ${accrual_id} is available before it was earned`);
    this.units.accrue(data, this.clock);
    return wrong;
  }
}

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

/** The rules of what earns and at which rate, written a second time for audits. */
class AuditedRewards {
  private readonly earned = new Set<string>();
  /** By rule: its locked rate. */
  private readonly rates = new Map<number, string>();

  /** Takes in that a rule has decided on an event. */
  decide(ruleId: number, event: { readonly commit_id: string; readonly index: number }): string[] {
    const key = earningKey(ruleId, event);
    const twice = this.earned.has(key);
    this.earned.add(key);
    return twice ? [`rule ${ruleId} has decided on event ${event.index} of commit ${event.commit_id} before`] : [];
  }

  lockRate(lock: DataOf<typeof events.rewardRateLocked>): string[] {
    const { rule_id, source } = lock;
    const twice = source === 'auto' && this.rates.has(rule_id);
    this.rates.set(rule_id, rateKey(lock));
    return twice ? [`the rate of rule ${rule_id} was locked before`] : [];
  }

  checkRate({ accrual_id, rule_id, amount, rate }: DataOf<typeof events.rewardAccrued>): string[] {
    const wrong: string[] = [];
    if (this.rates.get(rule_id) !== rateKey(rate))
      wrong.push(`accrual ${accrual_id} is at another rate than is locked`);
    if (rate.amount !== null && rate.amount !== amount)
      wrong.push(`accrual ${accrual_id} is of ${amount}, its rate is ${rate.amount}`);
    return wrong;
  }
}

const rateKey = (rate: { readonly amount: string | null; readonly percent: string | null }): string =>
  `${rate.amount} ${rate.percent}`;
