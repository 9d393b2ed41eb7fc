import { preparedRows, type ReadTables, type Tables } from '../../database/tables.ts';
import { isPublicKey } from '../../domain/catalog/api-key.ts';
import type { KeyScope } from '../../domain/catalog/owner.ts';
import type { AutoPayout } from '../../domain/referral/auto-payouts.ts';

/** The resource that a request acts on. */
export interface BotRow {
  /** Small integer that leads the keys of the read models. */
  readonly bot_id: number;
  readonly public_key: string;
  readonly owner_id: number;
  readonly name: string;
  readonly username: string | null;
  /** IANA name. */
  readonly timezone: string;
  readonly separators: { readonly pair: string; readonly value: string };
  readonly webhook_secret_hash: string;
}

export async function findBot(tables: Tables<'catalog'>, publicKey: string): Promise<BotRow | null> {
  return (await findBots(tables, [publicKey])).get(publicKey) ?? null;
}

/** Finds bots by their public keys. */
export async function findBots(
  { pool, catalog }: ReadTables<'catalog'>,
  publicKeys: readonly string[],
): Promise<ReadonlyMap<string, BotRow>> {
  const possible = publicKeys.filter(isPublicKey);
  if (possible.length === 0) return new Map();
  const rows = await preparedRows<BotRow>(
    pool,
    `${catalog}.find_bots`,
    `SELECT bot_id, public_key, owner_id::float8, name, username, timezone, webhook_secret_hash,
            json_build_object('pair', pair_separator, 'value', value_separator) AS separators
     FROM ${catalog}.bots WHERE public_key = ANY ($1)`,
    [possible],
  );
  return new Map(rows.map((row) => [row.public_key, row]));
}

/** A bot's settings. The token is a secret, so the row only says whether the bot has a token. */
export interface BotSettingsRow {
  readonly bot_id: number;
  readonly public_key: string;
  readonly owner_id: number;
  readonly name: string;
  readonly username: string | null;
  readonly has_token: boolean;
  readonly timezone: string;
  readonly pair_separator: string;
  readonly value_separator: string;
  readonly referral_new_users_only: boolean;
  readonly auto_payout: AutoPayout;
  readonly paid_broadcasts: boolean;
}

/** Lists bots, oldest first. @param reach the owner and the scope of a key; absent: all bots of all owners */
export function listBots(
  { pool, catalog }: Tables<'catalog'>,
  reach?: { readonly ownerId: number; readonly scope: KeyScope },
): Promise<BotSettingsRow[]> {
  return preparedRows(
    pool,
    `${catalog}.list_bots`,
    `SELECT bot_id, public_key, owner_id::float8, name, username, token IS NOT NULL AS has_token, timezone,
            pair_separator, value_separator, referral_new_users_only, auto_payout, paid_broadcasts
     FROM ${catalog}.bots
     WHERE ($1::bigint IS NULL OR owner_id = $1) AND ($2::text[] IS NULL OR public_key = ANY ($2)) ORDER BY bot_id`,
    [reach?.ownerId ?? null, reach?.scope.type === 'bots' ? reach.scope.bots : null],
  );
}

/** A bot as `reports/resources` shows it. */
export interface ResourceRow {
  readonly resource_key: string;
  readonly name: string;
  readonly username: string | null;
  readonly timezone: string;
}

/** The bots that a key can act on, oldest first. */
export function listResources(
  { pool, catalog }: Tables<'catalog'>,
  ownerId: number,
  scope: KeyScope,
): Promise<ResourceRow[]> {
  return preparedRows(
    pool,
    `${catalog}.list_resources`,
    `SELECT public_key AS resource_key, name, username, timezone
     FROM ${catalog}.bots WHERE owner_id = $1 AND ($2::text[] IS NULL OR public_key = ANY ($2)) ORDER BY bot_id`,
    [ownerId, scope.type === 'all' ? null : scope.bots],
  );
}

/** The data of a bot that sending needs. */
export interface SendingBot {
  readonly bot_id: number;
  readonly owner_id: number;
  /** The bot's token at the platform, in clear: a secret. */
  readonly token: string | null;
  readonly plan: 'premium' | 'free';
  readonly paid_broadcasts: boolean;
  /** IANA name. */
  readonly timezone: string;
}

/** Null if the catalog does not have the bot, or its owner, yet. */
export async function findSendingBot(
  { pool, catalog }: Tables<'catalog'>,
  publicKey: string,
): Promise<SendingBot | null> {
  const rows = await preparedRows<SendingBot>(
    pool,
    `${catalog}.find_sending_bot`,
    `SELECT bot_id, owner_id::float8, token, plan, paid_broadcasts, timezone
     FROM ${catalog}.bots JOIN ${catalog}.owners USING (owner_id) WHERE bots.public_key = $1`,
    [publicKey],
  );
  return rows[0] ?? null;
}

export interface GoalRow {
  readonly target_id: number;
  readonly event_id: number;
  readonly name: string;
}

/** The goals of a bot in the order of target ids, Sale included. */
export function listGoals({ pool, catalog }: Tables<'catalog'>, botId: number): Promise<GoalRow[]> {
  return preparedRows(
    pool,
    `${catalog}.list_goals`,
    `SELECT target_id::float8, event_id::float8, name FROM ${catalog}.goals WHERE bot_id = $1
     ORDER BY goals.target_id`,
    [botId],
  );
}

export interface UnitRow {
  readonly unit_id: number;
  readonly code: string;
  readonly name: string | null;
  /** Decimals of a normal unit. */
  readonly scale: number;
}

export function listUnits({ pool, catalog }: Tables<'catalog'>, botId: number): Promise<UnitRow[]> {
  return preparedRows(
    pool,
    `${catalog}.list_units`,
    `SELECT unit_id::float8, code, name, scale FROM ${catalog}.units WHERE bot_id = $1 ORDER BY units.unit_id`,
    [botId],
  );
}
