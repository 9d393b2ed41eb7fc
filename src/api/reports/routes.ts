import type pg from 'pg';
import type { Config } from '../../config.ts';
import type { Sources } from '../../domain/sources.ts';
import type { EventLog } from '../../log/port.ts';
import { catalogReadModel } from '../../projections/catalog/read-model.ts';
import { eventsReadModel } from '../../projections/events/read-model.ts';
import { referralReadModel } from '../../projections/referral/read-model.ts';
import { reportsReadModel } from '../../projections/saved-reports/read-model.ts';
import type { ServedSchema } from '../../projections/served-schema.ts';
import { usersReadModel } from '../../projections/users/read-model.ts';
import type { RunReport } from '../../queries/reports/run-report.ts';
import { dataAsOf } from '../data-as-of.ts';
import { readModelLagMs } from '../read-model-lag.ts';
import type { AnyRoute } from '../route.ts';
import { createChangeWait } from '../wait-for-change.ts';
import { answerReport, concurrencyLimit } from './answer-report.ts';
import { eventFieldList, events, resources, utmLabelList } from './lists.ts';
import { newUsers } from './new-users.ts';
import { preview, run } from './run.ts';
import { getReport, listReports, pin, removeReport, save } from './saved.ts';

interface ReportRoutesOptions {
  readonly config: Pick<Config, 'REPORT_TIMEOUT_MS' | 'REPORT_CONCURRENCY'>;
  readonly pool: pg.Pool;
  readonly runReport: RunReport;
  readonly log: EventLog;
  readonly served: ServedSchema;
  readonly sources: Sources;
}

/** The endpoints of the report builder. */
export function reportRoutes({ config, pool, runReport, log, served, sources }: ReportRoutesOptions): AnyRoute[] {
  const catalog = async () => ({ pool, schema: await served(catalogReadModel) });
  const saved = { catalog, log, reports: async () => ({ pool, reports: await served(reportsReadModel) }) };
  const eventTables = async () => ({ pool, events: await served(eventsReadModel) });
  const answer = answerReport(async (asked, keyId) => {
    const models = [eventsReadModel, usersReadModel, referralReadModel] as const;
    const [events, users, referral] = await Promise.all(models.map(served));
    const tables = { events: events!, users: users!, referral: referral! };
    const timeoutMs = config.REPORT_TIMEOUT_MS;
    const lag = await readModelLagMs(log, pool, Object.values(tables));
    return runReport({ ...asked, tables, now: sources.now(), lagMs: lag, timeoutMs }, keyId);
  }, concurrencyLimit(config.REPORT_CONCURRENCY));
  const waitForChange = createChangeWait(pool, reportsReadModel);
  return [
    resources(catalog),
    events(eventTables),
    eventFieldList(),
    utmLabelList(eventTables),
    preview(answer),
    run(answer, saved),
    save({ log, sources }, waitForChange),
    listReports(saved),
    getReport(saved),
    removeReport({ log, sources }, saved, waitForChange),
    pin({ log, sources }, saved, waitForChange),
    newUsers(async () => ({ pool, users: await served(usersReadModel) }), dataAsOf(pool, log, sources)),
  ];
}
