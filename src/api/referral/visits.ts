import type { EventLog } from '../../log/port.ts';
import { type Look, waitUntilPassed } from '../../projections/runtime/wait.ts';
import { inTime } from '../../util/in-time.ts';
import { unavailable } from '../errors.ts';
import { sharedCall } from '../shared-call.ts';
import { leftUntil } from './changes.ts';

/** Waits until every visit that was acknowledged before is processed. @throws ApiError 503 that takes until the deadline */
export type AwaitVisits = (deadline: number) => Promise<void>;

export function awaitVisits(log: EventLog, look: Look): AwaitVisits {
  const head = sharedCall(() => log.endCursor());
  const late = () => unavailable('visits that came before are still being processed, try again');
  return async (deadline) => {
    const passed = head().then((at) => waitUntilPassed(look, at, leftUntil(deadline)));
    if (!(await inTime(passed, leftUntil(deadline), late))) throw late();
  };
}
