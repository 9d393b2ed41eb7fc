import type { EventLog } from '../../log/port.ts';
import { type LoadProgress, waitForReadModels } from '../../projections/runtime/wait-for-read-models.ts';
import { inTime } from '../../util/in-time.ts';
import { sharedCall } from '../../util/shared-call.ts';
import { unavailable } from '../errors.ts';
import { leftUntil } from './changes.ts';

/** Waits until every visit that was acknowledged before is processed. @throws ApiError 503 that takes until the deadline */
export type AwaitVisits = (deadline: number) => Promise<void>;

export function awaitVisits(log: EventLog, progress: LoadProgress): AwaitVisits {
  const end = sharedCall(() => log.endCursor());
  const late = () => unavailable('visits that came before are still being processed, try again');
  return async (deadline) => {
    const passed = end().then((cursor) => waitForReadModels([progress], cursor, { timeoutMs: leftUntil(deadline) }));
    if ((await inTime(passed, leftUntil(deadline), late)) === null) throw late();
  };
}
