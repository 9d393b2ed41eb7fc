import type { FastifyRequest } from 'fastify';
import type pg from 'pg';
import { type Position, partitionOf } from '../log/port.ts';
import { manifestOf, type ReadModelName } from '../projections/registry.ts';
import { servedProgress, waitForReadModels } from '../projections/runtime/wait-for-read-models.ts';
import { inTime } from '../util/in-time.ts';
import { sharedCall } from '../util/shared-call.ts';

/** A slow projector must not delay an answer whose change is in the log (decisions.md#certain-answers). */
const WAIT_MS = 2000;
/** Extra time for a database that does not answer. */
const SILENT_MS = 100;

/** Waits until the next request sees the change at `position`. @returns whether the read models have it */
export type WaitForChange = (request: FastifyRequest, position: Position | undefined) => Promise<boolean>;

/**
 * Waits at most 2 s for the read models that show the change. Never throws: the change is in the log whether or not the read
 * models have it, so an error would be untrue.
 */
export function createChangeWait(pool: pg.Pool, ...names: readonly ReadModelName[]): WaitForChange {
  const loads = names.map((name) => sharedCall(servedProgress(pool, manifestOf(name))));
  const named = names.join(' and ');
  return async (request, position) => {
    if (position === undefined) return true;
    const cursor = new Map([[partitionOf(position), position]]);
    try {
      const seen = waitForReadModels(loads, cursor, {
        timeoutMs: WAIT_MS,
        wake: names,
        bot: request.access?.bot?.public_key,
      });
      const late = () => new Error('the database does not answer');
      if ((await inTime(seen, WAIT_MS + SILENT_MS, late)) !== null) return true;
      request.log.warn(`answered before the read model ${named} had the change`);
    } catch (error) {
      request.log.warn({ err: error }, `answered without knowing whether the read model ${named} has the change`);
    }
    return false;
  };
}
