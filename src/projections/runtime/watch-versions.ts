import { setMaxListeners } from 'node:events';
import type { Pool } from 'pg';
import { type SeenVersion, seenVersions } from './versions.ts';

/** Looks for all versions of all read models, in one statement for everybody on the thread who wants to know. */
export interface VersionWatch {
  /**
   * The versions as a look finds them that begins after the call, {@link LOOK_MS} after the last one; null: the signal
   * aborted first. Rejects when the database cannot be asked.
   */
  next(signal: AbortSignal): Promise<readonly SeenVersion[] | null>;
}

/** How soon it is seen that another process has created, switched, dropped or let go on a version. */
const LOOK_MS = 500;

interface Waiting {
  resolve(seen: readonly SeenVersion[] | null): void;
  reject(error: unknown): void;
}

export function watchVersions(pool: Pool): VersionWatch {
  const waiting = new Set<Waiting>();
  let timer: NodeJS.Timeout | null = null;
  let lookedAt = Number.NEGATIVE_INFINITY;

  async function look(): Promise<void> {
    timer = null;
    lookedAt = performance.now();
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
          setMaxListeners(0, signal); // all projectors of a thread wait on the same one
          signal.addEventListener('abort', () => resolve(null), { once: true, signal: over.signal });
          timer ??= setTimeout(() => void look(), Math.max(0, lookedAt + LOOK_MS - performance.now()));
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
