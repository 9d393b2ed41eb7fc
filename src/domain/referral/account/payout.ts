import type { Decision } from '../../decider.ts';
import { Rejection } from '../../rejection.ts';
import {
  type AccountEvent,
  type AccountState,
  accountTime,
  PAYOUT_STATUS,
  type Payout,
  type PayoutInitiator,
  type PayoutMethod,
} from './account.ts';
import { balances } from './balance.ts';

/**
 * A payout, from its request to its end (decisions.md#payouts). Each function allows what is said of it and nothing
 * else.
 */

export interface RequestPayout {
  /** Null: amounts without a unit; undefined: every unit. */
  readonly unit_id?: number | null | undefined;
  readonly method: PayoutMethod;
  readonly initiated_by: PayoutInitiator;
  /** One for each that is {@link payable}, rising. */
  readonly ids: readonly number[];
}

/** The units with something to pay out, and how much: decimal text. Without a unit first, then by id. */
export function payable(
  state: AccountState,
  unitId: number | null | undefined,
  now: number,
): { readonly unit_id: number | null; readonly amount: string }[] {
  return [...balances(state, now)]
    .filter(([unit_id, { available }]) => (unitId === undefined || unit_id === unitId) && available.gt(0))
    .map(([unit_id, { available }]) => ({ unit_id, amount: available.toFixed() }))
    .sort((a, b) => (a.unit_id ?? 0) - (b.unit_id ?? 0));
}

/** All that is available, in a payout for each unit. */
export function requestPayout(state: AccountState, command: RequestPayout, now: number): Decision<AccountEvent> {
  const { unit_id, method, initiated_by, ids } = command;
  const payouts = payable(state, unit_id, now).map((each, index) => ({ payout_id: ids[index]!, ...each }));
  if (payouts.length === 0) return new Rejection('invalid', 'user_id', 'no available balance');
  return [{ type: 'payout_requested', data: { payouts, method, initiated_by, at: accountTime(state, now) } }];
}

interface OfPayout {
  readonly payout_id: number;
}

/** Recorded before the webhook is called. Another attempt may follow one whose end was never recorded. */
export function attemptPayout(
  state: AccountState,
  { payout_id, address }: OfPayout & { readonly address: number },
  now: number,
): Decision<AccountEvent> {
  return change(state, payout_id, now, 'be attempted', (payout, at) => {
    const { status, attempt } = payout;
    const due = status === PAYOUT_STATUS.created || (status === PAYOUT_STATUS.processing && attempt !== 'accepted');
    if (payout.method !== 'webhook' || !due) return undefined;
    return [{ type: 'payout_attempted', data: { payout_id, attempt: payout.attempts + 1, address, at } }];
  });
}

export interface AttemptFailed extends OfPayout {
  readonly attempt: number;
  /** Whether the client may have been told. */
  readonly sent: boolean;
  /** Of the answer; null: there was none. */
  readonly status: number | null;
  readonly error: string;
  /** Milliseconds UTC; null: there is no further attempt, and the payout has failed. */
  readonly next_at: number | null;
}

/** Only the last attempt can fail: what is heard of an earlier one says nothing of the payout. */
export function failAttempt(state: AccountState, failed: AttemptFailed, now: number): Decision<AccountEvent> {
  const { payout_id, attempt, error } = failed;
  return change(state, payout_id, now, `have attempt ${attempt} fail`, (payout, at) => {
    if (!isOpen(payout) || payout.attempts !== attempt) return undefined;
    const event: AccountEvent = { type: 'payout_attempt_failed', data: { ...failed, at } };
    if (failed.next_at !== null) return [event];
    return [event, { type: 'payout_failed', data: { payout_id, by: 'webhook', error, at } }];
  });
}

/** The client has answered 202 and pays later. */
export function acceptPayout(
  state: AccountState,
  { payout_id, attempt }: OfPayout & { readonly attempt: number },
  now: number,
): Decision<AccountEvent> {
  return change(state, payout_id, now, `have attempt ${attempt} accepted`, (payout, at) =>
    isOpen(payout) && payout.attempts === attempt
      ? [{ type: 'payout_accepted', data: { payout_id, attempt, at } }]
      : undefined,
  );
}

