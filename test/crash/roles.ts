import pg from 'pg';
import { openEmbeddedPostgres } from '../../src/database/embedded/open-embedded-postgres.ts';
import { administer } from '../support/administer.ts';
import { serverOf, temporaryDataDir } from '../support/embedded-postgres.ts';
import type { KafkaBroker } from '../support/kafka-broker.ts';
import { type ServiceProcess, serviceProcess } from '../support/service-process.ts';
import { deployedLog } from './deployed-log.ts';
import { crashRounds, type Deployment } from './rounds.ts';

/** Functions that stop the started programs. They run in reverse order, also after an error. */
type Cleanup = (() => Promise<unknown>)[];

/**
 * An installation of an api, two projectors, PostgreSQL and, if given, a Kafka broker as the log, each a separate OS
 * process. `kills` names the victim of each round: `api`, `projector` (one of the two), `postgres`, `broker`.
 */
export async function crashRoles(broker: KafkaBroker | null, kills: readonly string[]): Promise<void> {
  const cleanup: Cleanup = [];
  try {
    await crashRounds(await deploy(broker, cleanup), kills);
  } finally {
    for (const stop of cleanup.reverse()) await stop();
  }
}

async function deploy(broker: KafkaBroker | null, cleanup: Cleanup): Promise<Deployment> {
  const folder = await temporaryDataDir();
  cleanup.push(() => folder.remove());
  // It restarts a killed server at the same URL.
  const postgres = await openEmbeddedPostgres({ dataDir: folder.path, role: 'service', log: QUIET });
  cleanup.push(() => postgres.close());
  const pool = new pg.Pool({ connectionString: postgres.url });
  pool.on('error', () => {}); // the test kills the server
  cleanup.push(() => pool.end());

  const deployed = deployedLog(postgres.url, broker);
  const { env } = deployed;
  const cli = administer(env);
  const { owner_id } = await cli('owner', 'create', '--name', 'Ann');
  const { public_key } = await cli('bot', 'create', '--owner', String(owner_id), '--name', 'Shop');
  const { api_key } = await cli('key', 'issue', '--owner', String(owner_id), '--bot', public_key);

  const api = await serviceProcess({ ...env, ROLE: 'api' });
  const projectors = [
    await serviceProcess({ ...env, ROLE: 'projector' }),
    await serviceProcess({ ...env, ROLE: 'projector' }),
  ];
  const services = [api, ...projectors];
  cleanup.push(() => Promise.all(services.map((service) => service.kill('SIGKILL'))));
  await Promise.all(services.map((service) => service.start()));
  await api.ready();
  const log = await deployed.open();
  cleanup.push(() => log.close());

  let last = 0;
  const own = broker?.process ?? null;
  return {
    address: api.address,
    apiKey: api_key,
    pool,
    log,
    output: () => services.map((service) => service.output()).join('\n'),
    victims: {
      api: () => restart(api),
      projector: () => restart(projectors[last++ % projectors.length]!),
      async postgres() {
        const server = await serverOf(folder.path);
        if (server !== undefined) process.kill(server.pid, 'SIGKILL');
      },
      async broker() {
        if (own === null) throw new Error('there is no broker that may be killed');
        await own.kill();
        await own.start();
      },
    },
  };
}

export const QUIET = { info: () => {}, warn: () => {} };

/** Restarts a service until it runs, as a supervisor does, since its database or log may be down as well. */
export async function restart(service: ServiceProcess): Promise<void> {
  await service.kill('SIGKILL');
  for (let tries = 1; ; tries++) {
    try {
      return await service.start();
    } catch (error) {
      if (tries === 10) throw error;
    }
  }
}
