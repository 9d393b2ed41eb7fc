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

interface StoredSession extends StoredKey {
  /** Milliseconds since 1970 UTC. */
  readonly expiresAt: number;
}

/** The database's clock in milliseconds since 1970 UTC: sessions begin on one instance of the service and end on another. */
const NOW = `(extract(epoch FROM clock_timestamp()) * 1000)::bigint`;
/** A session that begins further in the future is over: the clock was set back, and the session would last too long. */
const STEP_MS = 60_000;
const LIVES = `begun_at BETWEEN ${NOW} - ${SESSION_MS} AND ${NOW} + ${STEP_MS}
  AND used_at BETWEEN ${NOW} - ${IDLE_MS} AND ${NOW} + ${STEP_MS}`;

/**
 * Sessions of the console, in the schema `runtime`. They are no part of the log: after a restore, users log in again
 * (decisions.md#console-session).
 */
export interface SessionStore {
  /** @param id 256 random bits as text */
  begin(id: string, key: StoredKey): Promise<StoredSession>;
  /** Null: no such session, or it is over. */
  find(id: string): Promise<StoredSession | null>;
  end(id: string): Promise<void>;
}

export function sessionStore(pool: pg.Pool): SessionStore {
  const query = (name: string, text: string, values: unknown[]) =>
    pool.query({ name: `session.${name}`, text, values });
  return {
    async begin(id, key) {
      await query('expire', `DELETE FROM runtime.sessions WHERE NOT (${LIVES})`, []);
      const { rows } = await query(
        'begin',
        `INSERT INTO runtime.sessions (id_hash, public_part, secret_hash, begun_at, used_at)
         SELECT $1, $2, $3, now, now FROM (SELECT ${NOW} AS now) AS clock
         RETURNING begun_at::float8 + ${SESSION_MS} AS "expiresAt"`,
        [hashSecret(id), key.publicPart, key.secretHash],
      );
      return { ...key, ...(rows[0] as Pick<StoredSession, 'expiresAt'>) };
    },

    async find(id) {
      const idHash = hashSecret(id);
      const { rows } = await query(
        'find',
        `SELECT public_part AS "publicPart", secret_hash AS "secretHash", begun_at::float8 + ${SESSION_MS} AS "expiresAt",
                used_at < ${NOW} - ${TOUCH_MS} AS stale
         FROM runtime.sessions WHERE id_hash = $1 AND ${LIVES}`,
        [idHash],
      );
      const row = rows[0] as (StoredSession & { readonly stale: boolean }) | undefined;
      if (row === undefined) return null;
      const { stale, ...session } = row;
      if (stale) await query('touch', `UPDATE runtime.sessions SET used_at = ${NOW} WHERE id_hash = $1`, [idHash]);
      return session;
    },

    async end(id) {
      await query('end', 'DELETE FROM runtime.sessions WHERE id_hash = $1', [hashSecret(id)]);
    },
  };
}
