import { preparedRows, type Tables } from '../../database/tables.ts';
import { hashSecret, parseApiKey } from '../../domain/catalog/api-key.ts';
import { OPERATOR_PART, type OperatorRight } from '../../domain/operations/operator.ts';
import { type CatalogCacheOptions, catalogCache } from '../catalog/catalog-cache.ts';

/** The holder of a valid operator key. */
export interface Operator {
  readonly operatorId: number;
  readonly name: string;
  readonly can: OperatorRight;
}

export interface OperatorAuthenticator {
  /** Null if there is no such operator key, or it was revoked. */
  authenticate(operatorKey: string): Promise<Operator | null>;
  /** As `authenticate`, by the hex SHA-256 of a key's secret: a console's session has no more. */
  authenticateHash(publicPart: string, secretHash: string): Promise<Operator | null>;
}

export interface OperatorAuthenticatorOptions
  extends Pick<CatalogCacheOptions, 'catalog' | 'isCaughtUp' | 'maxWaitMs'>,
    Partial<Pick<CatalogCacheOptions, 'elapsed'>> {}

const MAX_CACHED = 1000;

/** Looks operators up through a cache that is at most 1 s old, as for API keys. Never from a stale entry. */
export function createOperatorAuthenticator({
  elapsed = () => performance.now(),
  ...options
}: OperatorAuthenticatorOptions): OperatorAuthenticator {
  const operators = catalogCache(findOperators, MAX_CACHED, { ...options, elapsed });

  async function authenticateHash(publicPart: string, secretHash: string): Promise<Operator | null> {
    if (publicPart !== OPERATOR_PART) return null;
    const found = await operators(secretHash, false);
    if (found === null || found.revoked) return null;
    const { operatorId, name, can } = found;
    return { operatorId, name, can };
  }

  return {
    authenticateHash,
    async authenticate(operatorKey) {
      const parts = parseApiKey(operatorKey);
      return parts === null ? null : authenticateHash(parts.publicPart, hashSecret(parts.secret));
    },
  };
}

type FoundOperator = Operator & { readonly revoked: boolean };

/** Finds operators by the hashes of their secrets. */
async function findOperators(
  { pool, catalog }: Tables<'catalog'>,
  hashes: readonly string[],
): Promise<Map<string, FoundOperator>> {
  const rows = await preparedRows<FoundOperator & { readonly secret_hash: string }>(
    pool,
    `${catalog}.find_operators`,
    `SELECT secret_hash, operator_id::float8 AS "operatorId", name, can, revoked_at IS NOT NULL AS revoked
     FROM ${catalog}.operators WHERE secret_hash = ANY ($1)`,
    [hashes],
  );
  return new Map(rows.map(({ secret_hash, ...operator }) => [secret_hash, operator]));
}

/** Dates are ISO 8601, UTC. */
export interface OperatorRow {
  readonly operator_id: number;
  readonly name: string;
  readonly can: OperatorRight;
  readonly issued_at: string;
  readonly revoked_at: string | null;
}

export async function listOperators({ pool, catalog }: Tables<'catalog'>): Promise<OperatorRow[]> {
  type Stored = Omit<OperatorRow, 'issued_at' | 'revoked_at'> & { issued_at: number; revoked_at: number | null };
  const rows = await preparedRows<Stored>(
    pool,
    `${catalog}.list_operators`,
    `SELECT operator_id::float8, name, can, issued_at::float8, revoked_at::float8
     FROM ${catalog}.operators ORDER BY operators.operator_id`,
  );
  return rows.map((row) => ({
    ...row,
    issued_at: new Date(row.issued_at).toISOString(),
    revoked_at: row.revoked_at === null ? null : new Date(row.revoked_at).toISOString(),
  }));
}
