import { randomUUID } from 'node:crypto';
import { pino } from 'pino';
import { readConfig } from '../../src/config.ts';
import { ANY_CATEGORIES } from '../../src/domain/streams.ts';
import type { OpenOptions } from '../../src/log/engine.ts';
import { engineOf } from '../../src/log/engines.ts';
import type { EventLog } from '../../src/log/port.ts';

/** The environment of a log with a new name on an engine. A test starts the engine's server. */
export type TestEngine = (log: string) => Readonly<Record<string, string>>;

/** The log in the database of the read models: the default engine. */
export const inDatabase: TestEngine = () => ({});

/** Opens the log that an environment names, as another instance of the service does. */
export function openTestLog(
  env: Readonly<Record<string, string>>,
  options: Partial<OpenOptions> = {},
): Promise<EventLog> {
  const config = readConfig(env);
  return engineOf(config.EVENT_LOG).open(config, {
    connectionString: config.DATABASE_URL!,
    holder: randomUUID(),
    logger: pino({ level: process.env['TEST_LOG_LEVEL'] ?? 'silent' }),
    anyCategories: ANY_CATEGORIES,
    ...options,
  });
}
