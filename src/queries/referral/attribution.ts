import type pg from 'pg';
import type { Outcome } from '../../domain/referral/attribution.ts';

/** Where codes, referrals and rules are: a pool, and the schema of their read model. */
export interface ReferralSource {
  readonly pool: pg.Pool;
  readonly referral: string;
}

/** What a change came to, with the visits that were waiting for an owner set by it, by code. */
export type KnownOutcome = Outcome & { readonly backfilled?: Readonly<Record<string, number>> };

/** What the change of a commit came to; null: it has not been seen, or was seen days ago. */
export async function outcomeOf(
  { pool, referral }: ReferralSource,
  botId: number,
  commitId: string,
): Promise<KnownOutcome | null> {
  const { rows } = await pool.query<{ outcome: KnownOutcome }>(
    `SELECT outcome FROM ${referral}.outcomes WHERE bot_id = $1 AND commit_id = $2`,
    [botId, commitId],
  );
  return rows[0]?.outcome ?? null;
}

/** How things stand before a mark. */
export interface Standing {
  /** Whether the code that is named is known; a referrer always is. */
  readonly known: boolean;
  /** Who would be the referrer; null: the code is nobody's. */
  readonly owner: number | null;
  /** Whether that one owns any code. */
  readonly ownsCode: boolean;
  /** Who refers the user already; null: nobody. */
  readonly referrer: number | null;
}

export async function standingOf(
  { pool, referral }: ReferralSource,
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

export interface CodeRow {
  readonly code: string;
  /** ms UTC */
  readonly date_create: number;
}

export interface CodesRow {
  /** Of all codes of the user, and of marks without a code. */
  readonly total_referrals: number;
  /** Those made by create-code, newest first. */
  readonly codes: readonly CodeRow[];
}

export async function codesOf({ pool, referral }: ReferralSource, botId: number, userId: number): Promise<CodesRow> {
  const { rows } = await pool.query<CodesRow>(
    `SELECT (SELECT count(*)::float8 FROM ${referral}.referrals WHERE bot_id = $1 AND referrer_id = $2) AS total_referrals,
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
  /** Of the visit, else of the mark; ms UTC. */
  readonly date: number;
}

export interface Page {
  readonly limit: number;
  readonly offset: number;
}

/** Whom a user has referred, newest first. */
export async function referralsOf(
  { pool, referral }: ReferralSource,
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
