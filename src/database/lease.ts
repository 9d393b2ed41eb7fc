import { setMaxListeners } from 'node:events';
import type pg from 'pg';
import type { Logger } from 'pino';

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

/** Holds leases. One statement renews all that are held and asks for all that are waited for. */
export interface LeaseHolder {
  /**
   * Waits for the lease `name`, then runs `work` while holding it; the work's signal aborts when the lease is lost or the
   * caller's signal aborts. The lease is given back at once at the end. Time is the database's, so clocks need not agree.
   *
   * A lease only avoids double work. A holder that was stopped for longer than the lease lasts continues for a moment beside
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
  readonly name: string;
  readonly lost: AbortController;
  goodUntil: number;
}

/** A lease that another holder has for now. */
interface Wanted {
  readonly name: string;
  /** `askedAt`: when it was asked for. */
  taken(askedAt: number): void;
  failed(error: unknown): void;
}

export function createLeaseHolder(
  pool: pg.Pool,
  holder: string,
  { logger, ttlMs = 3000, renewMs = 1000 }: LeaseOptions,
): LeaseHolder {
  const leases = new Set<Held>();
  const waiting = new Set<Wanted>();
  let timer: NodeJS.Timeout | null = null;
  let asking: Promise<void> | null = null;

  async function ask(): Promise<void> {
    const askedAt = performance.now();
    const held = [...leases].filter(({ lost }) => !lost.signal.aborted);
    const wanted = [...waiting];
    try {
      const names = new Set([...held, ...wanted].map(({ name }) => name));
      const taken = await take(pool, [...names], holder, ttlMs);
      for (const each of held)
        if (taken.has(each.name)) each.goodUntil = askedAt + ttlMs;
        else each.lost.abort();
      for (const each of wanted) if (taken.has(each.name)) each.taken(askedAt);
    } catch (error) {
      for (const each of wanted) each.failed(error);
      for (const { name, lost, goodUntil } of held) {
        if (performance.now() < goodUntil) continue;
        logger.warn({ err: error, lease: name }, 'failed to renew a lease; it is lost');
        lost.abort();
      }
    }
  }

  function askLater(): void {
    if (asking !== null || leases.size + waiting.size === 0) return;
    timer ??= setTimeout(() => {
      timer = null;
      asking = ask().then(() => {
        asking = null;
        askLater();
      });
    }, renewMs);
  }

  function askNoMore(): void {
    if (timer === null || leases.size + waiting.size > 0) return;
    clearTimeout(timer);
    timer = null;
  }

  /** Waits for a lease that another holds. @returns when it was asked for; null: the signal aborted first */
  async function wait(name: string, signal: AbortSignal): Promise<number | null> {
    const over = new AbortController();
    let wanted: Wanted | undefined;
    try {
      return await new Promise<number | null>((resolve, reject) => {
        wanted = { name, taken: resolve, failed: reject };
        waiting.add(wanted);
        setMaxListeners(0, signal); // all leases of a thread wait on the same one
        signal.addEventListener('abort', () => resolve(null), { once: true, signal: over.signal });
        askLater();
      });
    } finally {
      over.abort();
      waiting.delete(wanted!);
      askNoMore();
    }
  }

  async function leave(name: string): Promise<void> {
    await asking; // it may take the lease once more
    if ([...leases, ...waiting].some((other) => other.name === name)) return;
    await giveBack(pool, name, holder).catch((error: unknown) => {
      logger.warn({ err: error, lease: name }, 'failed to give back a lease; it expires by itself');
    });
  }

  return {
    async hold(name, signal, work) {
      let askedAt: number | null = performance.now();
      if (!(await take(pool, [name], holder, ttlMs)).has(name)) {
        if (signal.aborted) return undefined;
        askedAt = await wait(name, signal);
        if (askedAt === null) {
          if (asking !== null) await leave(name);
          return undefined;
        }
      }
      const held = { name, lost: new AbortController(), goodUntil: askedAt + ttlMs };
      leases.add(held);
      askLater();
      try {
        return await work(AbortSignal.any([signal, held.lost.signal]));
      } finally {
        leases.delete(held);
        askNoMore();
        await leave(name);
      }
    },
  };
}

/** Whether anybody but `holder` holds the lease. */
export async function isHeldByOther(pool: pg.Pool, name: string, holder: string): Promise<boolean> {
  const { rowCount } = await pool.query(
    'SELECT FROM runtime.leases WHERE name = $1 AND holder <> $2 AND expires_at >= clock_timestamp()',
    [name, holder],
  );
  return rowCount === 1;
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
