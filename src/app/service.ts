import type pg from 'pg';
import type { Logger } from 'pino';
import { buildApp } from '../api/app.ts';
import { openFront } from '../api/front.ts';
import { NotReady } from '../api/operations.ts';
import { apiRoutes } from '../api/routes.ts';
import { createEventTypeDirectory } from '../commands/intake/event-type-directory.ts';
import type { Config } from '../config.ts';
import { createPool } from '../database/pool.ts';
import { ConflictError, type Cursor, LogUnavailableError, OutcomeUnknownError } from '../log/port.ts';
import { catalogReadModel } from '../projections/catalog/read-model.ts';
import type { ReadModel } from '../projections/read-model.ts';
import { readModels as registered } from '../projections/registry.ts';
import { projectionStatus } from '../projections/runtime/status.ts';
import { servedProgress, waitForReadModels } from '../projections/runtime/wait-for-read-models.ts';
import { servedSchema } from '../projections/served-schema.ts';
import { createAuthenticator } from '../queries/catalog/authenticator.ts';
import { inTime } from '../util/in-time.ts';
import type { Lifecycle } from '../util/lifecycle.ts';
import { systemSources } from '../util/system-sources.ts';
import { type Foundation, type FoundationOptions, openFoundation } from './compose.ts';
import { type DemoInvitation, prepareDemo } from './demo.ts';
import { pacedLog } from './intake-pace.ts';
import type { Processes } from './processes.ts';
import type { Projectors } from './projectors.ts';
import type { ReportThreads } from './report-threads.ts';
import { whileDown } from './start-slowness.ts';
import { createStartWait, NotYetError } from './start-wait.ts';

/** `/ready`: log and database answer within this time. */
const READY_WITHIN_MS = 1000;
/** For whatever a request asks of the database, a report aside: none of it may take long. */
const LOOKUP_CONNECTIONS = 8;
/** Key and bot, one after the other. */
const LOOKUPS = 2;
/** How long one look of the start at the catalog takes, at most. */
const CATALOG_CHECK_MS = 1000;

export interface ServiceOptions extends FoundationOptions {
  readonly config: Config;
  readonly logger: Logger;
  /** Gets every part that is started, so that its owner can stop them, also when the start fails half way. */
  readonly lifecycle: Lifecycle;
  /** Ends a start that waits. */
  readonly signal: AbortSignal;
  /** Starts the projectors where the role asks for them. */
  readonly project: (foundation: Foundation) => Projectors;
  /** Starts the processes where the role asks for them. */
  readonly act: (foundation: Foundation) => Processes;
  /** Starts what runs reports, for an api. */
  readonly report: (foundation: Foundation) => ReportThreads;
  /** What the log is projected to; every read model there is, but for tests. */
  readonly readModels?: readonly ReadModel[];
  /** Told once, on an empty installation with the embedded database: how to try the service out. */
  readonly invite: (invitation: DemoInvitation, address: string) => void;
}

/**
 * Starts what the role asks for and returns the address it listens on. It listens at once, and answers 503 until it is
 * ready: an api when the catalog has caught up with the log, which it then is.
 * @throws StartError for what the operator must mend, StartStoppedError
 */
