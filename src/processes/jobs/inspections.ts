import {
  beginInspection,
  endInspection,
  type InspectionEnd,
  leaveInspection,
  saveInspectionProgress,
} from '../../administration/inspection/inspection-store.ts';
import { runInspection } from '../../administration/inspection/run-inspection.ts';
import { pause } from '../../util/pause.ts';
import type { ProcessContext } from '../process.ts';
import { doLongWork, GIVEN_UP, MAX_STARTS } from './long-work.ts';

/** A request is no commit, so the growth of the log does not announce it. */
const LOOK_MS = 1000;

/**
 * Does the inspections that operators ask for (decisions.md#inspections), one after the other, oldest first. After a kill, the
 * next holder of the lease begins the inspection once more. If two holders do one, the end of the later start counts.
 */
export async function doInspections(context: ProcessContext, signal: AbortSignal): Promise<void> {
  const { pool } = context;
  while (!signal.aborted) {
    const begun = await beginInspection(pool);
    if (begun === null) {
      await pause(LOOK_MS, signal);
      continue;
    }
    const { inspection_id: inspection, kind, projection, starts } = begun;
    const logger = context.logger.child({ inspection, kind, projection });
    const failed = (error: string): InspectionEnd => ({ error });
    const end =
      starts > MAX_STARTS
        ? failed(GIVEN_UP)
        : await doLongWork({ ...context, logger }, signal, {
            save: (progress) => saveInspectionProgress(pool, begun, progress),
            work: (work, logEnd) => runInspection(work, begun, logEnd),
            failed,
          });
    if (end === null) return leaveInspection(pool, begun);
    await endInspection(pool, begun, end);
    logger.info('inspection ended');
  }
}
