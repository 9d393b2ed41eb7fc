import type { ClientBase } from 'pg';
import type { DataOf } from '../../domain/event-type.ts';
import type { AccountEvent } from '../../domain/referral/account/state.ts';
import type {
  payoutAttempted,
  payoutAttemptFailed,
  payoutCancelled,
  payoutPaid,
  payoutRequested,
} from '../../domain/referral/account-events.ts';
import type { AccountCommit } from './account-commit.ts';

/** Adds payouts and reserves their amounts. Accruals that cancelled payouts of the same unit set free become theirs. */
export async function applyRequest(
  tx: ClientBase,
  { public_key, user_id, trace }: AccountCommit,
  place: number,
  { payouts, method, initiated_by, nonce, at }: DataOf<typeof payoutRequested>,
): Promise<void> {
  for (const { payout_id, amount, unit_id } of payouts) {
    const account = [public_key, user_id, unit_id ?? 0];
    await tx.query({
      name: 'accounts.claim_freed',
      text: `UPDATE payouts SET claimed_by = $4
              WHERE public_key = $1 AND user_id = $2 AND unit = $3 AND claimed_by IS NULL`,
      values: [...account, payout_id],
    });
    await tx.query({
      name: 'accounts.insert_payout',
      text: `INSERT INTO payouts (public_key, user_id, unit, payout_id, claimed_by, amount, method, initiated_by,
                                  requested_at, place, trace, nonce, attempts, status)
             VALUES ($1, $2, $3, $4, $4, $5, $6, $7, $8, $9, $10, $11, 0, 0)`,
      values: [...account, payout_id, amount, method, initiated_by, at, place, trace ?? null, nonce],
    });
    await one(
      tx,
      'reserve',
      'UPDATE balances SET reserved = reserved + $4 WHERE public_key = $1 AND user_id = $2 AND unit = $3',
      [...account, amount],
    );
  }
}

export type PayoutEvent = Extract<AccountEvent, { readonly data: { readonly payout_id: number } }>;

/** Applies an attempt of a payout, its outcome, or the end of the payout. */
export async function applyPayoutEvent(
  tx: ClientBase,
  { public_key }: AccountCommit,
  place: number,
  event: PayoutEvent,
): Promise<void> {
  const payout = [event.data.payout_id, public_key];
  switch (event.type) {
    case 'payout_attempted':
      return beginAttempt(tx, payout, event.data);
    case 'payout_attempt_failed':
      return failAttempt(tx, payout, event.data);
    case 'payout_accepted':
      return accept(tx, payout, event.data.attempt);
    case 'payout_failed':
      await one(
        tx,
        'failed',
        `UPDATE payouts SET status = 3, attempt = NULL, next_at = NULL, error = $3
          WHERE payout_id = $1 AND public_key = $2`,
        [...payout, event.data.error],
      );
      return;
    case 'payout_retried':
      await one(
        tx,
        'retried',
        `UPDATE payouts SET status = 0, attempt = NULL, next_at = $3, error = NULL, reason = $4
          WHERE payout_id = $1 AND public_key = $2`,
        [...payout, event.data.at, event.data.reason],
      );
      return;
    case 'payout_paid':
      return pay(tx, payout, place, event.data);
    case 'payout_cancelled':
      return cancel(tx, payout, place, event.data);
  }
}

/** The payout's id, and the public key of its bot. */
type PayoutKey = readonly (number | string)[];

async function beginAttempt(
  tx: ClientBase,
  payout: PayoutKey,
  { attempt, address, at }: DataOf<typeof payoutAttempted>,
): Promise<void> {
  await one(
    tx,
    'attempt',
    `UPDATE payouts SET status = 1, attempt = 'open', attempts = $3, address = $4, next_at = NULL
      WHERE payout_id = $1 AND public_key = $2`,
    [...payout, attempt, address],
  );
  await one(tx, 'insert_attempt', 'INSERT INTO attempts (payout_id, public_key, attempt, at) VALUES ($1, $2, $3, $4)', [
    ...payout,
    attempt,
    at,
  ]);
}

