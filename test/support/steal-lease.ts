import { once } from 'node:events';
import type pg from 'pg';
import { pino } from 'pino';
import { holdLease } from '../../src/database/lease.ts';

/** Takes a lease from its holder and keeps it. @returns gives it back */
export async function stealLease(pool: pg.Pool, name: string): Promise<() => Promise<void>> {
  await pool.query(
    `INSERT INTO runtime.leases VALUES ($1, 'thief', clock_timestamp() + interval '3 seconds')
     ON CONFLICT (name) DO UPDATE SET holder = excluded.holder, expires_at = excluded.expires_at`,
    [name],
  );
  const end = new AbortController();
  const options = { logger: pino({ level: 'silent' }), signal: end.signal };
  const done = holdLease(pool, name, 'thief', options, (signal) => once(signal, 'abort'));
  return async () => {
    end.abort();
    await done;
  };
}
