import type { ClientBase } from 'pg';
import type { DataOf } from '../../domain/event-type.ts';
import { negated } from '../../domain/referral/account/account.ts';
import { HOLD_BITS, HOUR_MS } from '../../domain/referral/account/spans.ts';
import type { accrualReversed } from '../../domain/referral/account-events.ts';
import { writeAccruals } from './earnings.ts';
import type { AccountCommit } from './places.ts';

interface Reversed {
  readonly date: number;
  readonly unit: number;
  readonly rule_id: number;
  readonly referral_id: number;
  readonly amount: string;
}

/** Cancels an accrual, or makes it good by a compensation. */
export async function applyReversal(
  tx: ClientBase,
  { public_key, user_id }: AccountCommit,
  place: number,
  { accrual_id, reason, compensation_id, at }: DataOf<typeof accrualReversed>,
): Promise<void> {
  const { rows } = await tx.query<Reversed>({
    name: 'accounts.reverse',
    text: `UPDATE accruals SET reversed_at = $4, reversed_place = $5, cancelled = $6, reason = $7
            WHERE accrual_id = $1 AND public_key = $2 AND user_id = $3 AND reversed_at IS NULL AND compensates IS NULL
            RETURNING unit::float8, rule_id::float8, referral_id::float8, amount::text, date::float8`,
    values: [accrual_id, public_key, user_id, at, place, compensation_id === null, reason],
  });
  const [row] = rows;
  if (row === undefined) throw new Error(`accrual ${accrual_id} is not there to be reversed`);
  const { date, ...reversed } = row;
  await tx.query({
    name: 'accounts.reverse_hour',
    text: `UPDATE accrual_hours SET accruals = accruals - 1 WHERE public_key = $1 AND user_id = $2 AND hour = $3`,
    values: [public_key, user_id, Math.floor(date / HOUR_MS)],
  });
  if (compensation_id === null) return cancel(tx, accrual_id);
  const amount = negated(reversed.amount);
  const made = { accrual_id: compensation_id, place, date: at, at, available_at: at, compensates: accrual_id };
  await writeAccruals(tx, [{ public_key, user_id, ...reversed, ...made, amount }]);
}

/** Takes a cancelled accrual out of the sums. */
async function cancel(tx: ClientBase, accrualId: number): Promise<void> {
  await tx.query({
    name: 'accounts.cancel_accrued',
    text: `UPDATE balances b SET accrued = b.accrued - a.amount FROM accruals a
            WHERE a.accrual_id = $1
              AND b.public_key = a.public_key AND b.user_id = a.user_id AND b.unit = a.unit`,
    values: [accrualId],
  });
  await tx.query({
    name: 'accounts.cancel_holds',
    text: `UPDATE holds h SET amount = h.amount - a.amount FROM accruals a, unnest('{${HOLD_BITS.join()}}'::int[]) span
            WHERE a.accrual_id = $1 AND a.available_at > a.at
              AND h.public_key = a.public_key AND h.user_id = a.user_id AND h.unit = a.unit
              AND h.bits = span AND h.bucket = a.available_at >> span`,
    values: [accrualId],
  });
}
