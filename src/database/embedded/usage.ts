import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { errorCode } from './error.ts';

/**
 * Every process that uses the server says so by a shared advisory lock in the database `postgres`, held by one idle connection: it vanishes
 * with the process, however that ends, so a process that leaves can tell whether the server still has users. Joining and leaving
 * happen under the folder's start lock.
 */
export interface Usage {
  /** Resolves when the connection ends: the server died, or `leave` was called. */
  readonly lost: Promise<void>;
  leave(): Promise<void>;
}

export interface ServerAddress {
  readonly port: number;
  readonly password: string;
}

const LOCK_KEY = 0x62_6f_74_6c; // "botl"; no other program takes advisory locks in that database

/** Says that this process uses the server. */
export async function joinServer(address: ServerAddress): Promise<Usage> {
  const client = await connect(address);
  const lost = new Promise<void>((resolve) => client.once('end', resolve));
  await client.query('SELECT pg_advisory_lock_shared($1)', [LOCK_KEY]);
  return {
    lost,
    async leave() {
      // Unlocked by hand, because the server notices an ended connection a moment late.
      await client.query('SELECT pg_advisory_unlock_shared($1)', [LOCK_KEY]).catch(() => {}); // lost: the lock is gone too
      await client.end();
    },
  };
}

/** Whether any process uses the server; `unknown` when it did not let us ask within `patienceMs`. */
export async function isUsed(address: ServerAddress, patienceMs: number): Promise<boolean | 'unknown'> {
  for (const giveUpAt = Date.now() + patienceMs; Date.now() < giveUpAt; await sleep(50)) {
    try {
      const client = await connect(address);
      try {
        // Not pg_try_advisory_lock: the connection of a process killed just now may still be closing.
        await client.query("SET lock_timeout = '100ms'");
        await client.query('SELECT pg_advisory_lock($1)', [LOCK_KEY]);
        return false;
      } catch (error) {
        if (errorCode(error) === '55P03') return true; // lock_not_available
        throw error;
      } finally {
        await client.end();
      }
    } catch (error) {
      if (isRefusal(error)) throw error;
    }
  }
  return 'unknown';
}

/** Whether waiting for the server cannot help: it does not know our password (class 28) or has lost its database (3D). */
export function isRefusal(error: unknown): boolean {
  return /^(28|3D)/.test(errorCode(error) ?? '');
}

async function connect({ port, password }: ServerAddress): Promise<pg.Client> {
  const client = new pg.Client({
    host: '127.0.0.1',
    port,
    user: 'postgres',
    password,
    database: 'postgres',
    application_name: 'botledger presence',
    connectionTimeoutMillis: 5_000,
  });
  client.on('error', () => {}); // an 'end' follows, or the query in flight rejects
  await client.connect();
  return client;
}
