import type { Logger } from 'pino';
import { serviceStateReader } from '../administration/service-state.ts';
import { adminRoutes } from '../api/administration/routes.ts';
import { buildApp } from '../api/app.ts';
import { MAX_TEST_SENDS } from '../api/broadcast/test-turns.ts';
import { createFindLaunch } from '../api/clicks/find-launch.ts';
import { createClickRecorder } from '../api/clicks/recorder.ts';
import { type OneTimeKeys, oneTimeKeys } from '../api/console/one-time-keys.ts';
import { sessionStore } from '../api/console/session-store.ts';
import { openFront } from '../api/front.ts';
import { keyUses } from '../api/key-uses.ts';
import { NotReady } from '../api/operations.ts';
import { apiRoutes } from '../api/routes.ts';
import { createChangeWait } from '../api/wait-for-change.ts';
import { createEventTypeDirectory } from '../commands/intake/event-type-directory.ts';
import { type Config, servesAdmin } from '../config.ts';
import { FRESH_MS } from '../database/fresh-cache.ts';
import { oldestWriter } from '../database/oldest-writer.ts';
import { createPool } from '../database/pool.ts';
import { ConflictError, type Cursor, LogUnavailableError, OutcomeUnknownError } from '../log/port.ts';
import { createBotApi } from '../platform/bot-api.ts';
import { broadcastsManifest } from '../projections/broadcasts/manifest.ts';
import { catalogManifest } from '../projections/catalog/manifest.ts';
import { eventsManifest } from '../projections/events/manifest.ts';
import { type Manifest, type ReadModel, schemaOf } from '../projections/read-model.ts';
import { MANIFESTS } from '../projections/registry.ts';
import { projectionStatus } from '../projections/runtime/status.ts';
import { servedOf, versionsOf } from '../projections/runtime/versions.ts';
import { schemaCatchesUp, servedProgress, waitForReadModels } from '../projections/runtime/wait-for-read-models.ts';
import { servedSchema } from '../projections/served-schema.ts';
import { createAuthenticator } from '../queries/catalog/authenticator.ts';
import { createOperatorAuthenticator } from '../queries/operations/operators.ts';
import { inTime } from '../util/in-time.ts';
import type { Lifecycle } from '../util/lifecycle.ts';
import { pause } from '../util/pause.ts';
import { systemSources } from '../util/system-sources.ts';
import { type Foundation, type FoundationOptions, openFoundation, type Worker } from './compose.ts';
import { type Demo, prepareDemo } from './demo.ts';
import { pacedLog } from './intake-pace.ts';
import { clickMetrics } from './metrics/click-metrics.ts';
import { clockMetric } from './metrics/clock-metric.ts';
import { threadMetrics } from './metrics/thread-metrics.ts';
import type { ReportThreads } from './report-threads.ts';
import { notYetIfDatabaseDown } from './start-failures.ts';
import { createStartWait, NotYetError } from './start-wait.ts';

/** For `/ready`, log and database must answer within this time. */
const READY_WITHIN_MS = 1000;
/** Connections for the short queries of requests. Reports have connections of their own. */
const LOOKUP_CONNECTIONS = 8;
/** Counts of audiences at once (decisions.md#audience-size). */
const COUNT_CONNECTIONS = 2;
/** How long a page of an export may take: the first one may need a sort of all rows. */
const EXPORT_ANSWER_MS = 10 * 60_000;
/** How long a test send waits for the platform's answer (decisions.md#test-send). */
const TEST_ANSWER_MS = 10_000;
/** A request looks up the key and the bot, one after the other. Both together may take MAX_WAIT_MS. */
const LOOKUPS = 2;
/** How long one attempt of the start waits for the catalog. */
const CATALOG_ATTEMPT_MS = 1000;

export interface ServiceOptions extends FoundationOptions {
  readonly config: Config;
  readonly logger: Logger;
  /** Records every started part, so that the caller can stop the parts, also if the start fails halfway. */
  readonly lifecycle: Lifecycle;
  /** Stops a start that waits. */
  readonly signal: AbortSignal;
  /** Called if the role includes projectors. */
  readonly startProjectors: (foundation: Foundation) => Worker | Promise<Worker>;
  /** Called if the role includes processes. */
  readonly startProcesses: (foundation: Foundation) => Worker | Promise<Worker>;
  /** Called if the role includes the api. */
  readonly startReports: (foundation: Foundation) => ReportThreads;
  /** The read models to serve. Default: all of them; tests pass others. */
  readonly readModels?: readonly ReadModel[];
  /** Called once, on an empty installation with the embedded database, to show how to try the service. */
  readonly showDemo: (demo: Demo, address: string, links: OneTimeKeys) => void;
}

