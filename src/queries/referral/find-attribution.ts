import { preparedRows, type Tables } from '../../database/tables.ts';
import type { Outcome } from '../../domain/referral/attribution.ts';

/** The outcome of a change; `backfilled` has the number of waiting visits that each code with a new owner turned into referrals. */
export type KnownOutcome = Outcome & { readonly backfilled?: Readonly<Record<string, number>> };

/** The outcome of a commit's change; null: the read model has not applied it yet, or did so days ago. */
export async function outcomeOf(
  { pool, referral }: Tables<'referral'>,
  botId: number,
  commitId: string,
): Promise<KnownOutcome | null> {
  const { rows } = await pool.query<{ outcome: KnownOutcome }>(
    `SELECT outcome FROM ${referral}.outcomes WHERE bot_id = $1 AND commit_id = $2`,
    [botId, commitId],
  );
  return rows[0]?.outcome ?? null;
}

/** The state that a mark is checked against. */
export interface Standing {
  /** Whether the given code is known. A given referrer always is. */
  readonly known: boolean;
  /** The user who would be the referrer; null: the code has no owner. */
  readonly owner: number | null;
  /** Whether that user owns any code. */
  readonly ownsCode: boolean;
  /** The user's present referrer; null: there is none. */
  readonly referrer: number | null;
}

export async function standingOf(
  { pool, referral }: Tables<'referral'>,
  botId: number,
  userId: number,
  /** One of the two is null. */
  by: { readonly code: string | null; readonly referrerId: number | null },
): Promise<Standing> {
  const { rows } = await pool.query<Standing>(
    `SELECT named.known, named.owner::float8,
            EXISTS (SELECT FROM ${referral}.codes c WHERE c.bot_id = $1 AND c.owner_id = named.owner) AS "ownsCode",
            (SELECT r.referrer_id::float8 FROM ${referral}.referrals r WHERE r.bot_id = $1 AND r.user_id = $2) AS referrer
       FROM (SELECT $4::bigint IS NOT NULL OR c.code IS NOT NULL AS known, coalesce($4, c.owner_id) AS owner
               FROM (SELECT) one LEFT JOIN ${referral}.codes c ON c.bot_id = $1 AND c.code = $3) named`,
    [botId, userId, by.code, by.referrerId],
  );
  return rows[0]!;
}

interface CodeRow {
  readonly code: string;
  /** ms UTC */
  readonly date_create: number;
}

export interface CodesRow {
  /** By all codes of the user, and by marks without a code. */
  readonly total_referrals: number;
  /** Codes made by create-code, newest first. */
  readonly codes: readonly CodeRow[];
}

export async function codesOf(
  { pool, referral }: Tables<'referral'>,
  botId: number,
  userId: number,
): Promise<CodesRow> {
  const { rows } = await pool.query<CodesRow>(
    `SELECT coalesce((SELECT referrals::float8 FROM ${referral}.referrers WHERE bot_id = $1 AND user_id = $2), 0)
              AS total_referrals,
            (SELECT coalesce(json_agg(json_build_object('code', code, 'date_create', date_create)
                                      ORDER BY date_create DESC, ord DESC), '[]')
               FROM ${referral}.codes WHERE bot_id = $1 AND owner_id = $2 AND listed) AS codes`,
    [botId, userId],
  );
  return rows[0]!;
}

export interface ReferralRow {
  /** The referred user. */
  readonly referral_id: number;
  /** Date of the visit, else of the mark; ms UTC. */
  readonly date: number;
}

export interface Page {
  readonly limit: number;
  readonly offset: number;
}

/** The referrals of a user, newest first. */
export async function referralsOf(
  { pool, referral }: Tables<'referral'>,
  botId: number,
  userId: number,
  { limit, offset }: Page,
): Promise<ReferralRow[]> {
  const { rows } = await pool.query<ReferralRow>(
    `SELECT user_id::float8 AS referral_id, date::float8 FROM ${referral}.referrals
      WHERE bot_id = $1 AND referrer_id = $2
      ORDER BY referrals.date DESC, ord DESC, user_id DESC LIMIT $3 OFFSET $4`,
    [botId, userId, limit, offset],
  );
  return rows;
}

/**
 * The referrers of these users of a bot. Users without a referrer are left out.
 * @param bot public key
 */
export async function referrersOf(
  { pool, referral }: Tables<'referral'>,
  bot: string,
  userIds: readonly number[],
): Promise<ReadonlyMap<number, number>> {
  const rows = await preparedRows<{ user_id: number; referrer_id: number }>(
    pool,
    `${referral}.referrers_of`,
    `SELECT r.user_id::float8, r.referrer_id::float8
       FROM ${referral}.referrals r JOIN ${referral}.bots b USING (bot_id)
      WHERE b.public_key = $1 AND r.user_id = ANY ($2::bigint[])`,
    [bot, userIds],
  );
  return new Map(rows.map(({ user_id, referrer_id }) => [user_id, referrer_id]));
}
