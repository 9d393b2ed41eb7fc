import type { FastifyBaseLogger, FastifyInstance } from 'fastify';
import { AggregatorRegistry, collectDefaultMetrics, Registry } from 'prom-client';
import { inTime } from '../util/in-time.ts';
import { pause } from '../util/pause.ts';
import { sharedCall } from '../util/shared-call.ts';
import { type MeasuredState, measureDatabase, measureDisk, measureRequests, measureState } from './state-metrics.ts';

/** How often the delay of the event loop is measured. The default of 10 ms costs an idle service more than all else. */
const LOOP_LOOK_MS = 50;

/** Between two scrapes. Anybody may ask: concurrent requests share a scrape. */
const SCRAPE_GAP_MS = 250;
/** Limit for the log and the database, so that a scrape shows the other metrics even while one of them hangs. */
const ASK_WITHIN_MS = 1000;

/** An error whose message any client may see. Other errors may name hosts and ports, so their messages are only logged. */
export class NotReady extends Error {
  override readonly name = 'NotReady';
}

export interface OperationsOptions extends MeasuredState {
  /** Resolves when this instance can serve; rejects with NotReady, or with the error of the log or the database. */
  readonly ready: () => Promise<void>;
  /** Rejects while the database does not answer. */
  readonly database: () => Promise<unknown>;
  /** DATA_DIR. Its disk is shown if the folder exists. */
  readonly dataDir: string | null;
  /** The metrics of each thread, as `getMetricsAsJSON` of prom-client gives them. Equal ones are added up. */
  readonly threads: () => Promise<readonly object[][]>;
}

/** Serves what every role has: GET /health (alive), /ready and /metrics (Prometheus). No key is needed. */
export function serveOperations(app: FastifyInstance, options: OperationsOptions): void {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry, eventLoopMonitoringPrecision: LOOP_LOOK_MS });
  measureRequests(app, registry);
  measureDisk(registry, options.dataDir);
  const askState = measureState(registry, options);
  const askDatabase = measureDatabase(registry, options.database, ASK_WITHIN_MS);
  let measured = false;
  const measure = async (log: FastifyBaseLogger): Promise<void> => {
    const asked = inTime(askState(), ASK_WITHIN_MS, () => new Error('the log or the database does not answer'));
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
  const metrics = sharedCall(
    async () => {
      const [threads] = await Promise.all([options.threads(), measure(app.log)]);
      const texts = [registry, AggregatorRegistry.aggregate([...threads])].map((each) => each.metrics());
      return (await Promise.all(texts)).join('\n');
    },
    SCRAPE_GAP_MS,
    pause,
  );
  app.get('/metrics', { schema: { hide: true } }, async (_request, reply) =>
    reply.type(registry.contentType).send(await metrics()),
  );
}
