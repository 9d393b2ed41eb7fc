import type pg from 'pg';
import type { Logger } from 'pino';
import { serviceStateReader } from '../administration/service-state.ts';
import { buildApp } from '../api/app.ts';
import { createClickRecorder } from '../api/clicks/recorder.ts';
import { type OneTimeKeys, oneTimeKeys } from '../api/console/one-time-keys.ts';
import { openFront } from '../api/front.ts';
import { keyUses } from '../api/key-uses.ts';
import { NotReady, type OperationsOptions } from '../api/operations.ts';
import { askedNotes } from '../api/reports/note-asked.ts';
import type { Config } from '../config.ts';
import { oldestWriter } from '../database/oldest-writer.ts';
import { ConflictError, type Cursor, type EventLog, LogUnavailableError, OutcomeUnknownError } from '../log/port.ts';
import { broadcastsManifest } from '../projections/broadcasts/manifest.ts';
import { catalogManifest } from '../projections/catalog/manifest.ts';
import type { Manifest, ReadModel } from '../projections/read-model.ts';
import { MANIFESTS } from '../projections/registry.ts';
import { servedVersion } from '../projections/runtime/served-version.ts';
import { projectionStatus } from '../projections/runtime/status.ts';
import { servedProgress, waitForReadModels } from '../projections/runtime/wait-for-read-models.ts';
import { inTime } from '../util/in-time.ts';
import type { Lifecycle } from '../util/stop-in-order.ts';
import { systemSources } from '../util/system-sources.ts';
import { type Foundation, type FoundationOptions, openFoundation, type Worker } from './compose.ts';
import { type Demo, prepareDemo } from './demo.ts';
import { clickMetrics } from './metrics/click-metrics.ts';
import { clockMetric } from './metrics/clock-metric.ts';
import { threadMetrics } from './metrics/thread-metrics.ts';
import type { ReportThreads } from './report-threads.ts';
import { openRequestPools } from './request-pools.ts';
import { serviceApi, testSendBotApi } from './service-api.ts';
import { notYetIfDatabaseDown } from './start-failures.ts';
import { createStartWait, NotYetError, type StartWait } from './start-wait.ts';

/** For `/ready`, log and database must answer within this time. */
const READY_WITHIN_MS = 1000;
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
  const { config, logger, lifecycle, signal } = options;
  const manifests = options.readModels ?? MANIFESTS;
  const wait = createStartWait(logger, signal);
  const front = await openFront({ logger, host: config.HOST, port: config.PORT, waitsFor: () => wait.waitsFor });
  lifecycle.started('listening', () => front.close());
  const metrics = threadMetrics('main');
  const foundation = await openFoundation(config, 'service', logger, lifecycle, { ...options, wait, metrics });
  const { log, clock } = foundation;
  clockMetric(metrics.registry, clock.aheadMs);
  const threads = await startWorkers(options, foundation);
  const isApi = config.ROLE === 'all' || config.ROLE === 'api';
  const pools = openRequestPools(foundation.connectionString, config, logger, lifecycle);
  const { lookups } = pools;
  const botApi = testSendBotApi(config);
  lifecycle.started('calls of test sends', () => botApi.close());
  const reports = isApi ? options.startReports(foundation) : null;
  if (reports !== null) {
    lifecycle.started('reports', () => reports.stop());
    threads.push(reports);
  }
  let catalogReady = false;
  const links = oneTimeKeys(systemSources);
  const uses = keyUses(lookups, logger, systemSources.now);
  lifecycle.started('last uses of keys', () => uses.written());
  const asked = askedNotes(lookups, logger, systemSources.now);
  lifecycle.started('asked reports', () => asked.written());
  const count = clickMetrics(metrics.registry);
  const clicks = createClickRecorder({ context: { log, sources: systemSources }, logger, count });
  lifecycle.started('clicks', () => clicks.close());
  const known = { config, logger, foundation, manifests, pools, botApi, clicks, uses, asked, links };
  const parts = { ...known, catalogReady: () => catalogReady };
  const app = await buildApp({
    logger,
    trustProxy: config.TRUST_PROXY,
    operations: {
      ...stateOf(config, log, lookups, manifests),
      async ready() {
        const answered = Promise.all([log.ping(), lookups.query('SELECT 1')]);
        await inTime(answered, READY_WITHIN_MS, () => new Error('the log or the database does not answer'));
        await clock.check().catch((error: Error) => Promise.reject(new NotReady(error.message)));
        if (isApi && !catalogReady) throw new NotReady(`waiting for ${wait.waitsFor}`);
      },
      dataDir: config.DATA_DIR,
      async threads() {
        const ofThreads = await Promise.all(threads.map((thread) => thread.metrics?.() ?? []));
        return [await metrics.registry.getMetricsAsJSON(), ...ofThreads.flat()];
      },
    },
    api: reports === null ? null : serviceApi({ ...parts, reports }),
  });
  await front.serve(app);
  // Recorded last, so that it stops first: requests under way still need the other parts.
  lifecycle.started('HTTP server', () => front.close());
  const { address } = front;
  logger.info({ address, role: config.ROLE, log: config.EVENT_LOG }, 'serving');
  if (!isApi) return address;

  const makeDemo = (): Promise<Demo | null> =>
    notYetIfSlow(() => prepareDemo({ log, sources: systemSources }, config.DATA_DIR));
  const demo = config.DATABASE_URL === undefined ? await wait.until('the log and its index', makeDemo) : null;
  await catalogCaughtUp(foundation, wait);
  catalogReady = true;
  logger.info('ready');
  if (demo !== null) options.showDemo(demo, address, links);
  return address;
}

