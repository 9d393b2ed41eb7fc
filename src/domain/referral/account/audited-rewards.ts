import type { DataOf } from '../../event-type.ts';
import type * as events from '../account-events.ts';
import { earningKey } from './earned.ts';

/** The rules of what earns and at which rate, written a second time for audits. */
export class AuditedRewards {
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
