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
import { loadCheckpoint } from '../../projections/runtime/checkpoint.ts';
import type { ServedSchema } from '../../projections/served-schema.ts';
import { usersManifest } from '../../projections/users/manifest.ts';
import { sharedCall } from '../../util/shared-call.ts';
import { dataAsOf } from '../data-as-of.ts';
import { createCaughtUpFind } from '../find-caught-up.ts';
import type { AnyRoute } from '../route.ts';
import { createChangeWait } from '../wait-for-change.ts';
import { accruals, balance, history, payouts, rates } from './account-reads.ts';
import { awaitVisits } from './changes.ts';
import { codes, referrals } from './codes.ts';
import { createCode } from './create-code.ts';
import { markReferral } from './mark-referral.ts';
import { allPayouts, program, referrers } from './overview.ts';
import { payout } from './payout.ts';
import { chain, entries } from './proofs.ts';
import { reverseAccrual } from './reverse-accrual.ts';
import { setCodeOwners } from './set-code-owners.ts';

export interface ReferralRoutesOptions {
  readonly config: Pick<Config, 'MAX_WAIT_MS'>;
  readonly pool: pg.Pool;
  readonly log: EventLog;
  readonly served: ServedSchema;
  readonly sources: Sources;
  readonly snapshots: SnapshotStore;
}

/** The endpoints of the referral program. */
export function referralRoutes({ config, pool, log, served, sources, snapshots }: ReferralRoutesOptions): AnyRoute[] {
  const source = async () => ({ pool, referral: await served(referralManifest) });
  // The progress of the same version of the read model that answers come from.
  const progress = sharedCall(async () => ({ passed: await loadCheckpoint(pool, (await source()).referral) }));
  const changes = { context: { log, sources }, source, progress, maxWaitMs: config.MAX_WAIT_MS };
  const visits = awaitVisits(log, progress);
  const asOf = dataAsOf(pool, log, sources);
  const reads = { source: async () => ({ pool, accounts: await served(accountsManifest) }), asOf, now: sources.now };
  const ruled = async () => ({ ...(await reads.source()), ...(await source()) });
  const overview = {
    source: async () => ({ ...(await ruled()), users: await served(usersManifest) }),
    asOf,
    now: sources.now,
  };
  const catalog = async () => ({ pool, schema: await served(catalogManifest) });
  const accounts = createAccounts({ log, sources, snapshots });
  const waitForChange = createChangeWait(pool, accountsManifest);
  const findCaughtUp = createCaughtUpFind({ pool, log, model: accountsManifest, maxWaitMs: config.MAX_WAIT_MS });
  return [
    ...createCode(changes),
    setCodeOwners(changes, visits),
    codes(source),
    referrals(source),
    markReferral(changes, visits),
    balance(reads),
    payout(accounts, waitForChange),
    payouts(reads),
    reverseAccrual({ accounts, source: reads.source, waitForChange, findCaughtUp }),
    accruals(reads),
    rates(ruled),
    history(reads),
    referrers(overview),
    allPayouts(overview),
    entries(ruled),
    chain(log),
    program(async () => ({ ...(await source()), events: await served(eventsManifest) }), catalog),
  ];
}
