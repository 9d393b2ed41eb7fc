import type pg from 'pg';
import type { Config } from '../../config.ts';
import type { Sources } from '../../domain/sources.ts';
import type { EventLog } from '../../log/port.ts';
import { catalogReadModel } from '../../projections/catalog/read-model.ts';
import { eventsReadModel } from '../../projections/events/read-model.ts';
import { loadCheckpoint } from '../../projections/runtime/checkpoint.ts';
import { usersReadModel } from '../../projections/users/read-model.ts';
import type { ServedSchema } from '../../served-schema.ts';
import type { AnyRoute } from '../route.ts';
import { concurrencyLimit } from './concurrency-limit.ts';
import { eventFieldList, events, resources } from './lists.ts';
import { preview } from './preview.ts';

export interface ReportRoutesOptions {
  readonly config: Pick<Config, 'REPORT_TIMEOUT_MS' | 'REPORT_CONCURRENCY'>;
  readonly pool: pg.Pool;
  /** As in `ApiDependencies`. */
  readonly reportPool: pg.Pool;
  readonly log: EventLog;
  readonly served: ServedSchema;
  readonly sources: Pick<Sources, 'now'>;
}

/** The endpoints of the report builder. */
export function reportRoutes({ config, pool, reportPool, log, served, sources }: ReportRoutesOptions): AnyRoute[] {
  const timeoutMs = config.REPORT_TIMEOUT_MS;
  return [
    resources(async () => ({ pool, schema: await served(catalogReadModel) })),
    events(async () => ({ pool, events: await served(eventsReadModel) })),
    eventFieldList(),
    preview(async () => {
      const tables = { events: await served(eventsReadModel), users: await served(usersReadModel) };
      return { pool: reportPool, tables, sources, timeoutMs, lagMs: () => lagMs(Object.values(tables)) };
    }, concurrencyLimit(config.REPORT_CONCURRENCY)),
  ];

  /** How far the slowest of the schemas is behind. */
  async function lagMs(schemas: readonly string[]): Promise<number> {
    const lags = await Promise.all(schemas.map(async (schema) => log.lag(await loadCheckpoint(pool, schema))));
    return Math.round(Math.max(...lags.map(({ seconds }) => seconds)) * 1000);
  }
}
