import { afterAll, afterEach, beforeEach, test } from 'vitest';
import { openEmbeddedPostgres } from '../../src/database/embedded/open-embedded-postgres.ts';
import { crashBroadcasts } from '../crash/broadcasts.ts';
import { serverOf, temporaryDataDir } from '../support/embedded-postgres.ts';
import { startKafkaBroker } from '../support/kafka-broker.ts';

const broker = await startKafkaBroker();
afterAll(() => broker?.stop());

/** The test's own PostgreSQL: it comes back at the same address after a kill. */
let databaseUrl: string;
let killPostgres: () => Promise<void>;
let cleanup: (() => Promise<unknown>)[];

beforeEach(async () => {
  const folder = await temporaryDataDir();
  const log = { info: () => {}, warn: () => {} };
  const postgres = await openEmbeddedPostgres({ dataDir: folder.path, role: 'service', log });
  cleanup = [() => postgres.close(), () => folder.remove()];
  databaseUrl = postgres.url;
  killPostgres = async () => {
    const server = await serverOf(folder.path);
    if (server !== undefined) process.kill(server.pid, 'SIGKILL');
  };
});
afterEach(async () => {
  for (const step of cleanup) await step();
});

const ROUNDS = Number(process.env['ROUNDS'] ?? 50);
const KAFKA_ROUNDS = Math.min(ROUNDS, 10);

test(`kill -9 of a sender, ${ROUNDS} rounds`, () => crashBroadcasts({ databaseUrl, kills: ROUNDS, senders: 1 }));

test(`kill -9 of one of two senders, ${ROUNDS} rounds`, () =>
  crashBroadcasts({ databaseUrl, kills: ROUNDS, senders: 2 }));

test(`kill -9 of one of two senders and of PostgreSQL, ${ROUNDS} rounds`, () =>
  crashBroadcasts({ databaseUrl, kills: ROUNDS, senders: 2, killPostgres }));

test(`kill -9 of one of two senders and of PostgreSQL in launches and relaunches, ${ROUNDS} rounds`, () =>
  crashBroadcasts({ databaseUrl, kills: ROUNDS, senders: 2, killPostgres, relaunch: true }));

test.skipIf(broker === null)(`kill -9 of one of two senders with the log on Kafka, ${KAFKA_ROUNDS} rounds`, () =>
  crashBroadcasts({ databaseUrl, kills: KAFKA_ROUNDS, senders: 2, broker: broker! }),
);
