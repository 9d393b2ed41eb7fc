import type pg from 'pg';
import { createAccounts } from '../../commands/referral/accounts.ts';
import type { SnapshotStore } from '../../commands/stream-snapshots.ts';
import type { Config } from '../../config.ts';
import type { Sources } from '../../domain/sources.ts';
import type { EventLog } from '../../log/port.ts';
import { accountsManifest } from '../../projections/accounts/manifest.ts';
import { catalogManifest } from '../../projections/catalog/manifest.ts';
import { eventsManifest } from '../../projections/events/manifest.ts';
import { referralManifest } from '../../projections/referral/manifest.ts';
import type { ServedSchema } from '../../projections/served-schema.ts';
import { createCaughtUpFind } from '../find-caught-up.ts';
import type { AnyRoute } from '../route.ts';
import { createChangeWait } from '../wait-for-change.ts';
import { botSettings } from './bots.ts';
import { goalAndUnitSettings } from './goals-and-units.ts';
import { keySettings } from './keys.ts';
import { ruleSettings } from './rules.ts';
import { webhookSettings } from './webhook.ts';

export interface SettingsRoutesOptions {
  readonly config: Pick<Config, 'MAX_WAIT_MS' | 'WEBHOOK_ALLOWED_NETWORKS'>;
  readonly pool: pg.Pool;
  readonly log: EventLog;
  readonly served: ServedSchema;
  readonly sources: Sources;
  readonly snapshots: SnapshotStore;
}

/** The settings of an owner, by an owner key (decisions.md#owner-settings). */
export function settingsRoutes({ config, pool, log, served, sources, snapshots }: SettingsRoutesOptions): AnyRoute[] {
  const context = { log, sources };
  const settings = {
    context,
    catalog: async () => ({ pool, schema: await served(catalogManifest) }),
    waitForChange: createChangeWait(pool, catalogManifest),
  };
  return [
    ...botSettings(settings),
    ...keySettings(settings),
    ...goalAndUnitSettings({ ...settings, waitForGoal: createChangeWait(pool, catalogManifest, eventsManifest) }),
    ...ruleSettings({ ...settings, waitForChange: createChangeWait(pool, catalogManifest, referralManifest) }),
    ...webhookSettings({
      ...settings,
      allowedNetworks: config.WEBHOOK_ALLOWED_NETWORKS,
      accounts: createAccounts({ ...context, snapshots }),
      accountSource: async () => ({ pool, accounts: await served(accountsManifest) }),
      waitForAccount: createChangeWait(pool, accountsManifest),
      findCaughtUp: createCaughtUpFind({ pool, log, model: accountsManifest, maxWaitMs: config.MAX_WAIT_MS }),
    }),
  ];
}
