import type { Tables } from '../../database/tables.ts';
import type { AccountName } from './account-source.ts';
import type { Page } from './find-attribution.ts';
import { PER_COMMIT } from './history-rows.ts';

/** An accrual of an account, reversed or not. Times are ms UTC, amounts decimal text. */
export interface EntryRow {
  readonly accrual_id: number;
  /** The commit of the account that recorded it. */
  readonly position: number;
  /** Receipt of the event that earned it. */
  readonly date: number;
  readonly recorded_at: number;
  readonly available_at: number;
  readonly referral_id: number;
  readonly rule_id: number;
  /** Null: the rule is not in the read model yet. */
  readonly rule_name: string | null;
  readonly amount: string;
  readonly unit_id: number | null;
  /** The payout that claims it now; null: none does. */
  readonly payout_id: number | null;
  /** The paid accrual that this one compensates. */
  readonly compensates: number | null;
  /** The accrual that compensates this one. */
  readonly compensated_by: number | null;
  readonly reversed_at: number | null;
  readonly reason: string | null;
}

export interface EntriesQuery extends Page {
  /** Only accruals that this payout has; undefined: all. */
  readonly payoutId?: number | undefined;
  /** Only these accruals; undefined: all. */
  readonly accrualIds?: readonly number[] | undefined;
}

/**
 * Every accrual of an account, in the order of the account's stream. The first payout after an accrual was recorded and
 * not on hold claims it; an accrual cancelled before a payout claimed it belongs to none
 * (projections/accounts/tables.ts).
 */
export async function entriesOf(
  { pool, accounts, referral }: Tables<'accounts' | 'referral'>,
  botId: number,
  { bot, userId }: AccountName,
  { payoutId, accrualIds, limit, offset }: EntriesQuery,
): Promise<EntryRow[]> {
  const columns = entryColumns({ accounts, referral, botId: '$6' });
  const numbers = NUMBERS.map((name) => `(${columns[name]})::float8 AS ${name}`);
  const { rows } = await pool.query<EntryRow>({
    name: `${accounts}.${referral}.entries`,
    text: `
      SELECT ${numbers.join(', ')}, ${columns.rule_name} AS rule_name, trim_scale(${columns.amount})::text AS amount,
             ${columns.reason} AS reason
        FROM ${entriesFrom(accounts)}
       WHERE x.public_key = $1 AND x.user_id = $2 AND ($3::bigint IS NULL OR p.payout_id = $3)
         AND ($7::bigint[] IS NULL OR x.accrual_id = ANY ($7))
       ORDER BY x.place LIMIT $4 OFFSET $5`,
    values: [bot, userId, payoutId ?? null, limit, offset, botId, accrualIds ?? null],
  });
  return rows;
}

const NUMBERS = [
  'accrual_id',
  'position',
  'date',
  'recorded_at',
  'available_at',
  'referral_id',
  'rule_id',
  'unit_id',
  'payout_id',
  'compensates',
  'compensated_by',
  'reversed_at',
] as const;

/** The names of the schemas, and SQL for the bot's id. */
interface EntrySql {
  readonly accounts: string;
  readonly referral: string;
  readonly botId: string;
}

/** SQL of the columns of an entry, over {@link entriesFrom}. */
export function entryColumns({ accounts, referral, botId }: EntrySql) {
  return {
    accrual_id: 'x.accrual_id',
    position: `x.place / ${PER_COMMIT}`,
    date: 'x.date',
    recorded_at: 'x.at',
    available_at: 'x.available_at',
    referral_id: 'x.referral_id',
    rule_id: 'x.rule_id',
    rule_name: `(SELECT r.name FROM ${referral}.rules r WHERE r.bot_id = ${botId} AND r.rule_id = x.rule_id
      ORDER BY r.ord DESC LIMIT 1)`,
    amount: 'x.amount',
    unit_id: 'nullif(x.unit, 0)',
    payout_id: 'p.payout_id',
    compensates: 'x.compensates',
    compensated_by: `CASE WHEN x.reversed_at IS NOT NULL AND NOT x.cancelled THEN (
      SELECT c.accrual_id FROM ${accounts}.accruals c
       WHERE c.public_key = x.public_key AND c.user_id = x.user_id AND c.place = x.reversed_place
         AND c.compensates = x.accrual_id) END`,
    reversed_at: 'x.reversed_at',
    reason: 'coalesce(x.reason, o.reason)',
  } as const;
}

/** SQL of the accruals `x`, each with the payout `p` that claims it and the accrual `o` that it compensates. */
export function entriesFrom(accounts: string): string {
  return `${accounts}.accruals x
    LEFT JOIN ${accounts}.accruals o ON o.accrual_id = x.compensates AND o.public_key = x.public_key
    LEFT JOIN LATERAL (
         SELECT c.claimed_by FROM ${accounts}.payouts c
          WHERE c.public_key = x.public_key AND c.user_id = x.user_id AND c.unit = x.unit
            AND c.requested_at >= greatest(x.available_at, x.at) AND c.place > x.place
          ORDER BY c.requested_at, c.place LIMIT 1) first ON true
    LEFT JOIN ${accounts}.payouts p ON p.payout_id = first.claimed_by AND p.public_key = x.public_key
                                   AND NOT (x.cancelled AND x.reversed_place < p.place)`;
}
