import { preparedRows, type Tables } from '../../database/tables.ts';
import type { KeyKind } from '../../domain/catalog/catalog-events.ts';
import type { KeyScope } from '../../domain/catalog/owner.ts';

export interface OwnerRow {
  readonly owner_id: number;
  readonly public_key: string;
  readonly name: string;
  readonly currency: string;
  readonly plan: 'premium' | 'free';
  readonly broadcasts_per_month: number;
}

export function listOwners({ pool, catalog }: Tables<'catalog'>): Promise<OwnerRow[]> {
  return preparedRows(
    pool,
    `${catalog}.list_owners`,
    `SELECT owner_id::float8, public_key, name, currency, plan, broadcasts_per_month::float8
     FROM ${catalog}.owners ORDER BY owners.owner_id`,
  );
}

/** A key with data of its owner's profile, for authentication. Times are milliseconds since 1970 UTC. */
export interface Key {
  readonly keyId: number;
  readonly ownerId: number;
  readonly publicPart: string;
  readonly kind: KeyKind;
  readonly scope: KeyScope;
  readonly plan: 'premium' | 'free';
  readonly currency: string;
  readonly expiresAt: number | null;
  readonly revokedAt: number | null;
  /** Revoked at once, whatever the clock says. */
  readonly isRevoked: boolean;
}

export const KEY_STATES = ['valid', 'expired', 'revoked'] as const;
export type KeyState = (typeof KEY_STATES)[number];

/** @param now milliseconds since 1970 UTC */
export function keyState({ expiresAt, revokedAt, isRevoked }: KeyEnds, now: number): KeyState {
  if (isRevoked || (revokedAt !== null && revokedAt <= now)) return 'revoked';
  return expiresAt !== null && expiresAt <= now ? 'expired' : 'valid';
}

type KeyEnds = Pick<Key, 'expiresAt' | 'revokedAt' | 'isRevoked'>;
type FoundRow = Omit<Key, 'scope'> & { readonly bots: string[] | null };

/** Finds keys by the hashes of their secrets: hex SHA-256. */
export async function findKeys(
  { pool, catalog }: Tables<'catalog'>,
  hashes: readonly string[],
): Promise<Map<string, Key>> {
  const rows = await preparedRows<FoundRow & { readonly secret_hash: string }>(
    pool,
    `${catalog}.find_keys`,
    `SELECT k.secret_hash, k.key_id::float8 AS "keyId", k.owner_id::float8 AS "ownerId", k.public_part AS "publicPart", k.kind, k.bots,
            o.plan, o.currency, k.expires_at::float8 AS "expiresAt", k.revoked_at::float8 AS "revokedAt", k.is_revoked AS "isRevoked"
     FROM ${catalog}.keys AS k JOIN ${catalog}.owners AS o USING (owner_id) WHERE k.secret_hash = ANY ($1)`,
    [hashes],
  );
  return new Map(
    rows.map(({ secret_hash, bots, ...key }) => {
      const scope: KeyScope = bots === null ? { type: 'all' } : { type: 'bots', bots };
      return [secret_hash, { ...key, scope }];
    }),
  );
}

export async function ownerOfKey({ pool, catalog }: Tables<'catalog'>, keyId: number): Promise<number | null> {
  const rows = await preparedRows<{ owner_id: number }>(
    pool,
    `${catalog}.owner_of_key`,
    `SELECT owner_id::float8 FROM ${catalog}.keys WHERE key_id = $1`,
    [keyId],
  );
  return rows[0]?.owner_id ?? null;
}

/** Dates are ISO 8601, UTC. */
export interface KeyRow {
  readonly key_id: number;
  readonly public_part: string;
  /** Public keys; null: all bots of the owner. */
  readonly bots: readonly string[] | null;
  readonly kind: KeyKind;
  readonly name: string | null;
  readonly issued_at: string;
  readonly expires_at: string | null;
  readonly revoked_at: string | null;
  readonly state: KeyState;
  /** The key that it replaced. */
  readonly rotates: number | null;
  /** Cut to the minute; null: no use is recorded. */
  readonly last_used_at: string | null;
}

/**
 * The keys of an owner, the latest first.
 * @param now milliseconds since 1970 UTC, for their states
 * @param scope keys that are also for other bots are left out; absent: none are
 */
export async function listKeys(
  { pool, catalog }: Tables<'catalog'>,
  ownerId: number,
  now: number,
  scope?: KeyScope,
  { limit, offset }: { readonly limit: number | null; readonly offset: number } = { limit: null, offset: 0 },
): Promise<KeyRow[]> {
  const rows = await preparedRows<StoredKey>(
    pool,
    `${catalog}.list_keys`,
    `SELECT key_id::float8, public_part, bots, kind, name, issued_at::float8, expires_at::float8, revoked_at::float8, is_revoked,
            rotates::float8, used_at::float8 AS last_used_at
     FROM ${catalog}.keys LEFT JOIN runtime.key_uses USING (key_id)
     WHERE owner_id = $1 AND ($2::text[] IS NULL OR bots <@ $2) ORDER BY keys.key_id DESC LIMIT $3 OFFSET $4`,
    [ownerId, scope?.type === 'bots' ? scope.bots : null, limit, offset],
  );
  return rows.map(({ is_revoked: isRevoked, ...row }) => ({
    ...row,
    state: keyState({ expiresAt: row.expires_at, revokedAt: row.revoked_at, isRevoked }, now),
    issued_at: new Date(row.issued_at).toISOString(),
    expires_at: dateOf(row.expires_at),
    revoked_at: dateOf(row.revoked_at),
    last_used_at: dateOf(row.last_used_at),
  }));
}

const dateOf = (ms: number | null): string | null => (ms === null ? null : new Date(ms).toISOString());

type StoredKey = Omit<KeyRow, 'state' | 'issued_at' | 'expires_at' | 'revoked_at' | 'last_used_at'> & {
  readonly is_revoked: boolean;
  readonly issued_at: number;
  readonly expires_at: number | null;
  readonly revoked_at: number | null;
  readonly last_used_at: number | null;
};
