import type pg from 'pg';
import { createIdPool } from '../../commands/reserve-ids.ts';
import type { Config } from '../../config.ts';
import type { Sources } from '../../domain/sources.ts';
import type { EventLog } from '../../log/port.ts';
import type { BotApi } from '../../platform/bot-api.ts';
import { broadcastsManifest } from '../../projections/broadcasts/manifest.ts';
import { catalogManifest } from '../../projections/catalog/manifest.ts';
import { clicksManifest } from '../../projections/clicks/manifest.ts';
import { eventsManifest } from '../../projections/events/manifest.ts';
import { recipientsManifest } from '../../projections/recipients/manifest.ts';
import { referralManifest } from '../../projections/referral/manifest.ts';
import { reportsManifest } from '../../projections/saved-reports/manifest.ts';
import type { ServedSchema } from '../../projections/served-schema.ts';
import { usersManifest } from '../../projections/users/manifest.ts';
import { dataAsOf } from '../data-as-of.ts';
import type { ReportsOfBots } from '../reports/reports-of-bots.ts';
import type { AnyRoute } from '../route.ts';
import { savedSegmentSources } from '../saved-segments/find-saved-segments.ts';
import { createChangeWait } from '../wait-for-change.ts';
import { audienceSize } from './audience-size.ts';
import { conversions } from './conversions.ts';
import { create } from './create.ts';
import { activate, cancel, save } from './edit.ts';
import { fields } from './fields.ts';
import { preview } from './preview.ts';
import { get, list, recipients } from './read.ts';
import { segmentFromReport } from './segment-from-report.ts';
import { statistics } from './statistics.ts';
import { testSend } from './test-send.ts';
import { uploadSegment } from './upload-segment.ts';

export interface BroadcastRoutesOptions {
  readonly pool: pg.Pool;
  /** Connections for counts of audiences alone. */
  readonly counts: pg.Pool;
  readonly botApi: BotApi;
  readonly log: EventLog;
  readonly served: ServedSchema;
  readonly sources: Sources;
  readonly config: Pick<Config, 'PUBLIC_URL'>;
}

/** The endpoints of broadcasts. */
export function broadcastRoutes(
  { pool, counts, botApi, log, served, sources, config }: BroadcastRoutesOptions,
  { findUsers }: Pick<ReportsOfBots, 'findUsers'>,
): AnyRoute[] {
  const source = async () => ({
    pool,
    broadcasts: await served(broadcastsManifest),
    recipients: await served(recipientsManifest),
  });
  const waitForChange = createChangeWait(pool, broadcastsManifest, recipientsManifest);
  const context = { log, sources };
  const ids = { broadcast: createIdPool(context, 'broadcast'), segment: createIdPool(context, 'segment') };
  const catalog = async () => ({ pool, schema: await served(catalogManifest) });
  const users = async () => ({ pool, users: await served(usersManifest) });
  const recipientFields = async () => ({ ...(await users()), referral: await served(referralManifest) });
  const tables = async () => {
    const models = [usersManifest, eventsManifest, referralManifest, broadcastsManifest, recipientsManifest];
    const [users, events, referral, broadcasts, recipients] = await Promise.all(models.map(served));
    return { users: users!, events: events!, referral: referral!, broadcasts: broadcasts!, recipients: recipients! };
  };
  const savedSegments = savedSegmentSources({ pool, log, served });
  const asOf = dataAsOf(pool, log, sources);
  const changes = {
    context,
    ids,
    source,
    catalog,
    users,
    savedSegments,
    waitForChange,
    hasPublicUrl: config.PUBLIC_URL !== undefined,
  };
  return [
    create(changes),
    save(changes),
    get(changes),
    list(source, asOf),
    activate(changes),
    cancel(changes),
    uploadSegment(changes),
    segmentFromReport(changes, findUsers, {
      catalog,
      log,
      reports: async () => ({ pool, reports: await served(reportsManifest) }),
    }),
    recipients(changes),
    statistics(changes, () => served(clicksManifest), asOf),
    conversions(changes, { pool, counts, tables }),
    fields(),
    audienceSize(changes, { pool, counts, tables }),
    preview(recipientFields),
    testSend({ context, recipientFields, catalog, botApi }),
  ];
}
