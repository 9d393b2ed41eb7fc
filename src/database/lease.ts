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
  /** Ends the waiting and the work. */
  readonly signal: AbortSignal;
  readonly logger: Logger;
  /** How long a holder that has died keeps others waiting, in milliseconds. */
  readonly ttlMs?: number;
  readonly renewMs?: number;
}

/**
 * Waits for the lease `name`, then runs `work` while holding it; the work's signal aborts when the lease is lost or the
 * caller's signal aborts. The lease is given back at once at the end. Time is the database's, so clocks need not agree.
 *
 * A lease only avoids double work. A holder that was stopped for longer than the lease lasts goes on for a moment beside
 * its successor, so whatever the work writes must be safe against that by itself (a compare-and-set).
 * @returns what the work returned, or undefined when the signal aborted first
 */
export async function holdLease<T>(
  pool: pg.Pool,
  name: string,
  holder: string,
  { signal, logger, ttlMs = 3000, renewMs = 1000 }: LeaseOptions,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T | undefined> {
  while (!(await take(pool, name, holder, ttlMs))) {
    if (signal.aborted) return undefined;
    await pause(renewMs, signal);
  }
  const lost = new AbortController();
  const done = new AbortController();
  const renewing = renew(pool, name, holder, { signal: done.signal, logger, ttlMs, renewMs }, lost);
  try {
    return await work(AbortSignal.any([signal, lost.signal]));
  } finally {
    done.abort();
    await renewing;
    await giveBack(pool, name, holder).catch((error: unknown) => {
      logger.warn({ err: error, lease: name }, 'lease not given back, it will run out');
    });
  }
}

/** Whether anybody holds the lease. */
export async function isHeld(pool: pg.Pool, name: string): Promise<boolean> {
  const { rowCount } = await pool.query(
    'SELECT FROM runtime.leases WHERE name = $1 AND expires_at >= clock_timestamp()',
    [name],
  );
  return rowCount === 1;
}

async function renew(
  pool: pg.Pool,
  name: string,
  holder: string,
  { signal, logger, ttlMs = 3000, renewMs = 1000 }: LeaseOptions,
  lost: AbortController,
): Promise<void> {
  let goodUntil = performance.now() + ttlMs;
  while (!signal.aborted) {
    await pause(renewMs, signal);
    if (signal.aborted) return;
    const asked = performance.now();
    try {
      if (!(await take(pool, name, holder, ttlMs))) return lost.abort();
      goodUntil = asked + ttlMs;
    } catch (error) {
      if (performance.now() < goodUntil) continue;
      logger.warn({ err: error, lease: name }, 'lease lost: it could not be renewed');
      return lost.abort();
    }
  }
}

async function take(pool: pg.Pool, name: string, holder: string, ttlMs: number): Promise<boolean> {
  const { rowCount } = await pool.query(
    `INSERT INTO runtime.leases AS l (name, holder, expires_at)
     VALUES ($1, $2, clock_timestamp() + $3 * interval '1 millisecond')
     ON CONFLICT (name) DO UPDATE SET holder = excluded.holder, expires_at = excluded.expires_at
     WHERE l.holder = excluded.holder OR l.expires_at < clock_timestamp()`,
    [name, holder, ttlMs],
  );
  return rowCount === 1;
}

async function giveBack(pool: pg.Pool, name: string, holder: string): Promise<void> {
  await pool.query('DELETE FROM runtime.leases WHERE name = $1 AND holder = $2', [name, holder]);
}
