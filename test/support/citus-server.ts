import pg from 'pg';
import { GenericContainer, Network, type StartedTestContainer, Wait } from 'testcontainers';
import type { TestServer } from './test-server.ts';

const IMAGE = 'citusdata/citus:13.0';
const PORT = 5432;
const WORKERS = 2;

/**
 * The coordinator of `CITUS_URL`, else one with two workers in containers. If neither is there, it prints a line and returns
 * null.
 */
export async function startCitus(): Promise<TestServer | null> {
  const given = process.env['CITUS_URL'];
  if (given !== undefined && given !== '') return { url: given, stop: async () => {} };
  try {
    return await startContainers();
  } catch (error) {
    const reason = error instanceof Error ? error.message.split('\n')[0]! : String(error);
    console.warn(`SKIPPED: no Citus cluster to test against. Set CITUS_URL, or install Docker (${reason})`);
    return null;
  }
}

/** The nodes know each other by the addresses of the containers, where the tests reach them, too. */
async function startContainers(): Promise<TestServer> {
  const network = await new Network().start();
  const started: StartedTestContainer[] = [];
  const stop = async (): Promise<void> => {
    await Promise.all(started.map((container) => container.stop()));
    await network.stop();
  };
  try {
    for (let i = 0; i <= WORKERS; i++)
      started.push(
        await new GenericContainer(IMAGE)
          .withNetwork(network)
          .withEnvironment({ POSTGRES_HOST_AUTH_METHOD: 'trust' })
          .withWaitStrategy(Wait.forLogMessage(/ready to accept connections/, 2))
          .start(),
      );
    const [coordinator, ...workers] = started.map((container) => container.getIpAddress(network.getName()));
    const url = `postgres://postgres@${coordinator}:${PORT}/postgres`;
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    try {
      await client.query('SELECT citus_set_coordinator_host($1, $2)', [coordinator, PORT]);
      for (const worker of workers) await client.query('SELECT citus_add_node($1, $2)', [worker, PORT]);
    } finally {
      await client.end();
    }
    return { url, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}
