import {
  acceptPayout,
  attemptPayout,
  failAttempt,
  giveUpPayout,
  payoutDelivered,
} from '../../domain/referral/account/payout.ts';
import type { AccountEvent } from '../../domain/referral/account/state.ts';
import { dueAt, nextAttempt, type PresentAddress, type RetryDelays } from '../../domain/referral/delivery.ts';
import type { Accounts } from './accounts.ts';
import type { AccountKey } from './books.ts';

/** The attempts to announce a payout to its client. The log has each before its call, and the outcome after. */

export interface PayoutKey extends AccountKey {
  readonly payoutId: number;
}

/**
 * Records that an attempt begins, at the bot's present address.
 * @returns the attempt's number; null: no attempt is due, for example because another instance was faster
 */
export async function beginAttempt(
  accounts: Accounts,
  { payoutId: payout_id, ...key }: PayoutKey,
  delays: RetryDelays,
  present: PresentAddress,
): Promise<number | null> {
  const { events } = await accounts.change(key, {
    decide(state, now) {
      const payout = state.payouts.get(payout_id);
      const due = payout === undefined || payout.method !== 'webhook' ? null : dueAt(payout, delays, present, now);
      return due === null || due > now ? [] : attemptPayout(state, { payout_id, address: present.address }, now);
    },
  });
  const begun = events.find((event): event is Extract<AccountEvent, { type: 'payout_attempted' }> => {
    return event.type === 'payout_attempted';
  });
  return begun?.data.attempt ?? null;
}

/** The end of an attempt. */
export type AttemptEnd =
  | { readonly result: 'paid'; readonly status: number }
  | { readonly result: 'accepted' }
  | {
      /** `gone`: the client asks for no further announcement. */
      readonly result: 'again' | 'gone';
      /** Whether the request may have reached the client. */
      readonly sent: boolean;
      /** HTTP status of the answer; null: there was no answer. */
      readonly status: number | null;
      readonly error: string;
      /** The client's Retry-After, milliseconds UTC. */
      readonly retryAfter: number | null;
    };

/** Records the end of an attempt. @throws Rejection the attempt no longer counts: another followed, or the payout has ended */
export async function endAttempt(
  accounts: Accounts,
  { payoutId: payout_id, ...key }: PayoutKey,
  attempt: number,
  end: AttemptEnd,
  delays: RetryDelays,
): Promise<void> {
  const chance = Buffer.from(accounts.context.sources.randomBytes(4)).readUInt32BE() / 0xffffffff;
  await accounts.change(key, {
    decide(state, now) {
      if (end.result === 'paid') return payoutDelivered(state, { payout_id, status: end.status }, now);
      if (end.result === 'accepted') return acceptPayout(state, { payout_id, attempt }, now);
      const { sent, status, error, retryAfter } = end;
      const failures = (state.payouts.get(payout_id)?.failures ?? 0) + 1;
      const next_at = end.result === 'gone' ? null : nextAttempt(delays, { failures, now, retryAfter, chance });
      return failAttempt(state, { payout_id, attempt, sent, status, error, next_at }, now);
    },
  });
}

/** Records that there is no address to announce the payout to. @throws Rejection the payout does not wait any more */
export async function giveUp(
  accounts: Accounts,
  { payoutId: payout_id, ...key }: PayoutKey,
  error: string,
): Promise<void> {
  await accounts.change(key, { decide: (state, now) => giveUpPayout(state, { payout_id, error }, now) });
}
