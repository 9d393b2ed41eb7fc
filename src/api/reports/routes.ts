import type pg from 'pg';
import type { Sources } from '../../domain/sources.ts';
import type { EventLog } from '../../log/port.ts';
import { catalogManifest } from '../../projections/catalog/manifest.ts';
import { eventsManifest } from '../../projections/events/manifest.ts';
import { reportsManifest } from '../../projections/saved-reports/manifest.ts';
import type { ServedSchema } from '../../projections/served-schema.ts';
import { usersManifest } from '../../projections/users/manifest.ts';
import { dataAsOf } from '../data-as-of.ts';
import type { AnyRoute } from '../route.ts';
import { savedSegmentSources } from '../saved-segments/find-saved-segments.ts';
import { createChangeWait } from '../wait-for-change.ts';
import { eventFieldList, eventPropertyList, events, resources, userFieldList, utmLabelList } from './lists.ts';
import { findNamedSegments } from './named-saved-segments.ts';
import { newUsers } from './new-users.ts';
import type { ReportsOfBots } from './reports-of-bots.ts';
import { preview, run } from './run.ts';
import { getReport, listReports, pin, removeReport, save } from './saved.ts';
import { usersBehind } from './users.ts';

interface ReportRoutesOptions {
  readonly pool: pg.Pool;
  readonly log: EventLog;
  readonly served: ServedSchema;
  readonly sources: Sources;
}

/** The endpoints of the report builder. */
export function reportRoutes(
  { pool, log, served, sources }: ReportRoutesOptions,
  { answer, findUsers }: ReportsOfBots,
): AnyRoute[] {
  const catalog = async () => ({ pool, schema: await served(catalogManifest) });
  const saved = { catalog, log, reports: async () => ({ pool, reports: await served(reportsManifest) }) };
  const eventTables = async () => ({ pool, events: await served(eventsManifest) });
  const userTable = async () => ({ pool, users: await served(usersManifest) });
  const segments = savedSegmentSources({ pool, log, served });
  const waitForChange = createChangeWait(pool, reportsManifest);
  return [
    resources(catalog),
    events(eventTables),
    eventFieldList(),
    eventPropertyList(eventTables),
    userFieldList(userTable, segments.savedSegments),
    utmLabelList(eventTables),
    preview(answer),
    run(answer, saved),
    usersBehind(findUsers, saved, userTable),
    save({ log, sources }, findNamedSegments(segments), waitForChange),
    listReports(saved),
    getReport(saved),
    removeReport({ log, sources }, saved, waitForChange),
    pin({ log, sources }, saved, waitForChange),
    newUsers(userTable, dataAsOf(pool, log, sources)),
  ];
}
