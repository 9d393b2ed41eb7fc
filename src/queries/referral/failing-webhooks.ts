import type { Pool } from 'pg';

/** The payouts of a bot that wait after a failed call of its webhook. */
export interface FailingWebhook {
  /** Public key. */
  readonly bot: string;
  readonly payouts: number;
  /** Of one of the last calls. */
  readonly error: string;
}

const MOST_BOTS = 10;

/** The bots with the most such payouts. @param schema the schema of the read model `accounts` */
export async function failingWebhooks(pool: Pool, schema: string): Promise<FailingWebhook[]> {
  const { rows } = await pool.query<FailingWebhook>(
    `SELECT public_key AS bot, count(*)::int AS payouts, coalesce(max(error), '') AS error
       FROM ${schema}.payouts WHERE method = 'webhook' AND status IN (0, 1) AND attempt = 'failed'
      GROUP BY public_key ORDER BY count(*) DESC, public_key LIMIT ${MOST_BOTS}`,
  );
  return rows;
}
