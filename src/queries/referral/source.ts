import type pg from 'pg';

/** Where codes, referrals and rules are: a pool, and the schema of their read model. */
export interface ReferralSource {
  readonly pool: pg.Pool;
  readonly referral: string;
}
