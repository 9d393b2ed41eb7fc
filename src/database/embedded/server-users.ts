import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { errorCode } from './error.ts';

/**
 * The use of the server by this OS process. Every user holds a shared advisory lock in the database `postgres`, on one idle
 * connection. The lock ends with the OS process, however that ends. So a user that leaves can find out whether the server has
 * other users. Joining and leaving happen under the folder's start lock.
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

/** Registers this OS process as a user of the server. */
export async function joinServer(address: ServerAddress): Promise<Usage> {
  const client = await connect(address);
  const lost = new Promise<void>((resolve) => client.once('end', resolve));
  await client.query('SELECT pg_advisory_lock_shared($1)', [LOCK_KEY]);
  return {
    lost,
    async leave() {
      // Unlocks explicitly, since the server notices the end of a connection a moment late.
      await client.query('SELECT pg_advisory_unlock_shared($1)', [LOCK_KEY]).catch(() => {}); // the connection is lost, and the lock with it
      await client.end();
    },
  };
}

/** Whether any OS process uses the server; `unknown` if the server does not answer within `waitMs`. */
export async function isUsed(address: ServerAddress, waitMs: number): Promise<boolean | 'unknown'> {
  for (const giveUpAt = performance.now() + waitMs; performance.now() < giveUpAt; await sleep(50)) {
    try {
      const client = await connect(address);
      try {
        // Waits 100 ms instead of pg_try_advisory_lock, since the connection of a killed OS process may still be closing.
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

/** Whether a retry cannot help: the server refuses our password (class 28) or has lost its database (class 3D). */
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
  client.on('error', () => {}); // an 'end' follows, or the running query rejects
  await client.connect();
  return client;
}
