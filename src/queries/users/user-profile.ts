import { parse } from 'lossless-json';
import type { Tables } from '../../database/tables.ts';
import { isoWithOffset } from '../../domain/local-time.ts';

/** A user as a bot knows them. Null: not known, or erased. Dates are ISO 8601 with the offset of the bot's time zone. */
export interface UserProfile {
  readonly user_id: number;
  readonly first_name: string | null;
  readonly last_name: string | null;
  readonly username: string | null;
  readonly language_code: string | null;
  readonly user_status: string | null;
  readonly is_premium: boolean | null;
  readonly gender: string | null;
  readonly timezone: string | null;
  readonly date_create: string | null;
  readonly date_last_active: string | null;
  readonly custom_fields: unknown;
  /** Of the first visit. */
  readonly addition_fields: unknown;
  readonly referral: { readonly referrer_id: number; readonly code: string | null; readonly date: string } | null;
  /** How many users they referred. */
  readonly referrals: number;
  readonly erased: boolean;
}

interface Row extends Omit<UserProfile, 'date_create' | 'date_last_active' | 'referral' | 'erased'> {
  readonly date_create: number | null;
  readonly date_last_active: number | null;
  readonly custom_fields: string | null;
  readonly addition_fields: string | null;
  readonly referrer_id: number | null;
  readonly code: string | null;
  readonly referred_at: number | null;
  readonly erased: boolean;
}

/** Finds a user that the bot has or had; null: it has none with this id. */
export async function userProfile(
  { pool, users, referral }: Tables<'users' | 'referral'>,
  { bot_id, timezone }: { readonly bot_id: number; readonly timezone: string },
  userId: number,
): Promise<UserProfile | null> {
  const { rows } = await pool.query<Row>({
    name: `${users}.${referral}.user_profile`,
    text: `SELECT given.id::float8 AS user_id, first_name, last_name, username, language_code, user_status, is_premium, gender,
                  timezone, date_create::float8, date_last_active::float8, custom_fields::text, addition_fields::text,
                  r.referrer_id::float8, r.code, r.date::float8 AS referred_at,
                  coalesce((SELECT referrals FROM ${referral}.referrers WHERE bot_id = $1 AND user_id = $2), 0)::float8 AS referrals,
                  e.user_id IS NOT NULL AS erased
             FROM (SELECT $2::bigint AS id) AS given
             LEFT JOIN ${users}.users AS u ON u.bot_id = $1 AND u.user_id = $2
             LEFT JOIN ${users}.erased_users AS e ON e.bot_id = $1 AND e.user_id = $2
             LEFT JOIN ${referral}.referrals AS r ON r.bot_id = $1 AND r.user_id = $2
            WHERE u.user_id IS NOT NULL OR e.user_id IS NOT NULL`,
    values: [bot_id, userId],
  });
  const [row] = rows;
  if (row === undefined) return null;
  const shown = (date: number | null) => (date === null ? null : isoWithOffset(date, timezone));
  const { referrer_id, code, referred_at, ...user } = row;
  return {
    ...user,
    date_create: shown(row.date_create),
    date_last_active: shown(row.date_last_active),
    custom_fields: parse(row.custom_fields ?? '{}'),
    addition_fields: parse(row.addition_fields ?? '{}'),
    referral: referrer_id === null ? null : { referrer_id, code, date: isoWithOffset(referred_at!, timezone) },
  };
}
