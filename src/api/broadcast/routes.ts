import type pg from 'pg';
import { createIdPool } from '../../commands/reserve-ids.ts';
import type { Config } from '../../config.ts';
import type { Sources } from '../../domain/sources.ts';
import type { EventLog } from '../../log/port.ts';
import type { BotApi } from '../../platform/bot-api.ts';
import type { Reader } from '../../projections/reader.ts';
import { dataAsOf } from '../data-as-of.ts';
import type { ReportsOfBots } from '../reports/reports-of-bots.ts';
import type { AnyRoute } from '../route.ts';
import { createChangeWait } from '../wait-for-change.ts';
import { activate, cancel, save } from './edit.ts';
import { get, list, recipients } from './read.ts';
import { segmentFromReport } from './segment-from-report.ts';
import { archive, remove } from './serve-archive.ts';
import { audienceSize } from './serve-audience-size.ts';
import { conversions } from './serve-conversions.ts';
import { create } from './serve-create.ts';
import { fields } from './serve-fields.ts';
import { preview } from './serve-preview.ts';
import { statistics } from './serve-statistics.ts';
import { uploadSegment } from './serve-upload-segment.ts';
import { testSend } from './test-send.ts';

export interface BroadcastRoutesOptions {
  /** Connections only for counts of audiences. */
  readonly counts: pg.Pool;
  readonly botApi: BotApi;
  readonly log: EventLog;
  readonly db: Reader;
  readonly sources: Sources;
  readonly config: Pick<Config, 'PUBLIC_URL'>;
}

/** The endpoints of broadcasts. */
export function broadcastRoutes(
  { counts, botApi, log, db, sources, config }: BroadcastRoutesOptions,
  { findUsers }: Pick<ReportsOfBots, 'findUsers'>,
): AnyRoute[] {
  const waitForChange = createChangeWait(db.pool, 'broadcasts', 'recipients');
  const context = { log, sources };
  const ids = { broadcast: createIdPool(context, 'broadcast'), segment: createIdPool(context, 'segment') };
  const asOf = dataAsOf(db.pool, log, sources);
  const changes = {
    context,
    ids,
    db,
    waitForChange,
    hasPublicUrl: config.PUBLIC_URL !== undefined,
  };
  return [
    create(changes),
    save(changes),
    get(changes),
    list(db, asOf),
    activate(changes),
    cancel(changes),
    archive(changes),
    remove(changes),
    uploadSegment(changes),
    segmentFromReport(changes, findUsers, { db, log }),
    recipients(changes),
    statistics(changes, asOf),
    conversions(changes, counts),
    fields(),
    audienceSize(changes, counts),
    preview(db),
    testSend({ context, db, botApi }),
  ];
}
