import type { ClientBase } from 'pg';
import type { DataOf } from '../../domain/event-type.ts';
import { negated } from '../../domain/referral/account/account.ts';
import { HOLD_BITS, HOUR_MS } from '../../domain/referral/account/spans.ts';
import type { accrualReversed, rewardAccrued, rewardRateLocked } from '../../domain/referral/account-events.ts';
import type { AccountCommit } from './account-commit.ts';

/** Accruals and locked rates of a batch that are not written yet. Written together, since a batch may hold thousands. */
export interface Earnings {
  readonly accruals: AccrualRow[];
  /** By account and rule; the last one counts. */
  readonly locks: Map<string, LockRow>;
}

export const noEarnings = (): Earnings => ({ accruals: [], locks: new Map() });

interface AccrualRow {
  readonly public_key: string;
  readonly user_id: number;
  readonly accrual_id: number;
  readonly place: number;
  readonly date: number;
  readonly at: number;
  readonly available_at: number;
  readonly unit: number;
  readonly rule_id: number;
  readonly referral_id: number;
  /** Decimal text. */
  readonly amount: string;
  readonly compensates: number | null;
  /** The event that earned it; null: a compensation. */
  readonly event_commit: string | null;
  readonly event_idx: number | null;
}

interface LockRow {
  readonly public_key: string;
  readonly user_id: number;
  readonly rule_id: number;
  readonly reward_type: string;
  readonly amount: string | null;
  readonly percent: string | null;
  readonly unit: number;
  readonly source: string;
  readonly locked_at: number;
}

export function addAccrual(
  { accruals }: Earnings,
  { public_key, user_id }: AccountCommit,
  place: number,
  { accrual_id, rule_id, referral_id, event, amount, unit_id, available_at, at }: DataOf<typeof rewardAccrued>,
): void {
  const earned = { accrual_id, place, date: event.received, at, available_at, unit: unit_id ?? 0, amount };
  const by = { event_commit: event.commit_id, event_idx: event.index };
  accruals.push({ public_key, user_id, ...earned, rule_id, referral_id, compensates: null, ...by });
}

export function addLock(
  { locks }: Earnings,
  { public_key, user_id }: AccountCommit,
  { rule_id, unit_id, at, ...lock }: DataOf<typeof rewardRateLocked>,
): void {
  const row = { public_key, user_id, rule_id, ...lock, unit: unit_id ?? 0, locked_at: at };
  locks.set(`${public_key}/${user_id}/${rule_id}`, row);
}

/** Writes the earnings and empties them. */
export async function writeEarnings(tx: ClientBase, { accruals, locks }: Earnings): Promise<void> {
  await writeAccruals(tx, accruals.splice(0));
  const rows = [...locks.values()];
  locks.clear();
  if (rows.length === 0) return;
  await tx.query({
    name: 'accounts.save_locks',
    text: `INSERT INTO locks SELECT * FROM jsonb_populate_recordset(NULL::locks, $1)
           ON CONFLICT (public_key, user_id, rule_id) DO UPDATE
             SET reward_type = EXCLUDED.reward_type, amount = EXCLUDED.amount, percent = EXCLUDED.percent,
                 unit = EXCLUDED.unit, source = EXCLUDED.source, locked_at = EXCLUDED.locked_at`,
    values: [JSON.stringify(rows)],
  });
}

/** Writes accruals, and adds them to the sums. */
async function writeAccruals(tx: ClientBase, accruals: readonly AccrualRow[]): Promise<void> {
  if (accruals.length === 0) return;
  const rows = JSON.stringify(accruals);
  await tx.query({
    name: 'accounts.insert_accruals',
    text: `INSERT INTO accruals (accrual_id, public_key, user_id, place, date, at, available_at, unit, rule_id,
                                 referral_id, event_commit, event_idx, compensates, amount, cancelled)
           SELECT accrual_id, public_key, user_id, place, date, at, available_at, unit, rule_id,
                  referral_id, event_commit, event_idx, compensates, amount, false
             FROM jsonb_populate_recordset(NULL::accruals, $1)`,
    values: [rows],
  });
  await tx.query({
    name: 'accounts.add_accrued',
    text: `INSERT INTO balances (public_key, user_id, unit, accrued, reserved, paid)
           SELECT public_key, user_id, unit, sum(amount), 0, 0
             FROM jsonb_populate_recordset(NULL::accruals, $1) GROUP BY public_key, user_id, unit
           ON CONFLICT (public_key, user_id, unit) DO UPDATE SET accrued = balances.accrued + EXCLUDED.accrued`,
    values: [rows],
  });
  await tx.query({
    name: 'accounts.add_hours',
    text: `INSERT INTO accrual_hours (public_key, user_id, hour, accruals)
           SELECT public_key, user_id, date / ${HOUR_MS}, count(*)
             FROM jsonb_populate_recordset(NULL::accruals, $1) GROUP BY public_key, user_id, date / ${HOUR_MS}
           ON CONFLICT (public_key, user_id, hour) DO UPDATE SET accruals = accrual_hours.accruals + EXCLUDED.accruals`,
    values: [rows],
  });
  if (accruals.some(({ available_at, at }) => available_at > at))
    await tx.query({
      name: 'accounts.add_holds',
      text: `INSERT INTO holds (public_key, user_id, unit, bits, bucket, amount)
             SELECT public_key, user_id, unit, bits, available_at >> bits, sum(amount)
               FROM jsonb_populate_recordset(NULL::accruals, $1), unnest('{${HOLD_BITS.join()}}'::int[]) bits
              WHERE available_at > at
              GROUP BY public_key, user_id, unit, bits, available_at >> bits
             ON CONFLICT (public_key, user_id, unit, bits, bucket) DO UPDATE
               SET amount = holds.amount + EXCLUDED.amount`,
      values: [rows],
    });
}

interface Reversed {
  readonly date: number;
  readonly unit: number;
  readonly rule_id: number;
  readonly referral_id: number;
  readonly amount: string;
}

/** Cancels an accrual, or compensates it by one of the opposite amount. */
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
  if (compensation_id === null) return cancel(tx, public_key, accrual_id);
  const amount = negated(reversed.amount);
  const made = { accrual_id: compensation_id, place, date: at, at, available_at: at, compensates: accrual_id };
  const by = { event_commit: null, event_idx: null };
  await writeAccruals(tx, [{ public_key, user_id, ...reversed, ...made, ...by, amount }]);
}

/** Takes a cancelled accrual out of the sums. */
async function cancel(tx: ClientBase, publicKey: string, accrualId: number): Promise<void> {
  await tx.query({
    name: 'accounts.cancel_accrued',
    text: `UPDATE balances b SET accrued = b.accrued - a.amount FROM accruals a
            WHERE a.accrual_id = $1 AND a.public_key = $2
              AND b.public_key = $2 AND b.user_id = a.user_id AND b.unit = a.unit`,
    values: [accrualId, publicKey],
  });
  await tx.query({
    name: 'accounts.cancel_holds',
    text: `UPDATE holds h SET amount = h.amount - a.amount FROM accruals a, unnest('{${HOLD_BITS.join()}}'::int[]) span
            WHERE a.accrual_id = $1 AND a.public_key = $2 AND a.available_at > a.at
              AND h.public_key = $2 AND h.user_id = a.user_id AND h.unit = a.unit
              AND h.bits = span AND h.bucket = a.available_at >> span`,
    values: [accrualId, publicKey],
  });
}