/**
 * Starts the parts of the role. It listens at once and answers 503 until it is ready: an api once the catalog has
 * caught up with the log. An api is ready when this resolves.
 * @returns the address it listens on
 * @throws StartError if the operator must correct something, StartStoppedError
 */
export async function startService(options: ServiceOptions): Promise<string> {
  const { config, logger, lifecycle, signal, readModels } = options;
  const manifests = readModels ?? MANIFESTS;
  const sources = systemSources;
  const wait = createStartWait(logger, signal);
  const front = await openFront({ logger, host: config.HOST, port: config.PORT, waitsFor: () => wait.waitsFor });
  lifecycle.started('listening', () => front.close());
  const metrics = threadMetrics('main');
  const foundation = await openFoundation(config, 'service', logger, lifecycle, { ...options, wait, metrics });
  const { log, snapshots, clock } = foundation;
  clockMetric(metrics.registry, clock.aheadMs);
  const threads: Pick<Worker, 'metrics'>[] = [];
  if (config.ROLE === 'all' || config.ROLE === 'projector') {
    const projectors = await options.startProjectors(foundation);
    threads.push(projectors);
    lifecycle.started('projectors', () => projectors.stop());
  }
  if (config.ROLE === 'all' || config.ROLE === 'process') {
    const processes = await options.startProcesses(foundation);
    threads.push(processes);
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
  const counts = createPool({
    connectionString: foundation.connectionString,
    max: COUNT_CONNECTIONS,
    name: 'audience counts',
    maxWaitMs: config.MAX_WAIT_MS,
    onError: (error) => logger.warn({ err: error }, 'a database connection was lost'),
  });
  lifecycle.started('database connections of audience counts', () => counts.end());
  const exports = createPool({
    connectionString: foundation.connectionString,
    max: config.EXPORT_CONCURRENCY,
    name: 'exports',
    maxWaitMs: config.MAX_WAIT_MS,
    answerWithinMs: EXPORT_ANSWER_MS,
    onError: (error) => logger.warn({ err: error }, 'a database connection was lost'),
  });
  lifecycle.started('database connections of exports', () => exports.end());
  const botApi = createBotApi({
    root: config.TELEGRAM_API_ROOT,
    connections: MAX_TEST_SENDS,
    answerTimeoutMs: TEST_ANSWER_MS,
  });
  lifecycle.started('calls of test sends', () => botApi.close());
  const served = servedSchema(lookups, manifests, config.MAX_WAIT_MS / LOOKUPS);
  const paced = pacedLog(log, lookups, manifests, config.MAX_WAIT_MS);
  const reports = isApi ? options.startReports(foundation) : null;
  if (reports !== null) {
    lifecycle.started('reports', () => reports.stop());
    threads.push(reports);
  }
  /** Null while its first version is built. */
  const schemaNow = async (model: Manifest): Promise<string | null> => {
    const version = servedOf(await versionsOf(lookups, model));
    return version === null ? null : schemaOf(version.name, version.version);
  };
  let catalogReady = false;
  const catalogSource = async () => ({ pool: lookups, schema: await served(catalogManifest) });
  const isCaughtUp = schemaCatchesUp(log, lookups);
  const keyTables = { catalog: catalogSource, isCaughtUp, maxWaitMs: config.MAX_WAIT_MS / LOOKUPS };
  const authenticator = createAuthenticator({ ...keyTables, sources });
  const operators = servesAdmin(config) ? createOperatorAuthenticator(keyTables) : undefined;
  const admin = servesAdmin(config)
    ? adminRoutes({
        context: {
          log,
          sources,
          pool: foundation.pool,
          manifests,
          waitForSwitch: () => pause(2 * FRESH_MS),
        },
        lookups,
        catalog: catalogSource,
        events: () => served(eventsManifest),
        waitForCatalog: createChangeWait(lookups, catalogManifest),
      })
    : [];
  const links = oneTimeKeys(sources);
  const uses = keyUses(lookups, logger, sources.now);
  lifecycle.started('last uses of keys', () => uses.written());
  const clicks = createClickRecorder({
    context: { log, sources },
    logger,
    count: clickMetrics(metrics.registry),
  });
  lifecycle.started('clicks', () => clicks.close());
  const app = await buildApp({
    logger,
    trustProxy: config.TRUST_PROXY,
    operations: {
      async ready() {
        const answered = Promise.all([log.ping(), lookups.query('SELECT 1')]);
        await inTime(answered, READY_WITHIN_MS, () => new Error('the log or the database does not answer'));
        await clock.check().catch((error: Error) => Promise.reject(new NotReady(error.message)));
        if (isApi && !catalogReady) throw new NotReady(`waiting for ${wait.waitsFor}`);
      },
      database: () => lookups.query('SELECT 1'),
      projections: () => projectionStatus(lookups, log, manifests),
      horizon: () => oldestWriter(lookups),
      state: serviceStateReader({
        pool: lookups,
        log,
        catalog: () => schemaNow(catalogManifest),
        broadcasts: () => schemaNow(broadcastsManifest),
        elapsed: () => performance.now(),
      }),
      now: sources.now,
      dataDir: config.DATA_DIR,
      async threads() {
        const ofThreads = await Promise.all(threads.map((thread) => thread.metrics?.() ?? []));
        return [await metrics.registry.getMetricsAsJSON(), ...ofThreads.flat()];
      },
    },
    api: isApi
      ? {
          access: {
            authenticator,
            ...(operators && { operators }),
            catalogReady: () => catalogReady,
            ratePerKey: config.RATE_LIMIT_PER_KEY,
            failuresPerMinute: config.AUTH_FAILURES_PER_MINUTE,
            noteUse: uses.note,
          },
          routes: [
            ...apiRoutes({
              config,
              pool: lookups,
              counts,
              exports,
              botApi,
              runReport: reports!.run,
              findCellUsers: reports!.findUsers,
              log: paced,
              served,
              sources,
              snapshots,
              directory: createEventTypeDirectory({ log, sources }),
            }),
            ...admin,
          ],
          context: { log, sources },
          corsOrigins: config.CORS_ORIGINS,
          clicks: {
            recorder: clicks,
            findLaunch: createFindLaunch({
              log,
              source: async () => ({ pool: lookups, broadcasts: await served(broadcastsManifest) }),
            }),
          },
          console: {
            authenticator,
            ...(operators && { operators }),
            store: sessionStore(lookups),
            oneTimeKeys: links,
            catalog: catalogSource,
            sources,
          },
        }
      : null,
  });
  await front.serve(app);
  // Recorded last, so that it stops first: requests under way still need the other parts.
  lifecycle.started('HTTP server', () => front.close());
  const { address } = front;
  logger.info({ address, role: config.ROLE, log: config.EVENT_LOG }, 'serving');
  if (!isApi) return address;

  const makeDemo = (): Promise<Demo | null> => notYetIfSlow(() => prepareDemo({ log, sources }, config.DATA_DIR));
  const demo = config.DATABASE_URL === undefined ? await wait.until('the log and its index', makeDemo) : null;
  const catalog = [servedProgress(foundation.pool, catalogManifest)];
  let logEnd: Cursor | null = null;
  await wait.until('the catalog to catch up with the log', () =>
    notYetIfSlow(async () => {
      logEnd ??= await log.endCursor();
      if (!(await waitForReadModels(catalog, logEnd, { timeoutMs: CATALOG_ATTEMPT_MS })))
        throw new NotYetError('the catalog is behind the log');
    }),
  );
  catalogReady = true;
  logger.info('ready');
  if (demo !== null) options.showDemo(demo, address, links);
  return address;
}

/**
 * Runs an attempt on a log and a database that both answered before in this start. If one of them does not answer now,
 * it counts as slow and this throws NotYetError.
 */
async function notYetIfSlow<T>(attempt: () => Promise<T>): Promise<T> {
  try {
    return await notYetIfDatabaseDown(attempt);
  } catch (error) {
    const slow = [LogUnavailableError, OutcomeUnknownError, ConflictError].some((kind) => error instanceof kind);
    throw slow ? new NotYetError('the log does not answer yet', { cause: error }) : error;
  }
}
