import { randomUUID } from 'node:crypto';
import type pg from 'pg';
import type { Logger } from 'pino';
import type { Config } from '../config.ts';
import { type EmbeddedPostgres, openEmbeddedPostgres } from '../database/embedded/open-embedded-postgres.ts';
import { createPool, cutOffOnAbort } from '../database/pool.ts';
import { migrateRuntimeSchema } from '../database/runtime-schema.ts';
import { ANY_CATEGORIES } from '../domain/streams.ts';
import { type EventLog, LogSilentError, LogUnavailableError, LogUnfitError } from '../log/port.ts';
import { migrateProcessesSchema } from '../processes/states.ts';
import { OtherLogError, useLog } from '../projections/runtime/source-log.ts';
import type { Lifecycle } from '../util/lifecycle.ts';
import { type Address, isReachable } from './reachable.ts';
import { StartError } from './start-error.ts';
import { databaseLooks, whileDown } from './start-slowness.ts';
import { NO_WAIT, NotYetError, type StartWait } from './start-wait.ts';

/** What every process of the service stands on. */
export interface Foundation {
  /** Unique per process; holds its leases. */
  readonly instance: string;
  readonly connectionString: string;
  readonly pool: pg.Pool;
  readonly log: EventLog;
  /**
   * Leaves to the service beside this command what requests wait for: the lead of the log's index, and the start of the
   * embedded server. A command calls it before it lowers its priority.
   */
  standBack(): void;
}

export interface FoundationOptions {
  /** Whether this thread may lead the index of a log that has one: not where requests would wait for it. */
  readonly mayLead?: boolean;
  /** How a service waits for what is slow; a command does not. */
  readonly wait?: StartWait;
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
  { mayLead = true, wait = NO_WAIT }: FoundationOptions = {},
): Promise<Foundation> {
  const embedded =
    config.DATABASE_URL === undefined
      ? await wait.until('the database', () => openEmbedded(config.DATA_DIR, role, logger, lifecycle, wait.signal))
      : null;
  const connectionString = embedded?.url ?? config.DATABASE_URL!;
  const pool = createPool({
    connectionString,
    max: POOL_SIZE,
    name: role,
    maxWaitMs: config.MAX_WAIT_MS,
    answerWithinMs: ANSWER_WITHIN_MS,
    onTrouble: (error) => logger.warn({ err: error }, 'a database connection was lost'),
  });
  lifecycle.started('database connections', () => pool.end());
  const letBe = cutOffOnAbort(pool, wait.signal);
  const look = databaseLooks(config);
  await wait.until('the database', () => look(() => migrateRuntimeSchema(pool)));
  const instance = randomUUID();
  const standingBack = new AbortController();
  const lead = { mayLead, leadUntil: standingBack.signal };
  const lookAtLog = logLooks(config);
  const log = await wait.until('the log', () =>
    lookAtLog(() => openEngine(config, { connectionString, instance }, logger, lead)),
  );
  lifecycle.started('log', () => log.close());
  await wait
    .until('the database', () =>
      whileDown(async () => {
        await useLog(pool, log.engine, role === 'service');
        await migrateProcessesSchema(pool);
      }),
    )
    .catch((error: unknown) => {
      throw error instanceof OtherLogError ? new StartError(`EVENT_LOG: ${error.message}`, { cause: error }) : error;
    });
  letBe();
  const standBack = (): void => {
    standingBack.abort();
    embedded?.startNoServer();
  };
  return { instance, connectionString, pool, log, standBack };
}

async function openEmbedded(
  dataDir: string,
  role: 'service' | 'command',
  logger: Logger,
  lifecycle: Lifecycle,
  signal: AbortSignal,
): Promise<EmbeddedPostgres> {
  const opening = openEmbeddedPostgres({ dataDir, role, log: logger, signal });
  // Before it is open: a start that is called off ends when its server has.
  const closing = async (): Promise<void> => {
    const opened = await opening.catch(() => null);
    await opened?.close();
  };
  lifecycle.started('embedded PostgreSQL', closing);
  return opening;
}

