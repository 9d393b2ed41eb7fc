import type pg from 'pg';

/** Where referrers' accounts are: a pool, and the schema of their read model. */
export interface AccountSource {
  readonly pool: pg.Pool;
  readonly accounts: string;
}

/** A user of a bot, which is named by its public key. */
export interface AccountName {
  readonly bot: string;
  readonly userId: number;
}

/** SQL of the time that an account is judged by: a clock that is behind the account's last event does not count. */
export const accountTime = (now: string, clock: string): string => `greatest(${now}::bigint, ${clock})`;

/** How many commits of the account's stream the read model has; 0: it does not know the account. */
export async function revisionOf({ pool, accounts }: AccountSource, { bot, userId }: AccountName): Promise<number> {
  const { rows } = await pool.query<{ revision: string }>({
    name: `${accounts}.revision`,
    text: `SELECT revision FROM ${accounts}.accounts WHERE public_key = $1 AND user_id = $2`,
    values: [bot, userId],
  });
  return Number(rows[0]?.revision ?? 0);
}
