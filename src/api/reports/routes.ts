import type pg from 'pg';
import type { Config } from '../../config.ts';
import type { Sources } from '../../domain/sources.ts';
import type { EventLog } from '../../log/port.ts';
import { catalogReadModel } from '../../projections/catalog/read-model.ts';
import { eventsReadModel } from '../../projections/events/read-model.ts';
import { reportsReadModel } from '../../projections/reports/read-model.ts';
import { loadCheckpoint } from '../../projections/runtime/checkpoint.ts';
import { usersReadModel } from '../../projections/users/read-model.ts';
import type { ServedSchema } from '../../served-schema.ts';
import type { AnyRoute } from '../route.ts';
import { answerReport } from './answer-report.ts';
import { concurrencyLimit } from './concurrency-limit.ts';
import { eventFieldList, events, resources, utmLabelList } from './lists.ts';
import { preview } from './preview.ts';
import { run } from './run.ts';
import { save } from './save.ts';
import { getReport, listReports, removeReport } from './saved.ts';
import { settleReports } from './settle.ts';

export interface ReportRoutesOptions {
  readonly config: Pick<Config, 'REPORT_TIMEOUT_MS' | 'REPORT_CONCURRENCY'>;
  readonly pool: pg.Pool;
  /** As in `ApiDependencies`. */
  readonly reportPool: pg.Pool;
  readonly log: EventLog;
  readonly served: ServedSchema;
  readonly sources: Sources;
}

/** The endpoints of the report builder. */
export function reportRoutes({ config, pool, reportPool, log, served, sources }: ReportRoutesOptions): AnyRoute[] {
  const catalog = async () => ({ pool, schema: await served(catalogReadModel) });
  const saved = { catalog, reports: async () => ({ pool, reports: await served(reportsReadModel) }) };
  const eventTables = async () => ({ pool, events: await served(eventsReadModel) });
  const answer = answerReport(async () => {
    const tables = { events: await served(eventsReadModel), users: await served(usersReadModel) };
    const timeoutMs = config.REPORT_TIMEOUT_MS;
    return { pool: reportPool, tables, sources, timeoutMs, lagMs: () => lagMs(Object.values(tables)) };
  }, concurrencyLimit(config.REPORT_CONCURRENCY));
  const settle = settleReports(pool);
  return [
    resources(catalog),
    events(eventTables),
    eventFieldList(),
    utmLabelList(eventTables),
    preview(answer),
    run(answer, saved),
    save({ log, sources }, settle),
    listReports(saved),
    getReport(saved),
    removeReport({ log, sources }, saved, settle),
  ];

  /** How far the slowest of the schemas is behind. */
  async function lagMs(schemas: readonly string[]): Promise<number> {
    const lags = await Promise.all(schemas.map(async (schema) => log.lag(await loadCheckpoint(pool, schema))));
    return Math.round(Math.max(...lags.map(({ seconds }) => seconds)) * 1000);
  }
}
