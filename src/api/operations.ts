import type { FastifyBaseLogger, FastifyInstance } from 'fastify';
import { collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import type { ProjectionStatus } from '../projections/runtime/status.ts';
import { inTime } from '../util/in-time.ts';

/** How often the delay of the event loop is measured. The default of 10 ms costs an idle service more than all else. */
const LOOP_LOOK_MS = 50;

/** Limit for the log and the database, so that a scrape shows the other metrics even while one of them hangs. */
const ASK_WITHIN_MS = 1000;

/** An error whose message any client may see. Other errors may name hosts and ports, so their messages are only logged. */
export class NotReady extends Error {
  override readonly name = 'NotReady';
}

export interface OperationsOptions {
  /** Resolves when this instance can serve; rejects with NotReady, or with the error of the log or the database. */
  readonly ready: () => Promise<void>;
  /** Rejects while the database does not answer. */
  readonly database: () => Promise<unknown>;
  readonly projections: () => Promise<readonly ProjectionStatus[]>;
  /** The oldest open write transaction of the database, if the log's readers wait for it; else null. */
  readonly horizon: () => Promise<{ pid: number; seconds: number } | null>;
}

/** Serves what every role has: GET /health (alive), /ready and /metrics (Prometheus). No key is needed. */
export function serveOperations(app: FastifyInstance, options: OperationsOptions): void {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry, eventLoopMonitoringPrecision: LOOP_LOOK_MS });
  measureRequests(app, registry);
  const askProjections = measureProjections(registry, options);
  const askDatabase = measureDatabase(registry, options);
  let measured = false;
  const measure = async (log: FastifyBaseLogger): Promise<void> => {
    const asked = inTime(askProjections(), ASK_WITHIN_MS, () => new Error('the log or the database does not answer'));
    await Promise.all([
      askDatabase(),
      asked.then(
        () => {
          measured = true;
        },
        (error: unknown) => log.warn({ err: error }, 'failed to measure projections'),
      ),
    ]);
  };

  app.get('/health', { schema: { hide: true } }, () => ({ ok: true }));
  app.get('/ready', { schema: { hide: true } }, async (request, reply) => {
    try {
      await options.ready();
      // Measures once now, so that an outage before the first scrape still leaves values to show.
      if (!measured) await measure(request.log);
      return { ok: true };
    } catch (error) {
      request.log.info({ reason: error instanceof Error ? error.message : String(error) }, 'not ready');
      const reason = error instanceof NotReady ? error.message : 'log or database does not answer';
      return reply.status(503).header('retry-after', '1').send({ ok: false, error: reason, error_code: 503 });
    }
  });
  app.get('/metrics', { schema: { hide: true } }, async (request, reply) => {
    await measure(request.log);
    return reply.type(registry.contentType).send(await registry.metrics());
  });
}

function measureRequests(app: FastifyInstance, registry: Registry): void {
  const duration = new Histogram({
    name: 'botledger_http_request_seconds',
    help: 'Time to answer a request',
    labelNames: ['method', 'route', 'status'] as const,
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5],
    registers: [registry],
  });
  app.addHook('onResponse', (request, reply, done) => {
    const labels = {
      method: request.method,
      route: request.routeOptions.url ?? 'none',
      status: String(reply.statusCode),
    };
    duration.observe(labels, reply.elapsedTime / 1000);
    done();
  });
}

/** Whether the database answers now. */
function measureDatabase(registry: Registry, { database }: OperationsOptions): () => Promise<void> {
  const up = new Gauge({
    name: 'botledger_database_up',
    help: '1 where the database answered within a second when this was scraped, else 0',
    registers: [registry],
  });
  return async () => {
    const answer = inTime(database(), ASK_WITHIN_MS, () => new Error('the database does not answer'));
    up.set(
      await answer.then(
        () => 1,
        () => 0,
      ),
    );
  };
}

/** Gauges that are read at each scrape. While a read fails, the last values stay, and their age grows. */
function measureProjections(registry: Registry, { projections, horizon }: OperationsOptions): () => Promise<void> {
  const perProjection = (name: string, help: string): Gauge<'projection' | 'version'> =>
    new Gauge({
      name: `botledger_projection_${name}`,
      help,
      labelNames: ['projection', 'version'],
      registers: [registry],
    });
  const events = perProjection('lag_events', 'Commits of the log not read yet (an upper bound)');
  const seconds = perProjection(
    'lag_seconds',
    'Age of the oldest commit not read yet, or of the oldest deferred change',
  );
  const deferredEvents = perProjection(
    'deferred_events',
    'Events that were read and whose rows are still to follow, as after a change of rates (a lower bound)',
  );
  const stopped = perProjection(
    'stopped',
    '1 where the projection has stopped at a bad event, or a process has failed',
  );
  let readAt: number | null = null;
  new Gauge({
    name: 'botledger_projection_age_seconds',
    help: 'Time since the values of botledger_projection_* and botledger_log_horizon_seconds were read; they cannot be while the log or the database is down',
    registers: [registry],
    collect() {
      this.set(readAt === null ? Number.NaN : (performance.now() - readAt) / 1000);
    },
  });
  const open = new Gauge({
    name: 'botledger_log_horizon_seconds',
    help: 'Age of the oldest open write transaction of the database, which holds the readers of the log back',
    labelNames: ['pid'],
    registers: [registry],
  });
  return async () => {
    const asked = performance.now();
    const [rows, oldest] = await Promise.all([projections(), horizon()]);
    readAt = asked;
    for (const gauge of [events, seconds, deferredEvents, stopped]) gauge.reset(); // versions come and go
    for (const { name, version, lag, deferred, state } of rows) {
      const labels = { projection: name, version: String(version) };
      events.set(labels, lag.events);
      seconds.set(labels, lag.seconds);
      deferredEvents.set(labels, deferred?.events ?? 0);
      stopped.set(labels, state === 'stopped' ? 1 : 0);
    }
    open.reset();
    if (oldest !== null) open.set({ pid: String(oldest.pid) }, oldest.seconds);
  };
}
