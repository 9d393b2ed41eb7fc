import type { FastifyRequest } from 'fastify';
import type pg from 'pg';
import { inTime } from '../../in-time.ts';
import { laneOf, type Position } from '../../log/port.ts';
import { reportsReadModel } from '../../projections/reports/read-model.ts';
import { waitUntilProjected } from '../../projections/runtime/wait.ts';

/** A slow projector must not keep a caller waiting whose change is done. */
const SETTLE_MS = 2000;
/** A database that does not answer is not waited for longer. */
const SILENT_MS = 100;

/** Waits until whoever asks next is told of the change at `position`. */
export type Settle = (request: FastifyRequest, position: Position | undefined) => Promise<void>;

/**
 * Waits at most 2 s. Never throws: the change is in the log whatever becomes of its picture, and every other answer than
 * that would be untrue.
 */
export function settleReports(pool: pg.Pool): Settle {
  return async (request, position) => {
    if (position === undefined) return;
    const cursor = new Map([[laneOf(position), position]]);
    try {
      const seen = waitUntilProjected(pool, reportsReadModel, cursor, SETTLE_MS);
      const late = () => new Error('the database does not answer');
      if (!(await inTime(seen, SETTLE_MS + SILENT_MS, late)))
        request.log.warn('answered before the read model of saved reports had the change');
    } catch (error) {
      request.log.warn(
        { err: error },
        'answered without knowing whether the read model of saved reports has the change',
      );
    }
  };
}
