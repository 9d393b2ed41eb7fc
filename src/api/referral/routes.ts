import type pg from 'pg';
import { createAccounts } from '../../commands/referral/accounts.ts';
import type { Config } from '../../config.ts';
import type { Sources } from '../../domain/sources.ts';
import type { EventLog } from '../../log/port.ts';
import type { Reader } from '../../projections/reader.ts';
import { progressOf } from '../../projections/runtime/wait-for-read-models.ts';
import { sharedCall } from '../../util/shared-call.ts';
import { dataAsOf } from '../data-as-of.ts';
import type { ExportSlots } from '../export/export-slots.ts';
import { createCaughtUpFind } from '../find-caught-up.ts';
import { type ProofSource, proveForCaller } from '../proof/prove-for-caller.ts';
import { proof } from '../proof/serve-proof.ts';
import { statement } from '../proof/serve-statement.ts';
import type { AnyRoute } from '../route.ts';
import { createChangeWait } from '../wait-for-change.ts';
import { accruals, balance, history, payouts, rates } from './account-reads.ts';
import { administerPayouts } from './administer-payouts.ts';
import { awaitVisits } from './changes.ts';
import { codes, referrals } from './codes.ts';
import { createCode } from './create-code.ts';
import { markReferral } from './mark-referral.ts';
import { allPayouts, program, referrers, totals } from './overview.ts';
import { chain, entries } from './proofs.ts';
import { reverseAccrual } from './reverse-accrual.ts';
import { payout } from './serve-payout.ts';
import { setCodeOwners } from './set-code-owners.ts';

export interface ReferralRoutesOptions {
  readonly config: Pick<Config, 'MAX_WAIT_MS'>;
  /** Connections only for counts and searches. */
  readonly counts: pg.Pool;
  /** Connections only for exports. */
  readonly exports: pg.Pool;
  readonly slots: ExportSlots;
  readonly log: EventLog;
  readonly db: Reader;
  readonly sources: Sources;
  readonly proofs: ProofSource;
}

/** The endpoints of the referral program. */
export function referralRoutes(options: ReferralRoutesOptions): AnyRoute[] {
  const { config, counts, exports, slots, log, db, sources, proofs } = options;
  const { pool } = db;
  // The progress of the same version of the read model that answers come from.
  const progress = sharedCall(async () => progressOf(pool, (await db.at('referral')).referral));
  const changes = { context: { log, sources }, db, progress, maxWaitMs: config.MAX_WAIT_MS };
  const visits = awaitVisits(log, progress);
  const asOf = dataAsOf(pool, log, sources);
  const reads = { db, asOf, now: sources.now };
  const prove = proveForCaller(proofs);
  const lists = { ...reads, counts };
  const accounts = createAccounts({ log, sources });
  const waitForChange = createChangeWait(pool, 'accounts');
  const findCaughtUp = createCaughtUpFind({ pool, log, model: 'accounts', maxWaitMs: config.MAX_WAIT_MS });
  return [
    ...createCode(changes),
    setCodeOwners(changes, visits),
    codes(db),
    referrals(db),
    markReferral(changes, visits),
    balance(reads),
    payout(accounts, waitForChange),
    payouts(reads),
    ...administerPayouts({ accounts, db, waitForChange, findCaughtUp }),
    reverseAccrual({ accounts, db, waitForChange, findCaughtUp }),
    accruals(reads),
    rates(db),
    history(reads),
    referrers(lists),
    allPayouts(lists),
    totals(lists),
    entries(db),
    chain(log),
    proof(prove),
    statement({ db, exports, slots, now: sources.now, prove }),
    program(db),
  ];
}
