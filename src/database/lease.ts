import type pg from 'pg';
import type { Logger } from 'pino';
import { pause } from '../pause.ts';

/** Migration of the schema `runtime`. */
export const LEASE_DDL = `
  CREATE TABLE runtime.leases (
    name text PRIMARY KEY,
    holder text NOT NULL,
    expires_at timestamptz NOT NULL
  );`;

export interface LeaseOptions {
  readonly logger: Logger;
  /** How long a holder that has died keeps others waiting, in milliseconds. */
  readonly ttlMs?: number;
  readonly renewMs?: number;
}

/** Holds leases, which are renewed together: a sender has one for each of its bots. */
export interface LeaseHolder {
  /**
   * Waits for the lease `name`, then runs `work` while holding it; the work's signal aborts when the lease is lost or the
   * caller's signal aborts. The lease is given back at once at the end. Time is the database's, so clocks need not agree.
   *
   * A lease only avoids double work. A holder that was stopped for longer than the lease lasts goes on for a moment beside
   * its successor, so whatever the work writes must be safe against that by itself (a compare-and-set).
   * @returns what the work returned, or undefined when the signal aborted first
   */
  hold<T>(name: string, signal: AbortSignal, work: (signal: AbortSignal) => Promise<T>): Promise<T | undefined>;
}

/** Holds one lease: see {@link LeaseHolder.hold}. */
export function holdLease<T>(
  pool: pg.Pool,
  name: string,
  holder: string,
  { signal, ...options }: LeaseOptions & { readonly signal: AbortSignal },
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T | undefined> {
  return createLeaseHolder(pool, holder, options).hold(name, signal, work);
}

interface Held {
  readonly lost: AbortController;
  goodUntil: number;
}

export function createLeaseHolder(
  pool: pg.Pool,
  holder: string,
  { logger, ttlMs = 3000, renewMs = 1000 }: LeaseOptions,
): LeaseHolder {
  const leases = new Map<string, Held>();
  let timer: NodeJS.Timeout | null = null;
  let renewing: Promise<void> | null = null;

  async function renew(): Promise<void> {
    const asked = performance.now();
    const present = [...leases].filter(([, { lost }]) => !lost.signal.aborted);
    try {
      const names = present.map(([name]) => name);
      const taken = await take(pool, names, holder, ttlMs);
      for (const [name, held] of present)
        if (taken.has(name)) held.goodUntil = asked + ttlMs;
        else held.lost.abort();
    } catch (error) {
      for (const [lease, { lost, goodUntil }] of present) {
        if (performance.now() < goodUntil) continue;
        logger.warn({ err: error, lease }, 'lease lost: it could not be renewed');
        lost.abort();
      }
    }
  }

  function renewLater(): void {
    if (renewing !== null || leases.size === 0) return;
    timer ??= setTimeout(() => {
      timer = null;
      renewing = renew().then(() => {
        renewing = null;
        renewLater();
      });
    }, renewMs);
  }

  function renewNoMore(): void {
    if (timer !== null) clearTimeout(timer);
    timer = null;
  }

  return {
    async hold(name, signal, work) {
      let asked = performance.now();
      while (!(await take(pool, [name], holder, ttlMs)).has(name)) {
        if (signal.aborted) return undefined;
        await pause(renewMs, signal);
        asked = performance.now();
      }
      const lost = new AbortController();
      leases.set(name, { lost, goodUntil: asked + ttlMs });
      renewLater();
      try {
        return await work(AbortSignal.any([signal, lost.signal]));
      } finally {
        leases.delete(name);
        if (leases.size === 0) renewNoMore();
        await renewing; // it may take the lease once more
        await giveBack(pool, name, holder).catch((error: unknown) => {
          logger.warn({ err: error, lease: name }, 'lease not given back, it will run out');
        });
      }
    },
  };
}

/** Whether anybody holds the lease. */
export async function isHeld(pool: pg.Pool, name: string): Promise<boolean> {
  const { rowCount } = await pool.query(
    'SELECT FROM runtime.leases WHERE name = $1 AND expires_at >= clock_timestamp()',
    [name],
  );
  return rowCount === 1;
}

/**
 * Takes or renews leases. A crash of the database may forget it: then others may take them sooner, as after a holder's death.
 * @returns those that are held
 */
async function take(pool: pg.Pool, names: readonly string[], holder: string, ttlMs: number): Promise<Set<string>> {
  const { rows } = await pool.query<{ name: string }>({
    name: 'lease.take',
    text: `
      INSERT INTO runtime.leases AS l (name, holder, expires_at)
      SELECT name, $2, clock_timestamp() + $3 * interval '1 millisecond'
        FROM unnest($1::text[]) AS name, set_config('synchronous_commit', 'off', true)
       ORDER BY name
      ON CONFLICT (name) DO UPDATE SET holder = excluded.holder, expires_at = excluded.expires_at
       WHERE l.holder = excluded.holder OR l.expires_at < clock_timestamp()
      RETURNING name`,
    values: [names, holder, ttlMs],
  });
  return new Set(rows.map(({ name }) => name));
}

async function giveBack(pool: pg.Pool, name: string, holder: string): Promise<void> {
  await pool.query('DELETE FROM runtime.leases WHERE name = $1 AND holder = $2', [name, holder]);
}
