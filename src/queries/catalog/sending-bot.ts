import { type CatalogSource, rowsOf } from './source.ts';

/** What has to be known of a bot to send in its name. */
export interface SendingBot {
  readonly bot_id: number;
  readonly owner_id: number;
  /** For the platform; a secret. */
  readonly token: string | null;
  readonly plan: 'premium' | 'free';
  readonly paid_broadcasts: boolean;
  /** IANA name. */
  readonly timezone: string;
}

/** Null: the catalog does not have the bot, or its owner, yet. */
export async function findSendingBot(source: CatalogSource, publicKey: string): Promise<SendingBot | null> {
  const rows = await rowsOf<SendingBot>(
    source,
    'find_sending_bot',
    `SELECT bot_id, owner_id::float8, token, plan, paid_broadcasts, timezone
     FROM ${source.schema}.bots JOIN ${source.schema}.owners USING (owner_id) WHERE bots.public_key = $1`,
    [publicKey],
  );
  return rows[0] ?? null;
}
