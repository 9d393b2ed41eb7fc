import { randomUUID } from 'node:crypto';
import type pg from 'pg';
import type { Logger } from 'pino';
import type { Config } from '../config.ts';
import { createClockWatch, databaseTime } from '../database/clock-watch.ts';
import {
  type EmbeddedPostgres,
  type EmbeddedPostgresOptions,
  openEmbeddedPostgres,
} from '../database/embedded/open-embedded-postgres.ts';
import { createPool, cutOffOnAbort } from '../database/pool.ts';
import { migrateRuntimeSchema } from '../database/runtime-schema.ts';
import { ANY_CATEGORIES } from '../domain/streams.ts';
import type { OpenOptions } from '../log/engine.ts';
import { engineOf } from '../log/engines.ts';
import type { EventLog } from '../log/port.ts';
import { categoryOf } from '../log/stream-name.ts';
import { migrateProcessesSchema } from '../processes/process-states.ts';
import { OtherLogError, useLog } from '../projections/runtime/source-log.ts';
import { migrateProofSchema } from '../queries/proof/proof-schema.ts';
import type { Lifecycle } from '../util/stop-in-order.ts';
import { systemSources } from '../util/system-sources.ts';
import { inSpan, isTracing } from '../util/tracing.ts';
import { type ClockGuard, createClockGuard } from './clock-guard.ts';
import type { MetricValues, ThreadMetrics } from './metrics/thread-metrics.ts';
import { logWithNonces } from './nonce.ts';
import {
  firstDatabaseAttempts,
  firstLogAttempts,
  logStartError,
  notYetIfDatabaseDown,
  StartError,
} from './start-failures.ts';
import { NO_WAIT, type StartWait } from './start-wait.ts';

/** The database and the log that a service, a thread of it or a command works with. */
export interface Foundation {
  /** A unique id. Leases are held under it. */
  readonly instance: string;
  readonly connectionString: string;
  readonly pool: pg.Pool;
  /** Refuses appends while the clock of this machine is wrong. */
  readonly log: EventLog;
  readonly clock: Pick<ClockGuard, 'check' | 'aheadMs'>;
  /** The metrics of this thread; absent: it counts nothing. */
  readonly metrics?: ThreadMetrics | undefined;
  /**
   * Leaves to the service what its requests wait for: leading the log's index, and starting the embedded server. A
   * command that runs at the same time as a service calls it before it lowers its priority.
   */
  yieldToService(): void;
}

/** Projectors or processes that run until they are stopped. */
export interface Worker {
  /** Resolves when the work under way is done or given back. */
  stop(): Promise<void>;
  /** The metrics of its thread, if it has a separate one, and of the threads before it. */
  readonly metrics?: () => Promise<readonly MetricValues[]>;
}

export interface FoundationOptions {
  /**
   * Whether this thread may lead the log's index, if the log has one. False where requests would wait for that work.
   */
  readonly mayLead?: boolean;
  /** Whether to create a missing embedded database. Default true. */
  readonly mayCreateDatabase?: boolean;
  /** Counts the appends of this thread. A command has none. */
  readonly metrics?: ThreadMetrics | undefined;
  /** How a service waits for slow dependencies. A command does not wait. */
  readonly wait?: StartWait;
}

/** Connections of one thread for read models and queries. */
const POOL_SIZE = 16;
/**
 * Statements of a read model's batch may go through all events of an owner. That takes minutes. Requests use another
 * pool.
 */
const ANSWER_WITHIN_MS = 30 * 60_000;

/**
 * Opens and migrates the database and the log.
 * @param role a `service` needs the embedded database's folder for itself; a `command` joins an embedded server that
 * runs
 */
