import pg from 'pg';

/** A node of a Citus cluster. */
interface Node {
  readonly host: string;
  readonly port: number;
}

export interface Cluster {
  readonly coordinator: Node;
  readonly workers: readonly Node[];
}

/** The address at which the nodes of a cluster reach a worker, for tests that cut the way. */
export type WayTo = (worker: Node) => Node;

/** Few, since each test file creates all tables: two on each of two workers. */
const SHARDS = 4;

/** The nodes of the cluster whose coordinator has this URL; null: the server is no coordinator of Citus. */
export async function clusterOf(server: string): Promise<Cluster | null> {
  const found = await onDatabase(server, async (client) => {
    const { rowCount } = await client.query(`SELECT FROM pg_extension WHERE extname = 'citus'`);
    if (rowCount === 0) return [];
    return (
      await client.query<Node & { groupid: number }>(
        'SELECT nodename AS host, nodeport AS port, groupid FROM pg_dist_node ORDER BY groupid',
      )
    ).rows;
  });
  const [coordinator, ...workers] = found;
  return coordinator === undefined ? null : { coordinator, workers };
}

/**
 * Makes a new database of the coordinator a cluster: a database of the same name on each worker, and the extension in
 * all. One at a time: Citus writes roles, and all databases of a server share the roles. Two that write at once fail.
 * @param wayTo the address at which the nodes reach a worker
 */
export async function makeCluster(
  server: string,
  url: URL,
  cluster: Cluster,
  wayTo: WayTo = (worker) => worker,
): Promise<void> {
  await onDatabase(server, async (client) => {
    await client.query(`SELECT pg_advisory_lock(hashtextextended('cluster for a test', 0))`);
    await makeOne(url, cluster, wayTo);
  });
}

async function makeOne(url: URL, { coordinator, workers }: Cluster, wayTo: WayTo): Promise<void> {
  const name = url.pathname.slice(1);
  for (const worker of workers) {
    await onDatabase(at(url, worker, 'postgres'), (client) => client.query(`CREATE DATABASE ${name}`));
    await onDatabase(at(url, worker, name), (client) => client.query('CREATE EXTENSION citus'));
  }
  await onDatabase(url.href, async (client) => {
    await client.query('CREATE EXTENSION citus');
    await client.query(`ALTER DATABASE ${name} SET citus.shard_count TO ${SHARDS}`);
    await client.query('SELECT citus_set_coordinator_host($1, $2)', [coordinator.host, coordinator.port]);
    for (const { host, port } of workers.map(wayTo)) await client.query('SELECT citus_add_node($1, $2)', [host, port]);
  });
}

/** Drops the workers' databases of that name. */
export async function dropFromWorkers(url: URL, { workers }: Cluster): Promise<void> {
  for (const worker of workers)
    await onDatabase(at(url, worker, 'postgres'), (client) =>
      client.query(`DROP DATABASE IF EXISTS ${url.pathname.slice(1)} WITH (FORCE)`),
    );
}

function at(url: URL, { host, port }: Node, name: string): string {
  const node = new URL(url);
  node.hostname = host;
  node.port = String(port);
  node.pathname = `/${name}`;
  return node.href;
}

async function onDatabase<T>(url: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}