async function failAttempt(
  tx: ClientBase,
  payout: PayoutKey,
  { attempt, status, error, next_at }: DataOf<typeof payoutAttemptFailed>,
): Promise<void> {
  await one(
    tx,
    'attempt_failed',
    `UPDATE payouts SET attempt = 'failed', error = $3, next_at = $4 WHERE payout_id = $1 AND public_key = $2`,
    [...payout, error, next_at],
  );
  await one(
    tx,
    'end_attempt',
    'UPDATE attempts SET status = $4, error = $5 WHERE payout_id = $1 AND public_key = $2 AND attempt = $3',
    [...payout, attempt, status, error],
  );
}

async function accept(tx: ClientBase, payout: PayoutKey, attempt: number): Promise<void> {
  await one(
    tx,
    'accepted',
    `UPDATE payouts SET attempt = 'accepted', error = NULL WHERE payout_id = $1 AND public_key = $2`,
    payout,
  );
  await one(
    tx,
    'accept_attempt',
    'UPDATE attempts SET status = 202 WHERE payout_id = $1 AND public_key = $2 AND attempt = $3',
    [...payout, attempt],
  );
}

async function pay(
  tx: ClientBase,
  payout: PayoutKey,
  place: number,
  { status, reason, at }: DataOf<typeof payoutPaid>,
): Promise<void> {
  await one(
    tx,
    'paid',
    `WITH paid AS (
       UPDATE payouts SET status = 2, attempt = NULL, next_at = NULL, error = NULL, processed_at = $3,
                          processed_place = $4, reason = $5
        WHERE payout_id = $1 AND public_key = $2 RETURNING *)
     UPDATE balances b SET reserved = b.reserved - p.amount, paid = b.paid + p.amount FROM paid p
      WHERE b.public_key = $2 AND b.user_id = p.user_id AND b.unit = p.unit`,
    [...payout, at, place, reason],
  );
  if (status !== null)
    await one(
      tx,
      'paid_attempt',
      `UPDATE attempts a SET status = $3, error = NULL FROM payouts p
        WHERE p.payout_id = $1 AND p.public_key = $2 AND a.payout_id = $1 AND a.public_key = $2
          AND a.attempt = p.attempts`,
      [...payout, status],
    );
}

async function cancel(
  tx: ClientBase,
  payout: PayoutKey,
  place: number,
  { reason, at }: DataOf<typeof payoutCancelled>,
): Promise<void> {
  await one(
    tx,
    'cancelled',
    `WITH cancelled AS (
       UPDATE payouts SET status = 4, processed_at = $3, processed_place = $4, reason = $5
        WHERE payout_id = $1 AND public_key = $2 RETURNING *)
     UPDATE balances b SET reserved = b.reserved - p.amount FROM cancelled p
      WHERE b.public_key = $2 AND b.user_id = p.user_id AND b.unit = p.unit`,
    [...payout, at, place, reason],
  );
  await tx.query({
    name: 'accounts.set_free',
    text: `UPDATE payouts f SET claimed_by = NULL FROM payouts p
            WHERE p.payout_id = $1 AND p.public_key = $2 AND f.claimed_by = $1
              AND f.public_key = $2 AND f.user_id = p.user_id AND f.unit = p.unit`,
    values: [...payout],
  });
}

/** Counts the addresses that the bot has set, the same address again too. */
export async function applyAddress(tx: ClientBase, publicKey: string, at: number): Promise<void> {
  await tx.query({
    name: 'accounts.set_address',
    text: `INSERT INTO webhooks AS w VALUES ($1, 1, $2)
           ON CONFLICT (public_key) DO UPDATE SET address = w.address + 1, set_at = $2`,
    values: [publicKey, at],
  });
}

/** Each statement changes one row. If it changes none, the log lacks an earlier event. */
async function one(tx: ClientBase, name: string, text: string, values: readonly unknown[]): Promise<void> {
  const { rowCount } = await tx.query({ name: `accounts.${name}`, text, values: [...values] });
  if (rowCount !== 1) throw new Error(`${rowCount} rows instead of one: ${name}`);
}
