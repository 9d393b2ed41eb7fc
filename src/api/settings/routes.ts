import { createAccounts } from '../../commands/referral/accounts.ts';
import type { Config } from '../../config.ts';
import type { Sources } from '../../domain/sources.ts';
import type { EventLog } from '../../log/port.ts';
import type { Reader } from '../../projections/reader.ts';
import { createCaughtUpFind } from '../find-caught-up.ts';
import type { AnyRoute } from '../route.ts';
import { createChangeWait } from '../wait-for-change.ts';
import { botSettings } from './bot-settings.ts';
import { goalAndUnitSettings } from './goals-and-units.ts';
import { keySettings } from './key-settings.ts';
import { planRoute } from './plan.ts';
import { ruleSettings } from './rule-settings.ts';
import { describeEventRoute } from './serve-describe-event.ts';
import { webhookSettings } from './webhook.ts';

export interface SettingsRoutesOptions {
  readonly config: Pick<Config, 'MAX_WAIT_MS' | 'WEBHOOK_ALLOWED_NETWORKS'>;
  readonly log: EventLog;
  readonly db: Reader;
  readonly sources: Sources;
}

/** The settings of an owner, by an owner key (decisions.md#owner-settings). */
export function settingsRoutes({ config, log, db, sources }: SettingsRoutesOptions): AnyRoute[] {
  const { pool } = db;
  const context = { log, sources };
  const settings = {
    context,
    db,
    waitForChange: createChangeWait(pool, 'catalog'),
  };
  return [
    ...botSettings(settings),
    ...keySettings(settings),
    ...goalAndUnitSettings({ ...settings, waitForGoal: createChangeWait(pool, 'catalog', 'events') }),
    describeEventRoute(settings),
    planRoute(settings),
    ...ruleSettings({ ...settings, waitForChange: createChangeWait(pool, 'catalog', 'referral') }),
    ...webhookSettings({
      ...settings,
      allowedNetworks: config.WEBHOOK_ALLOWED_NETWORKS,
      accounts: createAccounts(context),
      waitForAccount: createChangeWait(pool, 'accounts'),
      findCaughtUp: createCaughtUpFind({ pool, log, model: 'accounts', maxWaitMs: config.MAX_WAIT_MS }),
    }),
  ];
}
