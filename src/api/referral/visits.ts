import type pg from 'pg';
import { inTime } from '../../in-time.ts';
import type { EventLog } from '../../log/port.ts';
import { referralReadModel } from '../../projections/referral/read-model.ts';
import { sharedLook, waitUntilPassed } from '../../projections/runtime/wait.ts';
import { unavailable } from '../errors.ts';
import { sharedCall } from '../shared-call.ts';

/** Waits until every visit that was acknowledged before is processed. @throws ApiError 503 that takes too long */
export type AwaitVisits = () => Promise<void>;

export function awaitVisits(pool: pg.Pool, log: EventLog, maxWaitMs: number): AwaitVisits {
  const look = sharedLook(pool, referralReadModel);
  const head = sharedCall(() => log.head());
  const late = () => unavailable('visits that came before are still being processed, try again');
  return async () => {
    const passed = head().then((at) => waitUntilPassed(look, at, maxWaitMs));
    if (!(await inTime(passed, maxWaitMs, late))) throw late();
  };
}
