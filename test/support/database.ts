import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { afterAll, beforeAll, inject } from 'vitest';
import { clusterOf, dropFromWorkers, makeCluster, type WayTo } from './citus.ts';
import { startTestServer, type TestServer } from './test-server.ts';

export interface TestDatabase {
  readonly url: string;
  readonly pool: pg.Pool;
  /** Drops the database and creates it again, empty. */
  recreate(): Promise<void>;
  /** Closes the pool and drops the database. */
  drop(): Promise<void>;
}

/** The server of the running test file, if it has a separate one. */
let ownServer: TestServer | undefined;
/** The addresses of its workers, if it is a cluster. */
let ownWayTo: WayTo | undefined;

/**
 * Gives the databases of a file a separate server; to be called first in the file. For tests that hold locks for
 * seconds: an open write transaction delays the readers of every log on its server, so the readers of all other files
 * would also wait. With TEST_DATABASE_URL they share the given server.
 */
export function onOwnServer(): void {
  beforeAll(async () => {
    if (process.env['TEST_DATABASE_URL'] === undefined) ownServer = await startTestServer();
  });
  afterAll(async () => {
    await ownServer?.stop();
    ownServer = undefined;
  });
}

/**
 * Creates the databases of a file on the given server; to be called first in the file.
 * @param wayTo if it is a cluster, the addresses at which its nodes reach its workers
 */
export function onServerOf(server: TestServer | null, wayTo?: WayTo): void {
  beforeAll(() => {
    ownServer = server ?? undefined;
    ownWayTo = wayTo;
  });
  afterAll(async () => {
    await ownServer?.stop();
    ownServer = undefined;
    ownWayTo = undefined;
  });
}

/** A fresh, empty database on the tests' server. */
export async function createTestDatabase(): Promise<TestDatabase> {
  const server = ownServer?.url ?? inject('databaseUrl');
  const cluster = await clusterOf(server);
  const name = `test_${randomBytes(6).toString('hex')}`;
  const url = new URL(server);
  url.pathname = `/${name}`;
  const create = async (): Promise<void> => {
    await onServer(server, `CREATE DATABASE ${name}`);
    if (cluster !== null) await makeCluster(server, url, cluster, ownWayTo);
  };
  const drop = async (): Promise<void> => {
    await onServer(server, `DROP DATABASE IF EXISTS ${name} WITH (FORCE)`);
    if (cluster !== null) await dropFromWorkers(url, cluster);
  };
  await create();
  const pool = new pg.Pool({ connectionString: url.href, max: 10 });
  pool.on('error', () => {}); // `drop` cuts idle connections
  return {
    url: url.href,
    pool,
    async recreate() {
      await drop();
      await create();
    },
    async drop() {
      await pool.end();
      await drop();
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
