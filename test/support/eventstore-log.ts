import { randomUUID } from 'node:crypto';
import { pino } from 'pino';
import { migrateRuntimeSchema } from '../../src/database/runtime-schema.ts';
import { type EventStoreLogOptions, openEventStoreLog } from '../../src/log/eventstore/eventstore-log.ts';
import type { EventLog } from '../../src/log/port.ts';
import type { VoidCounts } from '../../src/log/validated/validated-log.ts';
import { createTestDatabase, type TestDatabase } from './database.ts';
import { eventStoreEnv } from './eventstore-server.ts';
import { ANY_CATEGORIES } from './log.ts';

export interface EventStoreTestLog {
  readonly database: TestDatabase;
  readonly stream: string;
  readonly env: Readonly<Record<string, string>>;
  open(changes?: Partial<EventStoreLogOptions>): Promise<EventLog & VoidCounts>;
  destroy(): Promise<void>;
}

/** A log on a new stream and in a new database. */
export async function createEventStoreTestLog({ url }: { readonly url: string }): Promise<EventStoreTestLog> {
  const database = await createTestDatabase();
  await migrateRuntimeSchema(database.pool);
  const stream = `test.${randomUUID()}`;
  return {
    database,
    stream,
    env: { ...eventStoreEnv(url)(stream), DATABASE_URL: database.url },
    open: (changes) =>
      openEventStoreLog({
        url,
        stream,
        connectionString: database.url,
        holder: randomUUID(),
        logger: pino({ level: process.env['TEST_LOG_LEVEL'] ?? 'silent' }),
        anyCategories: ANY_CATEGORIES,
        ...changes,
      }),
    destroy: () => database.drop(),
  };
}
