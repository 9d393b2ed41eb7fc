import { z } from 'zod';
import type { autoPayout } from '../catalog/catalog-events.ts';
import { type Decision, decider } from '../decider.ts';
import { type EventOf, eventType } from '../event-type.ts';

/**
 * Stream `autopayouts-<bot>`: the time up to which the service has requested the bot's automatic payouts
 * (decisions.md#auto-payouts).
 */

/** The service has requested all automatic payouts that were due at `until` (milliseconds UTC). */
export const autoPayoutsMade = eventType('auto_payouts_made', 1, z.object({ until: z.number().int() }));

export interface AutoPayoutsState {
  readonly until: number;
}

export const autoPayouts = decider(
  [autoPayoutsMade],
  (): AutoPayoutsState => ({ until: 0 }),
  (_, { data }) => data,
);

export function payoutsMade(state: AutoPayoutsState, until: number): Decision<EventOf<typeof autoPayoutsMade>> {
  return state.until >= until ? [] : [{ type: 'auto_payouts_made', data: { until } }];
}

export type AutoPayout = z.infer<typeof autoPayout>;

/** The last moment, not after `now`, at which automatic payouts are due: 00:00 UTC; null: never. */
export function lastDue(when: AutoPayout, now: number): number | null {
  const date = new Date(now);
  const [year, month, day] = [date.getUTCFullYear(), date.getUTCMonth(), date.getUTCDate()];
  switch (when) {
    case 'off':
      return null;
    case 'daily':
      return Date.UTC(year, month, day);
    case 'weekly':
      // Days since Monday; getUTCDay() of Sunday is 0.
      return Date.UTC(year, month, day - ((date.getUTCDay() + 6) % 7));
    case 'monthly':
      return Date.UTC(year, month, 1);
  }
}

/** A change of the bot's setting, with its time. */
export interface AutoPayoutSetting {
  readonly at: number;
  readonly when: AutoPayout;
}

/**
 * The time of the payouts that are due and not requested; null: no payouts are due. After several missed times one payout is
 * enough, since a payout takes the whole balance. A setting counts from the time of its change.
 * @param settings of the bot, in the order of the log
 */
export function payoutsDue(
  settings: readonly AutoPayoutSetting[],
  { until }: AutoPayoutsState,
  now: number,
): number | null {
  const due = lastDue(settings.at(-1)?.when ?? 'off', now);
  if (due === null || due <= until) return null;
  const then = settings.findLast(({ at }) => at <= due)?.when ?? 'off';
  return lastDue(then, due) === due ? due : null;
}
