import type { AccountSource } from './account-source.ts';

/** Whose an accrual of the bot is; null: the bot has none of this id. */
export async function accrualOwner(
  { pool, accounts }: AccountSource,
  bot: string,
  accrualId: number,
): Promise<number | null> {
  const { rows } = await pool.query<{ user_id: number }>({
    name: `${accounts}.accrual_owner`,
    text: `SELECT user_id::float8 FROM ${accounts}.accruals WHERE accrual_id = $1 AND public_key = $2`,
    values: [accrualId, bot],
  });
  return rows[0]?.user_id ?? null;
}
