import { timingSafeEqual } from 'node:crypto';
import { hashSecret, isPublicKey, parseApiKey } from '../../domain/catalog/api-key.ts';
import type { KeyKind } from '../../domain/catalog/catalog-events.ts';
import type { KeyScope } from '../../domain/catalog/owner.ts';
import type { Sources } from '../../domain/sources.ts';
import { type BotRow, findBots } from './bots.ts';
import { type CatalogCacheOptions, catalogCache } from './catalog-cache.ts';
import { findKeys, keyState } from './owners.ts';

/** The holder of a valid key. */
export interface Principal {
  readonly keyId: number;
  readonly ownerId: number;
  readonly kind: KeyKind;
  readonly scope: KeyScope;
  readonly plan: 'premium' | 'free';
  /** The currency of the owner's profile. */
  readonly currency: string;
}

/**
 * With `allowStale`, each method uses cached rows that are at most 60 s old while the database is down
 * (decisions.md#database-down).
 * @throws DatabaseUnavailableError the database is down, and the cache may not be used or has no row
 */
export interface Authenticator {
  /** Null if there is no such key, or it has expired or been revoked. */
  authenticate(apiKey: string, allowStale: boolean): Promise<Principal | null>;
  /** As `authenticate`, by the hex SHA-256 of the key's secret: a session of the console stores only this hash. */
  authenticateHash(publicPart: string, secretHash: string): Promise<Principal | null>;
  /**
   * The bot that a request acts on. `missing`: the key is for several bots and the request names none; `unknown`: there is
   * no such bot; `forbidden`: the bot is outside the key's scope.
   */
  resource(
    principal: Principal,
    resourceKey: string | undefined,
    allowStale: boolean,
  ): Promise<BotRow | 'missing' | 'unknown' | 'forbidden'>;
  /** The bot of a webhook; null if there is no such bot, or the secret is wrong. */
  webhookBot(publicKey: string, secret: string, allowStale: boolean): Promise<BotRow | null>;
}

export interface AuthenticatorOptions
  extends Pick<CatalogCacheOptions, 'catalog' | 'isCaughtUp'>,
    Partial<Pick<CatalogCacheOptions, 'elapsed' | 'maxWaitMs'>> {
  readonly sources: Pick<Sources, 'now'>;
}

/** The most entries of each of the two caches, about 500 bytes each. */
const MAX_CACHED = 20_000;

export function createAuthenticator({
  sources,
  elapsed = () => performance.now(),
  maxWaitMs = 2500,
  ...tables
}: AuthenticatorOptions): Authenticator {
  const options = { ...tables, elapsed, maxWaitMs };
  const keys = catalogCache(findKeys, MAX_CACHED, options);
  const bots = catalogCache(findBots, MAX_CACHED, options);

  async function principalOf(publicPart: string, secretHash: string, allowStale: boolean): Promise<Principal | null> {
    const found = await keys(secretHash, allowStale);
    if (found === null || found.publicPart !== publicPart) return null;
    if (keyState(found, sources.now()) !== 'valid') return null;
    const { keyId, ownerId, kind, scope, plan, currency } = found;
    return { keyId, ownerId, kind, scope, plan, currency };
  }

  return {
    async authenticate(apiKey, allowStale) {
      const parts = parseApiKey(apiKey);
      return parts === null ? null : principalOf(parts.publicPart, hashSecret(parts.secret), allowStale);
    },

    authenticateHash: (publicPart, secretHash) => principalOf(publicPart, secretHash, false),

    async resource({ scope, ownerId }, resourceKey, allowStale) {
      const own = scope.type === 'bots' && scope.bots.length === 1 ? scope.bots[0] : undefined;
      const publicKey = resourceKey ?? own;
      if (publicKey === undefined) return 'missing';
      const bot = isPublicKey(publicKey) ? await bots(publicKey, allowStale) : null;
      if (bot === null) return 'unknown';
      const within = scope.type === 'all' || scope.bots.includes(publicKey);
      return within && bot.owner_id === ownerId ? bot : 'forbidden';
    },

    async webhookBot(publicKey, secret, allowStale) {
      const bot = isPublicKey(publicKey) ? await bots(publicKey, allowStale) : null;
      if (bot === null) return null;
      const given = Buffer.from(hashSecret(secret));
      return timingSafeEqual(given, Buffer.from(bot.webhook_secret_hash)) ? bot : null;
    },
  };
}