/** Starts projectors and processes, if the role includes them. @returns the threads whose metrics the service shows */
async function startWorkers(
  { config, lifecycle, startProjectors, startProcesses }: ServiceOptions,
  foundation: Foundation,
): Promise<Pick<Worker, 'metrics'>[]> {
  const threads: Pick<Worker, 'metrics'>[] = [];
  if (config.ROLE === 'all' || config.ROLE === 'projector') {
    const projectors = await startProjectors(foundation);
    threads.push(projectors);
    lifecycle.started('projectors', () => projectors.stop());
  }
  if (config.ROLE === 'all' || config.ROLE === 'process') {
    const processes = await startProcesses(foundation);
    threads.push(processes);
    lifecycle.started('processes', () => processes.stop());
  }
  return threads;
}

/** The state of the database and of the read models, for operators. */
function stateOf(
  { PROOF, WITNESS_POLICY }: Config,
  log: EventLog,
  lookups: pg.Pool,
  manifests: readonly Manifest[],
): Omit<OperationsOptions, 'ready' | 'threads' | 'dataDir'> {
  /** Null while its first version is built. */
  const schemaNow = async (model: Manifest): Promise<string | null> => {
    return (await servedVersion(lookups, model))?.schema ?? null;
  };
  return {
    database: () => lookups.query('SELECT 1'),
    projections: () => projectionStatus(lookups, log, manifests),
    horizon: () => oldestWriter(lookups),
    state: serviceStateReader({
      pool: lookups,
      log,
      catalog: () => schemaNow(catalogManifest),
      broadcasts: () => schemaNow(broadcastsManifest),
      hasWitnesses: PROOF === 'on' && WITNESS_POLICY !== undefined,
      elapsed: () => performance.now(),
    }),
    now: systemSources.now,
  };
}

/** Waits until the catalog has caught up with the log end that this start sees. */
async function catalogCaughtUp({ log, pool }: Foundation, wait: StartWait): Promise<void> {
  const catalog = [servedProgress(pool, catalogManifest)];
  let logEnd: Cursor | null = null;
  await wait.until('the catalog to catch up with the log', () =>
    notYetIfSlow(async () => {
      logEnd ??= await log.endCursor();
      if (!(await waitForReadModels(catalog, logEnd, { timeoutMs: CATALOG_ATTEMPT_MS })))
        throw new NotYetError('the catalog is behind the log');
    }),
  );
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
