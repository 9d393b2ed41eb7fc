import type { ClientBase } from 'pg';
import type { DataOf } from '../../domain/event-type.ts';
import { HOLD_BITS, HOUR_MS } from '../../domain/referral/account/spans.ts';
import type { rewardAccrued, rewardRateLocked } from '../../domain/referral/account-events.ts';
import type { AccountCommit } from './places.ts';

/** What a batch has earned and locked and is not written yet: written together, since a batch may hold thousands. */
export interface Earnings {
  readonly accruals: AccrualRow[];
  /** By account and rule: the last one counts. */
  readonly locks: Map<string, LockRow>;
}

export const noEarnings = (): Earnings => ({ accruals: [], locks: new Map() });

export interface AccrualRow {
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
  accruals.push({ public_key, user_id, ...earned, rule_id, referral_id, compensates: null });
}

export function addLock(
  { locks }: Earnings,
  { public_key, user_id }: AccountCommit,
  { rule_id, unit_id, at, ...lock }: DataOf<typeof rewardRateLocked>,
): void {
  const row = { public_key, user_id, rule_id, ...lock, unit: unit_id ?? 0, locked_at: at };
  locks.set(`${public_key}/${user_id}/${rule_id}`, row);
}

/** Writes what there is, and forgets it. */
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

/** Accruals, and what they add to the sums. */
export async function writeAccruals(tx: ClientBase, accruals: readonly AccrualRow[]): Promise<void> {
  if (accruals.length === 0) return;
  const rows = JSON.stringify(accruals);
  await tx.query({
    name: 'accounts.insert_accruals',
    text: `INSERT INTO accruals (accrual_id, public_key, user_id, place, date, at, available_at, unit, rule_id,
                                 referral_id, compensates, amount, cancelled)
           SELECT accrual_id, public_key, user_id, place, date, at, available_at, unit, rule_id,
                  referral_id, compensates, amount, false
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
