import type pg from 'pg';
import type { Logger } from 'pino';

const MINUTE_MS = 60_000;

/** Notes when each API key was last used (decisions.md#last-use). */
export interface KeyUses {
  /** Notes a use now. A request does not wait for it: the first use of a key in a minute is written afterwards. */
  note(keyId: number): void;
  /** Resolves when every use that was noted has been written, or could not be. */
  written(): Promise<void>;
}

/**
 * Writes each key at most once a minute, all that came together in one statement, so that a key of a thousand requests a
 * second costs a look into a map. While the database is down, uses are lost, and the log of the service says so.
 */
export function keyUses(pool: pg.Pool, logger: Pick<Logger, 'warn'>, now: () => number): KeyUses {
  /** The minute of the last use of each key that was noted since the start, in milliseconds. */
  const noted = new Map<number, number>();
  let waiting = new Map<number, number>();
  let writing: Promise<void> | null = null;

  async function write(): Promise<void> {
    while (waiting.size > 0) {
      const uses = [...waiting];
      waiting = new Map();
      try {
        await pool.query({
          name: 'key_uses.write',
          text: `INSERT INTO runtime.key_uses (key_id, used_at) SELECT * FROM unnest($1::bigint[], $2::bigint[])
                 ON CONFLICT (key_id) DO UPDATE SET used_at = greatest(key_uses.used_at, excluded.used_at)`,
          values: [uses.map(([keyId]) => keyId), uses.map(([, usedAt]) => usedAt)],
        });
      } catch (error) {
        logger.warn({ err: error }, 'failed to write the last use of keys; the next minute of use is written again');
      }
    }
    writing = null;
  }

  return {
    note(keyId) {
      const at = now();
      const minute = at - (at % MINUTE_MS);
      if (noted.get(keyId) === minute) return;
      noted.set(keyId, minute);
      waiting.set(keyId, minute);
      writing ??= write();
    },
    written: () => writing ?? Promise.resolve(),
  };
}
