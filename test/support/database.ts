import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { inject } from 'vitest';

export interface TestDatabase {
  readonly url: string;
  readonly pool: pg.Pool;
  /** Drops the database and creates it again, empty. */
  recreate(): Promise<void>;
  /** Closes the pool and drops the database. */
  drop(): Promise<void>;
}

/** A fresh, empty database on the tests' server. */
export async function createTestDatabase(): Promise<TestDatabase> {
  const server = inject('databaseUrl');
  const name = `test_${randomBytes(6).toString('hex')}`;
  await onServer(server, `CREATE DATABASE ${name}`);
  const url = new URL(server);
  url.pathname = `/${name}`;
  const pool = new pg.Pool({ connectionString: url.href, max: 10 });
  pool.on('error', () => {}); // `drop` cuts idle connections
  return {
    url: url.href,
    pool,
    async recreate() {
      await onServer(server, `DROP DATABASE ${name} WITH (FORCE)`);
      await onServer(server, `CREATE DATABASE ${name}`);
    },
    async drop() {
      await pool.end();
      await onServer(server, `DROP DATABASE IF EXISTS ${name} WITH (FORCE)`);
    },
  };
}

async function onServer(url: string, statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await client.query(statement);
  } finally {
    await client.end();
  }
}
