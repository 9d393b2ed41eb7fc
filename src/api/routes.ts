import type pg from 'pg';
import type { EventTypeDirectory } from '../commands/event-type-directory.ts';
import { receiveCustomEvents } from '../commands/receive-custom-events.ts';
import { receiveTargetEvents } from '../commands/receive-target-events.ts';
import { receiveUpdates } from '../commands/receive-updates.ts';
import type { Config } from '../config.ts';
import type { Sources } from '../domain/sources.ts';
import type { EventLog } from '../log/port.ts';
import { eventsReadModel } from '../projections/events/read-model.ts';
import type { ServedSchema } from '../served-schema.ts';
import { listBotErrors } from './intake/bot-errors.ts';
import { sendEvent } from './intake/send-event.ts';
import { sendTarget } from './intake/send-target.ts';
import { sendUpdate } from './intake/send-update.ts';
import { webhook } from './intake/webhook.ts';
import { reportRoutes } from './reports/routes.ts';
import type { AnyRoute } from './route.ts';

export interface ApiDependencies {
  readonly config: Pick<Config, 'REPORT_TIMEOUT_MS' | 'REPORT_CONCURRENCY'>;
  readonly pool: pg.Pool;
  /** Connections whose statements may take as long as a report does. */
  readonly reportPool: pg.Pool;
  readonly log: EventLog;
  readonly served: ServedSchema;
  readonly sources: Sources;
  readonly directory: EventTypeDirectory;
}

/** Every endpoint of the API. */
export function apiRoutes(dependencies: ApiDependencies): AnyRoute[] {
  const { pool, log, served, sources, directory } = dependencies;
  const updates = receiveUpdates({ log, sources });
  return [
    sendTarget(receiveTargetEvents({ log, sources, directory }), sources.now),
    sendEvent(receiveCustomEvents({ log, sources, directory }), sources.now),
    ...sendUpdate(updates, sources.now),
    webhook(updates),
    listBotErrors(async () => ({ pool, events: await served(eventsReadModel) }), sources.now),
    ...reportRoutes(dependencies),
  ];
}
