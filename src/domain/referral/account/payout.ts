import type { Decision } from '../../decider.ts';
import { Rejection } from '../../rejection.ts';
import { balances } from './account.ts';
import {
  type AccountEvent,
  type AccountState,
  accountTime,
  PAYOUT_STATUS,
  type Payout,
  type PayoutInitiator,
  type PayoutMethod,
} from './state.ts';

/**
 * The decisions on a payout, from its request to its end (decisions.md#payouts). Each function allows the states in its
 * comment and no others.
 */

export interface RequestPayout {
  /** Null: the amounts without a unit; undefined: every unit. */
  readonly unit_id?: number | null | undefined;
  readonly method: PayoutMethod;
  readonly initiated_by: PayoutInitiator;
  /** One id for each {@link payable} unit, ascending. */
  readonly ids: readonly number[];
  /** Random text, see `payoutRequested`. */
  readonly nonce: string;
}

/** The units with an available amount above zero, and the amount as decimal text. No unit first, then by id. */
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

/** Requests the whole available balance, in a payout for each unit. */
export function requestPayout(state: AccountState, command: RequestPayout, now: number): Decision<AccountEvent> {
  const { unit_id, method, initiated_by, ids, nonce } = command;
  const payouts = payable(state, unit_id, now).map((each, index) => ({ payout_id: ids[index]!, ...each }));
  if (payouts.length === 0) return new Rejection('invalid', 'user_id', 'no available balance');
  return [{ type: 'payout_requested', data: { payouts, method, initiated_by, nonce, at: accountTime(state, now) } }];
}

interface OfPayout {
  readonly payout_id: number;
}

/** An administrator's action. */
interface Administered extends OfPayout {
  /** Null: none was given, the default. */
  readonly reason?: string | null;
}

/** Records an attempt before the webhook is called. An attempt may follow one whose end was never recorded. */
export function attemptPayout(
  state: AccountState,
  { payout_id, address }: OfPayout & { readonly address: number },
  now: number,
): Decision<AccountEvent> {
  return change(state, payout_id, now, 'be attempted', (payout) => {
    const { status, attempt } = payout;
    const due = status === PAYOUT_STATUS.created || (status === PAYOUT_STATUS.processing && attempt !== 'accepted');
    if (payout.method !== 'webhook' || !due) return undefined;
    // The time by the clock, also if it is behind the account's: the delay until the next attempt counts from it.
    return [{ type: 'payout_attempted', data: { payout_id, attempt: payout.attempts + 1, address, at: now } }];
  });
}

export interface AttemptFailed extends OfPayout {
  readonly attempt: number;
  /** Whether the request may have reached the client. */
  readonly sent: boolean;
  /** HTTP status of the answer; null: there was no answer. */
  readonly status: number | null;
  readonly error: string;
  /** Time of the next attempt, milliseconds UTC; null: there is none, and the payout has failed. */
  readonly next_at: number | null;
}

/** Records that the last attempt failed. The failure of an earlier attempt says nothing about the payout. */
export function failAttempt(state: AccountState, failed: AttemptFailed, now: number): Decision<AccountEvent> {
  const { payout_id, attempt, error } = failed;
  return change(state, payout_id, now, `have attempt ${attempt} fail`, (payout, at) => {
    if (!isOpen(payout) || payout.attempts !== attempt) return undefined;
    const event: AccountEvent = { type: 'payout_attempt_failed', data: { ...failed, at } };
    if (failed.next_at !== null) return [event];
    return [event, { type: 'payout_failed', data: { payout_id, by: 'webhook', error, at } }];
  });
}

/** Records that the client has answered 202 and pays later. */
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

/** Records that the client has answered with a 2xx `status`: it has paid. The answer may be to an earlier attempt. */
export function payoutDelivered(
  state: AccountState,
  { payout_id, status }: OfPayout & { readonly status: number },
  now: number,
): Decision<AccountEvent> {
  return change(state, payout_id, now, 'be paid by its webhook', (payout, at) =>
    payout.status === PAYOUT_STATUS.processing
      ? [{ type: 'payout_paid', data: { payout_id, by: 'webhook', status, reason: null, at } }]
      : undefined,
  );
}

/** Records that the payout cannot be announced: there is no webhook, or its address is refused. */
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

/** Records that a payout was paid, as an administrator says: a manual payout, or one that the client has accepted. */
export function confirmPayout(
  state: AccountState,
  { payout_id, reason = null }: Administered,
  now: number,
): Decision<AccountEvent> {
  return change(state, payout_id, now, 'be confirmed', (payout, at) => {
    const waits = isManualAndNew(payout) || payout.attempt === 'accepted';
    return waits ? [{ type: 'payout_paid', data: { payout_id, by: 'admin', status: null, reason, at } }] : undefined;
  });
}

/** Records that the client has not paid a payout that it had accepted, as an administrator says. */
export function failPayout(
  state: AccountState,
  { payout_id, reason = null }: Administered,
  now: number,
): Decision<AccountEvent> {
  return change(state, payout_id, now, 'be failed', (payout, at) =>
    payout.attempt === 'accepted'
      ? [{ type: 'payout_failed', data: { payout_id, by: 'admin', error: reason ?? 'failed by an administrator', at } }]
      : undefined,
  );
}

/** Retries a payout that failed or that waits for an attempt. */
export function retryPayout(
  state: AccountState,
  { payout_id, reason = null }: Administered,
  now: number,
): Decision<AccountEvent> {
  return change(state, payout_id, now, 'be retried', (payout, at) => {
    const { status, method, attempt } = payout;
    const isUnannounced = method === 'webhook' && status === PAYOUT_STATUS.created;
    const waits = isUnannounced || status === PAYOUT_STATUS.failed || attempt === 'failed';
    return waits ? [{ type: 'payout_retried', data: { payout_id, reason, at } }] : undefined;
  });
}

/**
 * Cancels a payout before its attempts, or a failed one. If an announcement may have reached the client, the client may
 * have paid, so it takes `force`.
 */
export function cancelPayout(
  state: AccountState,
  { payout_id, reason = null, force }: Administered & { readonly force: boolean },
  now: number,
): Decision<AccountEvent> {
  return change(state, payout_id, now, 'be cancelled', (payout, at) => {
    if (payout.status !== PAYOUT_STATUS.created && payout.status !== PAYOUT_STATUS.failed) return undefined;
    const forced = payout.attempts > payout.unsent;
    if (forced && !force) {
      const message = `the webhook may have announced payout ${payout_id}, so the client may have paid it`;
      return new Rejection('conflict', 'payout_id', message);
    }
    return [{ type: 'payout_cancelled', data: { payout_id, forced, reason, at } }];
  });
}

const isOpen = ({ status, attempt }: Payout): boolean => status === PAYOUT_STATUS.processing && attempt === 'open';

const isManualAndNew = ({ method, status }: Payout): boolean => method === 'manual' && status === PAYOUT_STATUS.created;

/** Finds the payout and decides. `decide` returns undefined if the payout's state does not allow the change. */
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