export async function openFoundation(
  config: Config,
  role: 'service' | 'command',
  logger: Logger,
  lifecycle: Lifecycle,
  { mayLead = true, mayCreateDatabase = true, wait = NO_WAIT, metrics }: FoundationOptions = {},
): Promise<Foundation> {
  const embedded =
    config.DATABASE_URL === undefined
      ? await wait.until('the database', () =>
          openEmbedded(
            { dataDir: config.DATA_DIR, role, mayCreate: mayCreateDatabase, log: logger, signal: wait.signal },
            lifecycle,
          ),
        )
      : null;
  if (embedded !== null && role === 'service' && config.PROOF === 'on')
    await (await import('./checkpoint-key.ts')).makeCheckpointKeys(config.CHECKPOINT_KEY!);
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
  const stopCuttingOff = cutOffOnAbort(pool, wait.signal);
  const attemptDatabase = firstDatabaseAttempts(config);
  await wait.until('the database', () => attemptDatabase(() => migrateRuntimeSchema(pool)));
  const instance = randomUUID();
  const yielding = new AbortController();
  const lead = { mayLead, leadUntil: yielding.signal, onGroup: metrics?.onGroup };
  const attemptLog = firstLogAttempts(config);
  const opened = await wait.until('the log', () =>
    attemptLog(() => openEngine(config, { connectionString, instance }, logger, lead)),
  );
  lifecycle.started('log', () => opened.close());
  const clock = await wait.until('the database', () => notYetIfDatabaseDown(() => openClockGuard(pool, logger)));
  lifecycle.started('clock', async () => clock.stop());
  const guarded = clock.guarded(opened);
  const measured = logWithNonces(metrics?.measured(guarded) ?? guarded, systemSources);
  const log = role === 'service' ? tracedLog(measured) : measured;
  await wait
    .until('the database', () =>
      notYetIfDatabaseDown(async () => {
        await useLog(pool, log.engine, role === 'service');
        await migrateProcessesSchema(pool);
        if (config.PROOF === 'on') await migrateProofSchema(pool);
      }),
    )
    .catch((error: unknown) => {
      throw error instanceof OtherLogError ? new StartError(`EVENT_LOG: ${error.message}`, { cause: error }) : error;
    });
  stopCuttingOff();
  const yieldToService = (): void => {
    yielding.abort();
    embedded?.startNoServer();
  };
  return { instance, connectionString, pool, log, clock, metrics, yieldToService };
}

async function openClockGuard(pool: pg.Pool, logger: Logger): Promise<ClockGuard> {
  const watch = createClockWatch({
    databaseTime: (asked) => databaseTime(pool, asked),
    now: systemSources.now,
    elapsed: () => performance.now(),
  });
  await watch.measure();
  return createClockGuard(watch, logger);
}

async function openEmbedded(options: EmbeddedPostgresOptions, lifecycle: Lifecycle): Promise<EmbeddedPostgres> {
  const opening = openEmbeddedPostgres(options);
  // Registered before the server is open, so that a start that is called off waits until its server has stopped.
  const closing = async (): Promise<void> => {
    const opened = await opening.catch(() => null);
    await opened?.close();
  };
  lifecycle.started('embedded PostgreSQL', closing);
  return opening;
}

/** Opens the log of EVENT_LOG without waiting for a slow one. @throws StartError */
export async function openLog(
  config: Config,
  database: Pick<Foundation, 'connectionString' | 'instance'>,
  logger: Logger,
  lead: Pick<OpenOptions, 'mayLead'> = { mayLead: true },
): Promise<EventLog> {
  return openEngine(config, database, logger, lead).catch((error: unknown) => {
    throw logStartError(error, config);
  });
}

function openEngine(
  config: Config,
  { connectionString, instance }: Pick<Foundation, 'connectionString' | 'instance'>,
  logger: Logger,
  lead: Pick<OpenOptions, 'mayLead' | 'leadUntil' | 'onGroup'>,
): Promise<EventLog> {
  const maxWaitMs = config.MAX_WAIT_MS;
  const common = { connectionString, holder: instance, anyCategories: ANY_CATEGORIES, maxWaitMs, logger };
  return engineOf(config.EVENT_LOG).open(config, { ...common, ...lead });
}

/**
 * Returns the log with a span for each append. The commit carries that span, so that its readers link to it
 * (decisions.md#traces). Without tracing it is the log itself.
 * @public bench/traces.ts loads it by its path.
 */
export function tracedLog(log: EventLog): EventLog {
  if (!isTracing()) return log;
  return {
    ...log,
    append(commit, options) {
      const category = categoryOf(commit.stream);
      const attributes = {
        'botledger.log.engine': log.engine,
        'botledger.stream.category': category,
        'botledger.commit.events': commit.events.length,
      };
      return inSpan(`append ${category}`, { kind: 'producer', attributes }, async (span) => {
        const appended = await log.append({ ...commit, trace: span.traceparent }, options);
        if (appended.repeated !== null) span.set({ 'botledger.append.repeated': true });
        return appended;
      });
    },
  };
}
