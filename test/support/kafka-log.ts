import { randomUUID } from 'node:crypto';
import { pino } from 'pino';
import { migrateRuntimeSchema } from '../../src/database/runtime-schema.ts';
import { type KafkaLogOptions, openKafkaLog } from '../../src/log/kafka/kafka-log.ts';
import type { EventLog } from '../../src/log/port.ts';
import type { VoidCounts } from '../../src/log/validated/validated-log.ts';
import { createTestDatabase, type TestDatabase } from './database.ts';
import { type KafkaBroker, PARTITIONS } from './kafka-broker.ts';
import { ANY_CATEGORIES } from './log.ts';

export interface KafkaTestLog {
  readonly database: TestDatabase;
  readonly topic: string;
  readonly partitions: number;
  readonly env: Readonly<Record<string, string>>;
  open(changes?: Partial<KafkaLogOptions>): Promise<EventLog & VoidCounts>;
  destroy(): Promise<void>;
}

/** A log on a new topic and in a new database. */
export async function createKafkaTestLog({ brokers, env }: KafkaBroker, topic: string): Promise<KafkaTestLog> {
  const database = await createTestDatabase();
  await migrateRuntimeSchema(database.pool);
  return {
    database,
    topic,
    partitions: PARTITIONS,
    env: { ...env(topic), DATABASE_URL: database.url },
    open: (changes) =>
      openKafkaLog({
        brokers,
        topic,
        partitions: PARTITIONS,
        connectionString: database.url,
        holder: randomUUID(),
        logger: pino({ level: process.env['TEST_LOG_LEVEL'] ?? 'silent' }),
        anyCategories: ANY_CATEGORIES,
        ...changes,
      }),
    destroy: () => database.drop(),
  };
}
