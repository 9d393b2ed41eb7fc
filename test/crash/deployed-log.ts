import { randomUUID } from 'node:crypto';
import type { EventLog } from '../../src/log/port.ts';
import { inDatabase, openTestLog } from '../support/engines.ts';
import type { KafkaBroker } from '../support/kafka-broker.ts';

/** The log of an installation whose OS processes a test kills. */
export interface DeployedLog {
  /** The environment of the OS processes: their database and their log. */
  readonly env: Record<string, string>;
  /** Opens the log for the test itself. On Kafka, call it after the service has created the topic. */
  open(): Promise<EventLog>;
}

/** The server may be down for a while. */
const MAX_WAIT_MS = 60_000;

/** The log is in the database, or on a new topic if a broker is given. @param changes of the environment */
export function deployedLog(
  databaseUrl: string,
  broker: KafkaBroker | null,
  changes: Readonly<Record<string, string>> = {},
): DeployedLog {
  const engine = broker?.env ?? inDatabase;
  const env = { DATABASE_URL: databaseUrl, ...engine(`crash.${randomUUID()}`), ...changes };
  // Only the service's OS processes lead the index and take it over from each other.
  return { env, open: () => openTestLog(env, { maxWaitMs: MAX_WAIT_MS, mayLead: false }) };
}
