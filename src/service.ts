import type { Logger } from 'pino';
import { buildApp } from './api/app.ts';
import { NotReady } from './api/operations.ts';
import { apiRoutes } from './api/routes.ts';
import { createEventTypeDirectory } from './commands/event-type-directory.ts';
import { type Foundation, type FoundationOptions, openFoundation } from './compose.ts';
import type { Config } from './config.ts';
import { isDatabaseDown } from './database/errors.ts';
import { oldestWriter } from './database/oldest-writer.ts';
import { createPool } from './database/pool.ts';
import { type DemoInvitation, prepareDemo } from './demo.ts';
import { inTime } from './in-time.ts';
import type { Lifecycle } from './lifecycle.ts';
import { type Cursor, LogUnavailableError } from './log/port.ts';
import { pause } from './pause.ts';
import type { Processes } from './processes.ts';
import { catalogReadModel } from './projections/catalog/read-model.ts';
import type { ReadModel } from './projections/read-model.ts';
import { readModels as registered } from './projections/registry.ts';
import { projectionStatus } from './projections/runtime/status.ts';
import { waitUntilProjected } from './projections/runtime/wait.ts';
import type { Projectors } from './projectors.ts';
import { createAuthenticator } from './queries/catalog/authenticator.ts';
import type { ReportThreads } from './report-threads.ts';
import { servedSchema } from './served-schema.ts';
import { systemSources } from './system-sources.ts';

/** `/ready`: log and database answer within this time. */
const READY_WITHIN_MS = 1000;
/** For whatever a request asks of the database, a report aside: none of it may take long. */
const LOOKUP_CONNECTIONS = 8;
/** Key and bot, one after the other. */
const LOOKUPS = 2;
/** How often the start looks whether the catalog has caught up, at the latest. */
const CATALOG_CHECK_MS = 1000;

export interface ServiceOptions extends FoundationOptions {
  readonly config: Config;
  readonly logger: Logger;
  /** Gets every part that is started, so that its owner can stop them, also when the start fails half way. */
  readonly lifecycle: Lifecycle;
  /** Ends a start that waits for the catalog. */
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
 * Starts what the role asks for and returns the address it listens on. An api is then listening and ready: until the
 * catalog has caught up with the log it answers 503.
 */
export async function startService(options: ServiceOptions): Promise<string> {
  const { config, logger, lifecycle, signal, project, act, report, invite, readModels = registered } = options;
  const sources = systemSources;
  const foundation = await openFoundation(config, 'service', logger, lifecycle, options);
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
    onTrouble: (error) => logger.warn({ err: error }, 'a database connection was lost'),
  });
  lifecycle.started('database connections of requests', () => lookups.end());
  const served = servedSchema(lookups, readModels, config.MAX_WAIT_MS / LOOKUPS);
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
        if (isApi && !catalogReady) throw new NotReady('catalog is catching up');
      },
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
            log,
            served,
            sources,
            directory: createEventTypeDirectory({ log, sources }),
          }),
          context: { log, sources },
        }
      : null,
  });
  const address = await app.listen({ host: config.HOST, port: config.PORT });
  lifecycle.started('HTTP server', () => app.close());
  logger.info({ address, role: config.ROLE, log: config.EVENT_LOG }, 'serving');
  if (!isApi) return address;

  const demo = config.DATABASE_URL === undefined ? await prepareDemo({ log, sources }, config.DATA_DIR) : null;
  catalogReady = await catalogCaughtUp(foundation, logger, signal);
  if (catalogReady) logger.info('ready');
  if (demo !== null) invite(demo, address);
  return address;
}

/** Whether the catalog has reached the head that the log has now; false when the signal aborted first. */
async function catalogCaughtUp({ pool, log }: Foundation, logger: Logger, signal: AbortSignal): Promise<boolean> {
  let head: Cursor | null = null;
  while (!signal.aborted) {
    try {
      head ??= await log.head();
      if (await waitUntilProjected(pool, catalogReadModel, head, CATALOG_CHECK_MS)) return true;
    } catch (error) {
      // It was there when the service began to start, so it is being restarted itself.
      if (!isDatabaseDown(error) && !(error instanceof LogUnavailableError)) throw error;
      logger.warn({ err: error }, 'the log or the database does not answer, will ask again');
      await pause(CATALOG_CHECK_MS, signal);
    }
  }
  return false;
}