/** The client has answered that it has paid: `status`, a 2xx. An earlier attempt may say so, too. */
export function payoutDelivered(
  state: AccountState,
  { payout_id, status }: OfPayout & { readonly status: number },
  now: number,
): Decision<AccountEvent> {
  return change(state, payout_id, now, 'be paid by its webhook', (payout, at) =>
    payout.status === PAYOUT_STATUS.processing
      ? [{ type: 'payout_paid', data: { payout_id, by: 'webhook', status, at } }]
      : undefined,
  );
}

/** There is nowhere to send it: no webhook, or a refused address. */
export function giveUpPayout(
  state: AccountState,
  { payout_id, error }: OfPayout & { readonly error: string },
  now: number,
): Decision<AccountEvent> {
  return change(state, payout_id, now, 'be given up', (payout, at) => {
    const waits = payout.status === PAYOUT_STATUS.created || isOpen(payout) || payout.attempt === 'failed';
    if (payout.method !== 'webhook' || !waits) return undefined;
    return [{ type: 'payout_failed', data: { payout_id, by: 'webhook', error, at } }];
  });
}

/** An administrator says that it was paid: a manual one, or one that the client has accepted. */
export function confirmPayout(state: AccountState, { payout_id }: OfPayout, now: number): Decision<AccountEvent> {
  return change(state, payout_id, now, 'be confirmed', (payout, at) => {
    const waits = isManualAndNew(payout) || payout.attempt === 'accepted';
    return waits ? [{ type: 'payout_paid', data: { payout_id, by: 'admin', status: null, at } }] : undefined;
  });
}

/** An administrator says that the client, who had accepted it, has not paid. */
export function failPayout(state: AccountState, { payout_id }: OfPayout, now: number): Decision<AccountEvent> {
  return change(state, payout_id, now, 'be failed', (payout, at) =>
    payout.attempt === 'accepted'
      ? [{ type: 'payout_failed', data: { payout_id, by: 'admin', error: 'failed by an administrator', at } }]
      : undefined,
  );
}

/** One that failed, or that waits for its next attempt. */
export function retryPayout(state: AccountState, { payout_id }: OfPayout, now: number): Decision<AccountEvent> {
  return change(state, payout_id, now, 'be retried', (payout, at) => {
    const waits = payout.status === PAYOUT_STATUS.failed || payout.attempt === 'failed';
    return waits ? [{ type: 'payout_retried', data: { payout_id, at } }] : undefined;
  });
}

/** A manual one that is new, or one that failed; what the client may have been told of only by `force`: it may have paid. */
export function cancelPayout(
  state: AccountState,
  { payout_id, force }: OfPayout & { readonly force: boolean },
  now: number,
): Decision<AccountEvent> {
  return change(state, payout_id, now, 'be cancelled', (payout, at) => {
    if (!isManualAndNew(payout) && payout.status !== PAYOUT_STATUS.failed) return undefined;
    const forced = payout.attempts > payout.unsent;
    if (forced && !force) {
      const message = `the client may have been told of payout ${payout_id} and may have paid it`;
      return new Rejection('conflict', 'payout_id', message);
    }
    return [{ type: 'payout_cancelled', data: { payout_id, forced, at } }];
  });
}

const isOpen = ({ status, attempt }: Payout): boolean => status === PAYOUT_STATUS.processing && attempt === 'open';

const isManualAndNew = ({ method, status }: Payout): boolean => method === 'manual' && status === PAYOUT_STATUS.created;

/** Finds the payout; undefined of `decide`: not in this state. */
function change(
  state: AccountState,
  payoutId: number,
  now: number,
  what: string,
  decide: (payout: Payout, at: number) => Decision<AccountEvent> | undefined,
): Decision<AccountEvent> {
  const payout = state.payouts.get(payoutId);
  if (payout === undefined) return new Rejection('not_found', 'payout_id', `there is no payout ${payoutId}`);
  const decision = decide(payout, accountTime(state, now));
  if (decision !== undefined) return decision;
  const { method, status } = payout;
  return new Rejection('conflict', 'payout_id', `a ${method} payout of status ${status} cannot ${what}`);
}
