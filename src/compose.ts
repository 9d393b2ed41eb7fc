import { randomUUID } from 'node:crypto';
import type pg from 'pg';
import type { Logger } from 'pino';
import type { Config } from './config.ts';
import { openEmbeddedPostgres } from './database/embedded/open-embedded-postgres.ts';
import { createPool } from './database/pool.ts';
import { migrateRuntimeSchema } from './database/runtime-schema.ts';
import { ANY_CATEGORIES } from './domain/streams.ts';
import type { Lifecycle } from './lifecycle.ts';
import { StreamUnfitError } from './log/eventstore/commit-stream.ts';
import { openEventStoreLog } from './log/eventstore/eventstore-log.ts';
import { ForeignIndexError } from './log/judged/index-writer.ts';
import { TopicUnfitError } from './log/kafka/client-topic.ts';
import { openKafkaLog } from './log/kafka/kafka-log.ts';
import { type EventLog, LogUnavailableError } from './log/port.ts';
import { openPostgresLog } from './log/postgres/postgres-log.ts';
import { migrateProcessesSchema } from './processes/states.ts';
import { OtherLogError, useLog } from './projections/runtime/source-log.ts';
import { databaseStartError, StartError } from './start-error.ts';

/** What every process of the service stands on. */
export interface Foundation {
  /** Unique per process; holds its leases. */
  readonly instance: string;
  readonly connectionString: string;
  readonly pool: pg.Pool;
  readonly log: EventLog;
}

export interface FoundationOptions {
  /** Whether this thread may lead the index of a log that has one: not where requests would wait for it. */
  readonly mayLead?: boolean;
}

/** Connections of one process for read models and queries. */
const POOL_SIZE = 16;
/** A batch of a read model may hold statements over all events of an owner: minutes. Requests have a pool of their own. */
const ANSWER_WITHIN_MS = 30 * 60_000;

/**
 * Opens database and log, migrated and ready. A `service` has the embedded database's folder to itself, a `command` joins
 * whatever runs.
 */
export async function openFoundation(
  config: Config,
  role: 'service' | 'command',
  logger: Logger,
  lifecycle: Lifecycle,
  { mayLead = true }: FoundationOptions = {},
): Promise<Foundation> {
  const connectionString = config.DATABASE_URL ?? (await openEmbedded(config.DATA_DIR, role, logger, lifecycle));
  const pool = createPool({
    connectionString,
    max: POOL_SIZE,
    name: role,
    maxWaitMs: config.MAX_WAIT_MS,
    answerWithinMs: ANSWER_WITHIN_MS,
    onTrouble: (error) => logger.warn({ err: error }, 'a database connection was lost'),
  });
  lifecycle.started('database connections', () => pool.end());
  await migrateRuntimeSchema(pool).catch((error: unknown) => {
    throw config.DATABASE_URL === undefined ? error : databaseStartError(error, config.DATABASE_URL);
  });
  const instance = randomUUID();
  const log = await openLog(config, { connectionString, instance }, logger, mayLead);
  lifecycle.started('log', () => log.close());
  await useLog(pool, log.engine, role === 'service').catch((error: unknown) => {
    throw error instanceof OtherLogError ? new StartError(`EVENT_LOG: ${error.message}`, { cause: error }) : error;
  });
  await migrateProcessesSchema(pool);
  return { instance, connectionString, pool, log };
}

async function openEmbedded(
  dataDir: string,
  role: 'service' | 'command',
  logger: Logger,
  lifecycle: Lifecycle,
): Promise<string> {
  const embedded = await openEmbeddedPostgres({ dataDir, role, log: logger });
  lifecycle.started('embedded PostgreSQL', () => embedded.close());
  return embedded.url;
}

/** The only place that names the engines. */
export async function openLog(
  config: Config,
  { connectionString, instance }: Pick<Foundation, 'connectionString' | 'instance'>,
  logger: Logger,
  mayLead = true,
): Promise<EventLog> {
  const onTrouble = (error: Error): void => logger.warn({ err: error }, 'the log is in trouble, trying again');
  switch (config.EVENT_LOG) {
    case 'postgres':
      return openPostgresLog({
        connectionString,
        anyCategories: ANY_CATEGORIES,
        maxWaitMs: config.MAX_WAIT_MS,
        onTrouble,
      });
    case 'kafka':
      return openKafkaLog({
        brokers: config.KAFKA_BROKERS ?? [],
        topic: config.KAFKA_TOPIC,
        partitions: config.KAFKA_PARTITIONS,
        connectionString,
        anyCategories: ANY_CATEGORIES,
        holder: instance,
        mayLead,
        maxWaitMs: config.MAX_WAIT_MS,
        logger,
      }).catch(naming('KAFKA_BROKERS', 'KAFKA_TOPIC', TopicUnfitError));
    case 'eventstoredb':
      return openEventStoreLog({
        url: config.EVENTSTORE_URL ?? '',
        stream: config.EVENTSTORE_STREAM,
        connectionString,
        anyCategories: ANY_CATEGORIES,
        holder: instance,
        mayLead,
        maxWaitMs: config.MAX_WAIT_MS,
        logger,
      }).catch(naming('EVENTSTORE_URL', 'EVENTSTORE_STREAM', StreamUnfitError));
  }
}

/** Tells what a log could not be opened for by the variable that says where the server is, or which log it is there. */
function naming(address: string, place: string, Unfit: new (message: string) => Error): (error: unknown) => never {
  return (error) => {
    if (error instanceof LogUnavailableError) throw new StartError(`${address}: ${error.message}`, { cause: error });
    if (error instanceof Unfit || error instanceof ForeignIndexError)
      throw new StartError(`${place}: ${error.message}`, { cause: error });
    throw error;
  };
}
