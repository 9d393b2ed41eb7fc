import type pg from 'pg';
import type { Logger } from 'pino';
import type { Config } from '../config.ts';
import { createPool, type PoolOptions } from '../database/pool.ts';
import type { Lifecycle } from '../util/stop-in-order.ts';

/** Connections for the short queries of requests. Reports have separate connections. */
const LOOKUP_CONNECTIONS = 8;
/** Counts of audiences at once (decisions.md#audience-size). */
const COUNT_CONNECTIONS = 2;
/** How long a page of an export may take: the first one may need a sort of all rows. */
const EXPORT_ANSWER_MS = 10 * 60_000;

/** The connections of requests: a pool for each kind, so that one kind of request does not wait behind another. */
export interface RequestPools {
  readonly lookups: pg.Pool;
  readonly counts: pg.Pool;
  readonly exports: pg.Pool;
}

export function openRequestPools(
  connectionString: string,
  config: Pick<Config, 'MAX_WAIT_MS' | 'EXPORT_CONCURRENCY'>,
  logger: Logger,
  lifecycle: Lifecycle,
): RequestPools {
  const maxWaitMs = config.MAX_WAIT_MS;
  const open = (what: string, options: Pick<PoolOptions, 'name' | 'max' | 'answerWithinMs'>): pg.Pool => {
    const pool = createPool({
      connectionString,
      maxWaitMs,
      onError: (error) => logger.warn({ err: error }, 'a database connection was lost'),
      ...options,
    });
    lifecycle.started(`database connections of ${what}`, () => pool.end());
    return pool;
  };
  return {
    lookups: open('requests', { name: 'lookups', max: LOOKUP_CONNECTIONS, answerWithinMs: maxWaitMs }),
    counts: open('audience counts', { name: 'audience counts', max: COUNT_CONNECTIONS }),
    exports: open('exports', { name: 'exports', max: config.EXPORT_CONCURRENCY, answerWithinMs: EXPORT_ANSWER_MS }),
  };
}
