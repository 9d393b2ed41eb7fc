import type pg from 'pg';
import { hashSecret } from '../../domain/catalog/api-key.ts';

/** A session ends 12 h after log-in, and 2 h after its last request. */
export const SESSION_MS = 12 * 3_600_000;
const IDLE_MS = 2 * 3_600_000;
/** The time of the last request is written at most once a minute. */
const TOUCH_MS = 60_000;

/** The API key of a session: its public part and the hex SHA-256 of its secret. */
export interface StoredKey {
  readonly publicPart: string;
  readonly secretHash: string;
}

export interface StoredSession extends StoredKey {
  /** Milliseconds since 1970 UTC. */
  readonly expiresAt: number;
}

/**
 * Sessions of the console, in the schema `runtime`. They are no part of the log: after a restore, users log in again
 * (decisions.md#console-session).
 */
export interface SessionStore {
  /** @param id 256 random bits as text */
  begin(id: string, key: StoredKey, now: number): Promise<StoredSession>;
  /** Null: no such session, or it is over. */
  find(id: string, now: number): Promise<StoredSession | null>;
  end(id: string): Promise<void>;
}

export function sessionStore(pool: pg.Pool): SessionStore {
  const query = (name: string, text: string, values: unknown[]) =>
    pool.query({ name: `session.${name}`, text, values });
  return {
    async begin(id, key, now) {
      await query('expire', 'DELETE FROM runtime.sessions WHERE begun_at < $1 OR used_at < $2', [
        now - SESSION_MS,
        now - IDLE_MS,
      ]);
      await query(
        'begin',
        `INSERT INTO runtime.sessions (id_hash, public_part, secret_hash, begun_at, used_at) VALUES ($1, $2, $3, $4, $4)`,
        [hashSecret(id), key.publicPart, key.secretHash, now],
      );
      return { ...key, expiresAt: now + SESSION_MS };
    },

    async find(id, now) {
      const idHash = hashSecret(id);
      const { rows } = await query(
        'find',
        `SELECT public_part AS "publicPart", secret_hash AS "secretHash", begun_at::float8 + $4 AS "expiresAt",
                used_at < $5 AS stale
         FROM runtime.sessions WHERE id_hash = $1 AND begun_at >= $2 AND used_at >= $3`,
        [idHash, now - SESSION_MS, now - IDLE_MS, SESSION_MS, now - TOUCH_MS],
      );
      const row = rows[0] as (StoredSession & { readonly stale: boolean }) | undefined;
      if (row === undefined) return null;
      const { stale, ...session } = row;
      if (stale) await query('touch', 'UPDATE runtime.sessions SET used_at = $2 WHERE id_hash = $1', [idHash, now]);
      return session;
    },

    async end(id) {
      await query('end', 'DELETE FROM runtime.sessions WHERE id_hash = $1', [hashSecret(id)]);
    },
  };
}
