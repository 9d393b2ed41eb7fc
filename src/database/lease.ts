import { setMaxListeners } from 'node:events';
import type pg from 'pg';
import type { Logger } from 'pino';

/** A migration of the schema `runtime`: creates the table of leases. */
export const LEASE_DDL = `
  CREATE TABLE runtime.leases (
    name text PRIMARY KEY,
    holder text NOT NULL,
    expires_at timestamptz NOT NULL
  );`;

export interface LeaseOptions {
  readonly logger: Logger;
  /** How long a lease lasts without renewal, in milliseconds. After a holder's death others wait this long. */
  readonly ttlMs?: number;
  readonly renewMs?: number;
}

/** Holds leases for one holder. One statement renews its leases and tries to take those that it waits for. */
export interface LeaseHolder {
  /**
   * Waits for the lease `name`, then runs `work` while holding it. The work's signal aborts when the lease is lost or the
   * caller's signal aborts. At the end the lease is given back at once. Leases expire by the database's clock, so the clocks of
   * the holders need not agree.
   *
   * A lease only avoids double work. A holder that was paused for longer than the lease lasts continues for a moment beside
   * its successor. So the work must protect its own writes (by a compare-and-set).
   * @returns the work's result, or undefined if the signal aborted first
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

interface HeldLease {
  readonly name: string;
  readonly lost: AbortController;
  goodUntil: number;
}

/** A lease that another holder has, and this one waits for. */
interface AwaitedLease {
  readonly name: string;
  /** Called once the lease is taken, with the time at which it was requested. */
  taken(requestedAt: number): void;
  failed(error: unknown): void;
}

export function createLeaseHolder(
  pool: pg.Pool,
  holder: string,
  { logger, ttlMs = 3000, renewMs = 1000 }: LeaseOptions,
): LeaseHolder {
  const leases = new Set<HeldLease>();
  const waiting = new Set<AwaitedLease>();
  let timer: NodeJS.Timeout | null = null;
  let renewing: Promise<void> | null = null;

  async function renew(): Promise<void> {
    const requestedAt = performance.now();
    const held = [...leases].filter(({ lost }) => !lost.signal.aborted);
    const wanted = [...waiting];
    try {
      const names = new Set([...held, ...wanted].map(({ name }) => name));
      const taken = await take(pool, [...names], holder, ttlMs);
      for (const each of held)
        if (taken.has(each.name)) each.goodUntil = requestedAt + ttlMs;
        else each.lost.abort();
      for (const each of wanted) if (taken.has(each.name)) each.taken(requestedAt);
    } catch (error) {
      for (const each of wanted) each.failed(error);
      for (const { name, lost, goodUntil } of held) {
        if (performance.now() < goodUntil) continue;
        logger.warn({ err: error, lease: name }, 'failed to renew a lease; it is lost');
        lost.abort();
      }
    }
  }

  function renewLater(): void {
    if (renewing !== null || leases.size + waiting.size === 0) return;
    timer ??= setTimeout(() => {
      timer = null;
      renewing = renew().then(() => {
        renewing = null;
        renewLater();
      });
    }, renewMs);
  }

  function stopIfIdle(): void {
    if (timer === null || leases.size + waiting.size > 0) return;
    clearTimeout(timer);
    timer = null;
  }

  /**
   * Waits for a lease that another holder has.
   * @returns when the lease was requested; null: the signal aborted first
   */
  async function wait(name: string, signal: AbortSignal): Promise<number | null> {
    const over = new AbortController();
    let wanted: AwaitedLease | undefined;
    try {
      return await new Promise<number | null>((resolve, reject) => {
        wanted = { name, taken: resolve, failed: reject };
        waiting.add(wanted);
        setMaxListeners(0, signal); // all leases of a thread wait on the same one
        signal.addEventListener('abort', () => resolve(null), { once: true, signal: over.signal });
        renewLater();
      });
    } finally {
      over.abort();
      waiting.delete(wanted!);
      stopIfIdle();
    }
  }

  async function leave(name: string): Promise<void> {
    await renewing; // a renewal under way may take the lease once more
    if ([...leases, ...waiting].some((other) => other.name === name)) return;
    await giveBack(pool, name, holder).catch((error: unknown) => {
      logger.warn({ err: error, lease: name }, 'failed to give back a lease; it expires by itself');
    });
  }

  return {
    async hold(name, signal, work) {
      let requestedAt: number | null = performance.now();
      if (!(await take(pool, [name], holder, ttlMs)).has(name)) {
        if (signal.aborted) return undefined;
        requestedAt = await wait(name, signal);
        if (requestedAt === null) {
          if (renewing !== null) await leave(name);
          return undefined;
        }
      }
      const held = { name, lost: new AbortController(), goodUntil: requestedAt + ttlMs };
      leases.add(held);
      renewLater();
      try {
        return await work(AbortSignal.any([signal, held.lost.signal]));
      } finally {
        leases.delete(held);
        stopIfIdle();
        await leave(name);
      }
    },
  };
}

/** Whether another than `holder` has the lease. */
export async function isHeldByOther(pool: pg.Pool, name: string, holder: string): Promise<boolean> {
  const { rowCount } = await pool.query(
    'SELECT FROM runtime.leases WHERE name = $1 AND holder <> $2 AND expires_at >= clock_timestamp()',
    [name, holder],
  );
  return rowCount === 1;
}

/** Whether the lease has a holder. */
export async function isHeld(pool: pg.Pool, name: string): Promise<boolean> {
  const { rowCount } = await pool.query(
    'SELECT FROM runtime.leases WHERE name = $1 AND expires_at >= clock_timestamp()',
    [name],
  );
  return rowCount === 1;
}

/**
 * Takes or renews leases. A crash of the database may lose the renewal: then others may take the leases sooner, as after a
 * holder's death.
 * @returns the names of the leases that the holder now has
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
