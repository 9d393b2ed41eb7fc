import type { FastifyInstance } from 'fastify';
import { collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import { inTime } from '../in-time.ts';
import type { ProjectionStatus } from '../projections/runtime/status.ts';

/** A scrape must tell the rest even while the log or the database hangs. */
const ASK_WITHIN_MS = 1000;

/** Its message is told to anyone. What any other error says may name hosts and ports, so that only the log gets it. */
export class NotReady extends Error {
  override readonly name = 'NotReady';
}

export interface OperationsOptions {
  /** Resolves when this instance can serve; rejects with NotReady, or with what the log or the database failed with. */
  readonly ready: () => Promise<void>;
  readonly projections: () => Promise<readonly ProjectionStatus[]>;
  /** The oldest open write transaction of the database, where the log's readers wait for it. */
  readonly horizon: () => Promise<{ pid: number; seconds: number } | null>;
}

/** What every role serves: GET /health (alive), /ready and /metrics (Prometheus). No key is needed. */
export function serveOperations(app: FastifyInstance, options: OperationsOptions): void {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  measureRequests(app, registry);
  const askProjections = measureProjections(registry, options);

  app.get('/health', { schema: { hide: true } }, () => ({ ok: true }));
  app.get('/ready', { schema: { hide: true } }, async (request, reply) => {
    try {
      await options.ready();
      return { ok: true };
    } catch (error) {
      request.log.info({ reason: error instanceof Error ? error.message : String(error) }, 'not ready');
      const reason = error instanceof NotReady ? error.message : 'log or database does not answer';
      return reply.status(503).header('retry-after', '1').send({ ok: false, error: reason, error_code: 503 });
    }
  });
  app.get('/metrics', { schema: { hide: true } }, async (request, reply) => {
    const asked = inTime(askProjections(), ASK_WITHIN_MS, () => new Error('the log or the database does not answer'));
    await asked.catch((error: unknown) => request.log.warn({ err: error }, 'projections not measured'));
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

/** Gauges that are asked for when they are scraped. The rest must be told even where the database cannot be. */
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
  const open = new Gauge({
    name: 'botledger_log_horizon_seconds',
    help: 'Age of the oldest open write transaction of the database, which holds the readers of the log back',
    labelNames: ['pid'],
    registers: [registry],
  });
  return async () => {
    const rows = await projections();
    for (const gauge of [events, seconds, deferredEvents, stopped]) gauge.reset(); // versions come and go
    for (const { name, version, lag, deferred, state } of rows) {
      const labels = { projection: name, version: String(version) };
      events.set(labels, lag.events);
      seconds.set(labels, lag.seconds);
      deferredEvents.set(labels, deferred?.events ?? 0);
      stopped.set(labels, state === 'stopped' ? 1 : 0);
    }
    open.reset();
    const oldest = await horizon();
    if (oldest !== null) open.set({ pid: String(oldest.pid) }, oldest.seconds);
  };
}
