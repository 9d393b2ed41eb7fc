import { randomBytes } from 'node:crypto';
import pg from 'pg';

/**
 * Works on a new database of the server in DATABASE_URL, and drops it.
 * @throws if DATABASE_URL names no server
 */
export async function withBenchDatabase(work: (url: string) => Promise<void>): Promise<void> {
  const { DATABASE_URL } = process.env;
  if (DATABASE_URL === undefined) throw new Error('DATABASE_URL says on which server a database may be created');
  const url = new URL(DATABASE_URL);
  const name = `bench_${randomBytes(4).toString('hex')}`;
  const server = new pg.Client({ connectionString: url.href });
  await server.connect();
  await server.query(`CREATE DATABASE ${name}`);
  url.pathname = `/${name}`;
  try {
    await work(url.href);
  } finally {
    await server.query(`DROP DATABASE ${name} WITH (FORCE)`);
    await server.end();
  }
}