/** Opens the log of EVENT_LOG at the first attempt. @throws StartError */
export async function openLog(
  config: Config,
  database: Pick<Foundation, 'connectionString' | 'instance'>,
  logger: Logger,
): Promise<EventLog> {
  return openEngine(config, database, logger, { mayLead: true }).catch((error: unknown) => {
    throw logStartError(error, config);
  });
}

/** Tells a slow log from a missing one. A log that answered once during this start is treated as slow. */
function logLooks(config: Config): (open: () => Promise<EventLog>) => Promise<EventLog> {
  let reached = false;
  return async (open) => {
    try {
      return await whileDown(open);
    } catch (error) {
      const named = logStartError(error, config);
      if (!(error instanceof LogUnavailableError)) throw named;
      if (error instanceof LogSilentError && !reached) {
        const looks = logAddresses(config).map((address) => isReachable(address, config.MAX_WAIT_MS));
        reached = (await Promise.all(looks)).includes(true);
      }
      throw reached ? new NotYetError('the log does not answer yet', { cause: named }) : named;
    }
  };
}

/** The only place that names the engines. The client of an engine is loaded when its log is opened. */
async function openEngine(
  config: Config,
  { connectionString, instance }: Pick<Foundation, 'connectionString' | 'instance'>,
  logger: Logger,
  lead: { readonly mayLead: boolean; readonly leadUntil?: AbortSignal },
): Promise<EventLog> {
  const onTrouble = (error: Error): void => logger.warn({ err: error }, 'lost the log connection; retrying');
  const common = { connectionString, anyCategories: ANY_CATEGORIES, maxWaitMs: config.MAX_WAIT_MS };
  switch (config.EVENT_LOG) {
    case 'postgres': {
      const { openPostgresLog } = await import('../log/postgres/postgres-log.ts');
      return openPostgresLog({ ...common, onTrouble });
    }
    case 'kafka': {
      const { openKafkaLog } = await import('../log/kafka/kafka-log.ts');
      return openKafkaLog({
        ...common,
        brokers: config.KAFKA_BROKERS ?? [],
        topic: config.KAFKA_TOPIC,
        partitions: config.KAFKA_PARTITIONS,
        holder: instance,
        ...lead,
        logger,
      });
    }
    case 'eventstoredb': {
      const { openEventStoreLog } = await import('../log/eventstore/eventstore-log.ts');
      return openEventStoreLog({
        ...common,
        url: config.EVENTSTORE_URL ?? '',
        stream: config.EVENTSTORE_STREAM,
        holder: instance,
        ...lead,
        logger,
      });
    }
  }
}

/** The variables that say where the log's server is, and which log it is there. */
const VARIABLES = {
  postgres: { address: 'DATABASE_URL', place: 'DATABASE_URL' },
  kafka: { address: 'KAFKA_BROKERS', place: 'KAFKA_TOPIC' },
  eventstoredb: { address: 'EVENTSTORE_URL', place: 'EVENTSTORE_STREAM' },
} as const;

/** What a log could not be opened for, by the variable that is wrong; other errors as they are. */
function logStartError(error: unknown, { EVENT_LOG }: Config): unknown {
  const { address, place } = VARIABLES[EVENT_LOG];
  if (error instanceof LogUnavailableError) return new StartError(`${address}: ${error.message}`, { cause: error });
  if (error instanceof LogUnfitError) return new StartError(`${place}: ${error.message}`, { cause: error });
  return error;
}

/** Where the servers of a log are that is not in the database. */
function logAddresses({ EVENT_LOG, KAFKA_BROKERS, EVENTSTORE_URL }: Config): Address[] {
  if (EVENT_LOG === 'kafka') return (KAFKA_BROKERS ?? []).map((broker) => addressOf(broker, 9092));
  if (EVENT_LOG === 'eventstoredb') {
    const [, hosts = ''] = /^[^:]+:\/\/(?:[^@/]*@)?([^/?]*)/.exec(EVENTSTORE_URL ?? '') ?? [];
    return hosts.split(',').map((host) => addressOf(host, 2113));
  }
  return [];
}

function addressOf(text: string, defaultPort: number): Address {
  const [, host = text, port] = /^\[?(.*?)\]?(?::(\d+))?$/.exec(text) ?? [];
  return { host, port: Number(port ?? defaultPort) };
}