export async function startService(options: ServiceOptions): Promise<string> {
  const { config, logger, lifecycle, signal, project, act, report, invite, readModels = registered } = options;
  const sources = systemSources;
  const wait = createStartWait(logger, signal);
  const front = await openFront({ logger, host: config.HOST, port: config.PORT, waitsFor: () => wait.waitsFor });
  lifecycle.started('listening', () => front.close());
  const foundation = await openFoundation(config, 'service', logger, lifecycle, { ...options, wait });
  const { log } = foundation;
  if (config.ROLE === 'all' || config.ROLE === 'projector') {
    const projectors = project(foundation);
    lifecycle.started('projectors', () => projectors.stop());
  }
  if (config.ROLE === 'all' || config.ROLE === 'process') {
    const processes = act(foundation);
    lifecycle.started('processes', () => processes.stop());
  }

  const isApi = config.ROLE === 'all' || config.ROLE === 'api';
  const lookups = createPool({
    connectionString: foundation.connectionString,
    max: LOOKUP_CONNECTIONS,
    name: 'lookups',
    maxWaitMs: config.MAX_WAIT_MS,
    answerWithinMs: config.MAX_WAIT_MS,
    onError: (error) => logger.warn({ err: error }, 'a database connection was lost'),
  });
  lifecycle.started('database connections of requests', () => lookups.end());
  const served = servedSchema(lookups, readModels, config.MAX_WAIT_MS / LOOKUPS);
  const paced = pacedLog(log, lookups, readModels, config.MAX_WAIT_MS);
  const reports = isApi ? report(foundation) : null;
  if (reports !== null) lifecycle.started('reports', () => reports.stop());
  let catalogReady = false;
  const app = await buildApp({
    logger,
    trustProxy: config.TRUST_PROXY,
    operations: {
      async ready() {
        const answered = Promise.all([log.ping(), lookups.query('SELECT 1')]);
        await inTime(answered, READY_WITHIN_MS, () => new Error('the log or the database does not answer'));
        if (isApi && !catalogReady) throw new NotReady(`waiting for ${wait.waitsFor}`);
      },
      database: () => lookups.query('SELECT 1'),
      projections: () => projectionStatus(lookups, log, readModels),
      horizon: () => oldestWriter(lookups),
    },
    api: isApi
      ? {
          access: {
            authenticator: createAuthenticator({
              catalog: async () => ({ pool: lookups, schema: await served(catalogReadModel) }),
              sources,
              maxWaitMs: config.MAX_WAIT_MS / LOOKUPS,
            }),
            catalogReady: () => catalogReady,
            ratePerKey: config.RATE_LIMIT_PER_KEY,
            failuresPerMinute: config.AUTH_FAILURES_PER_MINUTE,
          },
          routes: apiRoutes({
            config,
            pool: lookups,
            runReport: reports!.run,
            log: paced,
            served,
            sources,
            directory: createEventTypeDirectory({ log, sources }),
          }),
          context: { log, sources },
          corsOrigins: config.CORS_ORIGINS,
        }
      : null,
  });
  await front.serve(app);
  // First of all that is stopped, so that nothing is gone that an answer under way needs.
  lifecycle.started('HTTP server', () => front.close());
  const { address } = front;
  logger.info({ address, role: config.ROLE, log: config.EVENT_LOG }, 'serving');
  if (!isApi) return address;

  const makeDemo = (): Promise<DemoInvitation | null> =>
    whileSlow(() => prepareDemo({ log, sources }, config.DATA_DIR));
  const demo = config.DATABASE_URL === undefined ? await wait.until('the log and its index', makeDemo) : null;
  let head: Cursor | null = null;
  await wait.until('the catalog to catch up with the log', () =>
    whileSlow(async () => {
      head ??= await log.endCursor();
      if (
        !(await waitForReadModels([servedProgress(foundation.pool, catalogReadModel)], head, {
          timeoutMs: CATALOG_CHECK_MS,
        }))
      )
        throw new NotYetError('the catalog is behind the log');
    }),
  );
  catalogReady = true;
  logger.info('ready');
  if (demo !== null) invite(demo, address);
  return address;
}

/** An attempt on a log and a database that were there when the service began to start: all they can be is slow. */
async function whileSlow<T>(attempt: () => Promise<T>): Promise<T> {
  try {
    return await whileDown(attempt);
  } catch (error) {
    const slow = [LogUnavailableError, OutcomeUnknownError, ConflictError].some((kind) => error instanceof kind);
    throw slow ? new NotYetError('the log does not answer yet', { cause: error }) : error;
  }
}

interface OpenTransaction {
  readonly pid: number;
  /** Since it began. */
  readonly seconds: number;
}

/**
 * The oldest open write transaction anywhere in the cluster, or null. Readers of the Postgres log stop below it, so one
 * that hangs stops every projection: this tells which.
 */
async function oldestWriter(pool: pg.Pool): Promise<OpenTransaction | null> {
  const { rows } = await pool.query<OpenTransaction>({
    name: 'oldest_writer',
    text: `SELECT pid, extract(epoch FROM clock_timestamp() - xact_start)::float8 AS seconds
           FROM pg_stat_activity WHERE backend_xid IS NOT NULL ORDER BY age(backend_xid) DESC LIMIT 1`,
  });
  return rows[0] ?? null;
}
