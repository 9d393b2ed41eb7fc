import { GenericContainer, Wait } from 'testcontainers';
import type { TestEngine } from './engines.ts';
import { type EventStoreDouble, startEventStoreDouble } from './eventstore-double.ts';

/** EventStoreDB for tests. */
export interface EventStoreServer {
  readonly url: string;
  readonly env: TestEngine;
  /** The kind of server that the tests run against, for a line of their output. */
  readonly kind: 'EVENTSTORE_URL' | 'a container' | 'the double';
  /** Null for a real server: tests do not kill it. */
  readonly double: EventStoreDouble | null;
  stop(): Promise<void>;
}

const IMAGE = 'eventstore/eventstore:24.10';
const PORT = 2113;

/** The server of `EVENTSTORE_URL`, else a container, else the double. Prints which of them it is. */
export async function startEventStore(): Promise<EventStoreServer> {
  const server = await start();
  console.info(`EventStoreDB: these tests run against ${server.kind}`);
  return { ...server, env: eventStoreEnv(server.url) };
}

/** The environment of a log on a stream of the server at `url`. */
export function eventStoreEnv(url: string): TestEngine {
  return (stream) => ({ EVENT_LOG: 'eventstoredb', EVENTSTORE_URL: url, EVENTSTORE_STREAM: stream });
}

async function start(): Promise<Omit<EventStoreServer, 'env'>> {
  const url = process.env['EVENTSTORE_URL'];
  if (url !== undefined && url !== '') return { url, kind: 'EVENTSTORE_URL', double: null, stop: async () => {} };
  const container = await new GenericContainer(IMAGE)
    .withEnvironment({ EVENTSTORE_INSECURE: 'true', EVENTSTORE_MEM_DB: 'true', EVENTSTORE_RUN_PROJECTIONS: 'None' })
    .withExposedPorts(PORT)
    .withWaitStrategy(Wait.forHttp('/health/live', PORT).forStatusCode(204))
    .start()
    .catch(() => null); // no container engine here
  if (container === null) {
    const double = await startEventStoreDouble();
    return { url: double.url, kind: 'the double', double, stop: async () => double.stop() };
  }
  return {
    url: `esdb://${container.getHost()}:${container.getMappedPort(PORT)}?tls=false`,
    kind: 'a container',
    double: null,
    stop: async () => void (await container.stop()),
  };
}
