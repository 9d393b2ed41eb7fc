import { randomUUID } from 'node:crypto';
import { pino } from 'pino';
import { ANY_CATEGORIES } from '../../src/domain/streams.ts';
import { openKafkaLog } from '../../src/log/kafka/kafka-log.ts';
import type { EventLog } from '../../src/log/port.ts';
import { openPostgresLog } from '../../src/log/postgres/postgres-log.ts';
import type { KafkaBroker } from '../support/kafka-broker.ts';

/** The log of an installation whose processes are killed. */
export interface DeployedLog {
  /** What the processes are told of their database and their log. */
  readonly env: Record<string, string>;
  /** A door of the test's own; on Kafka once the service has made the topic. */
  open(): Promise<EventLog>;
}

const PARTITIONS = 4;
/** The server may be gone for a while. */
const MAX_WAIT_MS = 60_000;

/** In the database, or on a topic of its own where a broker is given. */
export function deployedLog(databaseUrl: string, broker: KafkaBroker | null): DeployedLog {
  const common = { connectionString: databaseUrl, anyCategories: ANY_CATEGORIES, maxWaitMs: MAX_WAIT_MS };
  if (broker === null) return { env: { DATABASE_URL: databaseUrl }, open: () => openPostgresLog(common) };
  const topic = `crash.${randomUUID()}`;
  return {
    env: {
      DATABASE_URL: databaseUrl,
      EVENT_LOG: 'kafka',
      KAFKA_BROKERS: broker.brokers.join(','),
      KAFKA_TOPIC: topic,
      KAFKA_PARTITIONS: String(PARTITIONS),
    },
    open: () =>
      openKafkaLog({
        ...common,
        brokers: broker.brokers,
        topic,
        partitions: PARTITIONS,
        holder: randomUUID(),
        logger: pino({ level: 'silent' }),
        // The service's own processes are to lead the index, and to take over from one another.
        mayLead: false,
      }),
  };
}
