import { z } from 'zod';
import type { autoPayout } from '../catalog/events.ts';
import { type Decision, decider } from '../decider.ts';
import { type EventOf, eventType } from '../event-type.ts';

/**
 * Stream `autopayouts-<bot>`: up to when the payouts that a bot makes by itself are made (decisions.md#auto-payouts).
 */

/** All that were to be made at `until` (milliseconds UTC) have been requested. */
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

/** The last moment, not after `now`, at which such payouts are made: 00:00 UTC; null: never. */
export function lastDue(when: AutoPayout, now: number): number | null {
  const date = new Date(now);
  const [year, month, day] = [date.getUTCFullYear(), date.getUTCMonth(), date.getUTCDate()];
  switch (when) {
    case 'off':
      return null;
    case 'daily':
      return Date.UTC(year, month, day);
    case 'weekly':
      // Days since Monday: Sunday, which is 0, comes last.
      return Date.UTC(year, month, day - ((date.getUTCDay() + 6) % 7));
    case 'monthly':
      return Date.UTC(year, month, 1);
  }
}

/** A change of the setting, and when it was recorded. */
export interface AutoPayoutSetting {
  readonly at: number;
  readonly when: AutoPayout;
}

/**
 * When payouts are due that have not been made; null: all have been. What was missed is made up for once, however often
 * it was missed, since a payout is of all there is. A setting counts from when it was made.
 * @param settings the bot's, in the order of the log
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
