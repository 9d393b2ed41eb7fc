import type pg from 'pg';
import type { EventTypeDirectory } from '../commands/intake/event-type-directory.ts';
import {
  findUnknownTargets,
  receiveCustomEvents,
  receiveTargetEvents,
  receiveUpdates,
} from '../commands/intake/receive.ts';
import type { Config } from '../config.ts';
import type { Sources } from '../domain/sources.ts';
import type { EventLog } from '../log/port.ts';
import type { BotApi } from '../platform/bot-api.ts';
import type { Reader } from '../projections/reader.ts';
import type { FindCellUsers, RunReport } from '../queries/reports/run-report.ts';
import { broadcastRoutes } from './broadcast/routes.ts';
import { dataAsOf } from './data-as-of.ts';
import { exportSlots } from './export/export-slots.ts';
import { exportRoutes } from './export/routes.ts';
import { reportUnknownUsers } from './intake/report-unknown-users.ts';
import { sendEvent } from './intake/send-event.ts';
import { sendTarget } from './intake/send-target.ts';
import { sendUpdate, webhook } from './intake/send-update.ts';
import { listBotErrors } from './intake/serve-bot-errors.ts';
import { latestEvents } from './intake/serve-latest-events.ts';
import type { ProofSource } from './proof/prove-for-caller.ts';
import { receiptSigner } from './proof/sign-receipt.ts';
import { referralRoutes } from './referral/routes.ts';
import type { NoteAsked } from './reports/note-asked.ts';
import { reportsOfBots } from './reports/reports-of-bots.ts';
import { reportRoutes } from './reports/routes.ts';
import type { AnyRoute } from './route.ts';
import { savedSegmentRoutes } from './saved-segments/routes.ts';
import { settingsRoutes } from './settings/routes.ts';
import { userRoutes } from './users/routes.ts';

export interface ApiDependencies {
  readonly config: Pick<
    Config,
    | 'REPORT_TIMEOUT_MS'
    | 'REPORT_CONCURRENCY'
    | 'EXPORT_CONCURRENCY'
    | 'MAX_WAIT_MS'
    | 'WEBHOOK_ALLOWED_NETWORKS'
    | 'PUBLIC_URL'
    | 'CHECKPOINT_SECONDS'
  >;
  /** Connections only for counts of audiences. */
  readonly counts: pg.Pool;
  /** Connections only for exports. */
  readonly exports: pg.Pool;
  readonly botApi: BotApi;
  readonly runReport: RunReport;
  readonly findCellUsers: FindCellUsers;
  readonly noteAsked: NoteAsked;
  readonly log: EventLog;
  /** By connections for look-ups. */
  readonly db: Reader;
  readonly sources: Sources;
  readonly directory: EventTypeDirectory;
  readonly proofs: ProofSource;
}

/** Every endpoint of the API. */
export function apiRoutes(dependencies: ApiDependencies): AnyRoute[] {
  const { log, db, sources, directory } = dependencies;
  const asOf = dataAsOf(db.pool, log, sources);
  const updates = receiveUpdates({ log, sources });
  const unknown = reportUnknownUsers({
    log,
    db,
    asOf,
    maxWaitMs: dependencies.config.MAX_WAIT_MS,
  });
  const reports = reportsOfBots(dependencies);
  const slots = exportSlots(dependencies.config.EXPORT_CONCURRENCY);
  const sign = receiptSigner(dependencies.proofs, dependencies.config, sources.now);
  return [
    sendTarget(
      receiveTargetEvents({ log, sources, directory }),
      findUnknownTargets(directory),
      unknown,
      sources.now,
      sign,
    ),
    sendEvent(receiveCustomEvents({ log, sources, directory }), unknown, sources.now, sign),
    ...sendUpdate(updates, sources.now, sign),
    webhook(updates),
    listBotErrors(db, sources.now),
    latestEvents(db, asOf),
    ...reportRoutes(dependencies, reports),
    ...userRoutes(dependencies),
    ...broadcastRoutes(dependencies, reports),
    ...savedSegmentRoutes(dependencies),
    ...referralRoutes({ ...dependencies, slots }),
    ...exportRoutes({ ...dependencies, slots }),
    ...settingsRoutes(dependencies),
  ];
}
