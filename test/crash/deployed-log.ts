import { randomUUID } from 'node:crypto';
import type { EventLog } from '../../src/log/port.ts';
import { inDatabase, openTestLog } from '../support/engines.ts';
import type { KafkaBroker } from '../support/kafka-broker.ts';

/** The log of an installation whose processes are killed. */
export interface DeployedLog {
  /** The environment of the OS processes: their database and their log. */
  readonly env: Record<string, string>;
  /** The log for the test itself; on Kafka once the service has made the topic. */
  open(): Promise<EventLog>;
}

/** The server may be down for a while. */
const MAX_WAIT_MS = 60_000;

/** In the database, or on a topic of its own where a broker is given. */
export function deployedLog(databaseUrl: string, broker: KafkaBroker | null): DeployedLog {
  const engine = broker?.env ?? inDatabase;
  const env = { DATABASE_URL: databaseUrl, ...engine(`crash.${randomUUID()}`) };
  // The service's own OS processes are to lead the index, and to take over from one another.
  return { env, open: () => openTestLog(env, { maxWaitMs: MAX_WAIT_MS, mayLead: false }) };
}
