import { setMaxListeners } from 'node:events';
import type { Pool } from 'pg';
import type { Version } from './versions.ts';

/** A version as projectors see it. */
export interface SeenVersion extends Omit<Version, 'state'> {
  /** *dropped*: no program lists or queries it, and its tables are not removed yet. */
  readonly state: Version['state'] | 'dropped';
  /** Grows when an operator asks to retry a dead letter of the version. */
  readonly retries: number;
}

/** All versions of all read models, also of other shapes and dropped ones. */
async function seenVersions(pool: Pool): Promise<SeenVersion[]> {
  const { rows } = await pool.query<SeenVersion>({
    name: 'runtime.seen_versions',
    text: `SELECT name, version, shape, state, verified, served, error, retries, paused, max_rate AS "maxRate"
             FROM runtime.read_models
           WHERE state = 'dropped' OR EXISTS (SELECT FROM pg_namespace WHERE nspname = name || '_v' || version)
           ORDER BY name, version`,
  });
  return rows;
}

/** Looks up all versions of all read models, with one statement for all callers of a thread. */
export interface VersionWatch {
  /**
   * The result of the next look-up. It begins after the call and {@link POLL_MS} after the last one; null if the signal
   * aborts first. Rejects when the database does not answer.
   */
  next(signal: AbortSignal): Promise<readonly SeenVersion[] | null>;
}

/** The time within which a projector sees that another OS process created, switched, dropped or resumed a version. */
const POLL_MS = 500;

interface Waiting {
  resolve(seen: readonly SeenVersion[] | null): void;
  reject(error: unknown): void;
}

export function watchVersions(pool: Pool): VersionWatch {
  const waiting = new Set<Waiting>();
  let timer: NodeJS.Timeout | null = null;
  let lookedUpAt = Number.NEGATIVE_INFINITY;

  async function lookUp(): Promise<void> {
    timer = null;
    lookedUpAt = performance.now();
    const present = [...waiting];
    waiting.clear();
    try {
      const seen = await seenVersions(pool);
      for (const { resolve } of present) resolve(seen);
    } catch (error) {
      for (const { reject } of present) reject(error);
    }
  }

  return {
    async next(signal) {
      if (signal.aborted) return null;
      const over = new AbortController();
      let own: Waiting | undefined;
      try {
        return await new Promise<readonly SeenVersion[] | null>((resolve, reject) => {
          own = { resolve, reject };
          waiting.add(own);
          setMaxListeners(0, signal); // all projectors of a thread wait on the same signal
          signal.addEventListener('abort', () => resolve(null), { once: true, signal: over.signal });
          timer ??= setTimeout(() => void lookUp(), Math.max(0, lookedUpAt + POLL_MS - performance.now()));
        });
      } finally {
        over.abort();
        waiting.delete(own!);
        if (waiting.size === 0 && timer !== null) {
          clearTimeout(timer);
          timer = null;
        }
      }
    },
  };
}
