import type { Sources } from '../../domain/sources.ts';
import type { EventLog } from '../../log/port.ts';
import type { Reader } from '../../projections/reader.ts';
import { dataAsOf } from '../data-as-of.ts';
import type { AnyRoute } from '../route.ts';
import { createChangeWait } from '../wait-for-change.ts';
import { eventFieldList, eventPropertyList, events, resources, userFieldList, utmLabelList } from './lists.ts';
import { findNamedSegments } from './named-saved-segments.ts';
import type { ReportsOfBots } from './reports-of-bots.ts';
import { preview, run } from './run.ts';
import { getReport, listReports, pin, removeReport, save } from './saved.ts';
import { newUsers } from './serve-new-users.ts';
import { usersBehind } from './users.ts';

interface ReportRoutesOptions {
  readonly log: EventLog;
  readonly db: Reader;
  readonly sources: Sources;
}

/** The endpoints of the report builder. */
export function reportRoutes(
  { log, db, sources }: ReportRoutesOptions,
  { answer, findUsers }: ReportsOfBots,
): AnyRoute[] {
  const saved = { db, log };
  const waitForChange = createChangeWait(db.pool, 'reports');
  return [
    resources(db),
    events(db),
    eventFieldList(),
    eventPropertyList(db),
    userFieldList(db),
    utmLabelList(db),
    preview(answer),
    run(answer, saved),
    usersBehind(findUsers, saved),
    save({ log, sources }, findNamedSegments(saved), waitForChange),
    listReports(saved),
    getReport(saved),
    removeReport({ log, sources }, saved, waitForChange),
    pin({ log, sources }, saved, waitForChange),
    newUsers(db, dataAsOf(db.pool, log, sources)),
  ];
}
