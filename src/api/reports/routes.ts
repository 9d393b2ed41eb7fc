import type pg from 'pg';
import type { Config } from '../../config.ts';
import type { Sources } from '../../domain/sources.ts';
import type { EventLog } from '../../log/port.ts';
import { catalogReadModel } from '../../projections/catalog/read-model.ts';
import { eventsReadModel } from '../../projections/events/read-model.ts';
import { schemaOf } from '../../projections/read-model.ts';
import { projectionStatus } from '../../projections/runtime/status.ts';
import { usersReadModel } from '../../projections/users/read-model.ts';
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
  readonly sources: Pick<Sources, 'now'>;
}

/** The endpoints of the report builder. */
export function reportRoutes({ config, pool, reportPool, log, sources }: ReportRoutesOptions): AnyRoute[] {
  const tables = { events: schemaOf(eventsReadModel), users: schemaOf(usersReadModel) };
  const reports = { pool: reportPool, tables, sources, timeoutMs: config.REPORT_TIMEOUT_MS, lagMs };
  return [
    resources({ pool, schema: schemaOf(catalogReadModel) }),
    events({ pool, events: tables.events }),
    eventFieldList(),
    preview(reports, concurrencyLimit(config.REPORT_CONCURRENCY)),
  ];

  /** How far the slower of the read models that reports read is behind. */
  async function lagMs(): Promise<number> {
    const status = [eventsReadModel, usersReadModel].map((model) => projectionStatus(pool, log, model));
    return Math.round(Math.max(...(await Promise.all(status)).map(({ lag }) => lag.seconds)) * 1000);
  }
}
