import { randomUUID } from 'node:crypto';
import type pg from 'pg';
import type { Logger } from 'pino';
import type { Config } from '../config.ts';
import { type EmbeddedPostgres, openEmbeddedPostgres } from '../database/embedded/open-embedded-postgres.ts';
import { createPool, cutOffOnAbort } from '../database/pool.ts';
import { migrateRuntimeSchema } from '../database/runtime-schema.ts';
import { ANY_CATEGORIES } from '../domain/streams.ts';
import { engineOf } from '../log/engines.ts';
import { type EventLog, LogSilentError, LogUnavailableError, LogUnfitError } from '../log/port.ts';
import { migrateProcessesSchema } from '../processes/states.ts';
import { OtherLogError, useLog } from '../projections/runtime/source-log.ts';
import type { Lifecycle } from '../util/lifecycle.ts';
import { StartError } from './start-error.ts';
import { databaseLooks, isReachable, whileDown } from './start-slowness.ts';
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
    onError: (error) => logger.warn({ err: error }, 'a database connection was lost'),
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
        const servers = engineOf(config.EVENT_LOG).config.servers(config);
        const answers = servers.map((server) => isReachable(server, config.MAX_WAIT_MS));
        reached = (await Promise.all(answers)).includes(true);
      }
      throw reached ? new NotYetError('the log does not answer yet', { cause: named }) : named;
    }
  };
}

function openEngine(
  config: Config,
  { connectionString, instance }: Pick<Foundation, 'connectionString' | 'instance'>,
  logger: Logger,
  lead: { readonly mayLead: boolean; readonly leadUntil?: AbortSignal },
): Promise<EventLog> {
  const maxWaitMs = config.MAX_WAIT_MS;
  const common = { connectionString, holder: instance, anyCategories: ANY_CATEGORIES, maxWaitMs, logger };
  return engineOf(config.EVENT_LOG).open(config, { ...common, ...lead });
}

/** What a log could not be opened for, by the variable that is wrong; other errors as they are. */
function logStartError(error: unknown, { EVENT_LOG }: Config): unknown {
  const { address, log } = engineOf(EVENT_LOG).config;
  if (error instanceof LogUnavailableError) return new StartError(`${address}: ${error.message}`, { cause: error });
  if (error instanceof LogUnfitError) return new StartError(`${log}: ${error.message}`, { cause: error });
  return error;
}
