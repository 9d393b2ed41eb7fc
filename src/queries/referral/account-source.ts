import type { Tables } from '../../database/tables.ts';

/** A user of a bot; `bot` is the bot's public key. */
export interface AccountName {
  readonly bot: string;
  readonly userId: number;
}

/** SQL of the time that answers about an account use: `now`, but not before the account's last event. */
export const accountTime = (now: string, clock: string): string => `greatest(${now}::bigint, ${clock})`;

/** Number of the account's commits that the read model has applied; 0: it does not know the account. */
export async function revisionOf(
  { pool, accounts }: Tables<'accounts'>,
  { bot, userId }: AccountName,
): Promise<number> {
  const { rows } = await pool.query<{ revision: string }>({
    name: `${accounts}.revision`,
    text: `SELECT revision FROM ${accounts}.accounts WHERE public_key = $1 AND user_id = $2`,
    values: [bot, userId],
  });
  return Number(rows[0]?.revision ?? 0);
}
