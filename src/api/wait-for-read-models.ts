import type { FastifyRequest } from 'fastify';
import type pg from 'pg';
import { type Position, partitionOf } from '../log/port.ts';
import type { ReadModel } from '../projections/read-model.ts';
import { sharedLook, waitUntilPassed } from '../projections/runtime/wait.ts';
import { inTime } from '../util/in-time.ts';

/** A slow projector must not keep a caller waiting whose change is done (decisions.md#certain-answers). */
const SETTLE_MS = 2000;
/** A database that does not answer is not waited for longer. */
const SILENT_MS = 100;

/** Waits until whoever asks next is told of the change at `position`. Answers whether that was seen. */
export type WaitForReadModels = (request: FastifyRequest, position: Position | undefined) => Promise<boolean>;

/**
 * Waits at most 2 s for the read models that tell of the change. Never throws: the change is in the log whatever becomes of
 * its picture, and every other answer than that would be untrue.
 */
export function createReadModelWait(pool: pg.Pool, ...models: readonly ReadModel[]): WaitForReadModels {
  const looks = models.map((model) => sharedLook(pool, model));
  const names = models.map(({ name }) => name).join(' and ');
  return async (request, position) => {
    if (position === undefined) return true;
    const cursor = new Map([[partitionOf(position), position]]);
    try {
      const seen = Promise.all(looks.map((look) => waitUntilPassed(look, cursor, SETTLE_MS)));
      const late = () => new Error('the database does not answer');
      if ((await inTime(seen, SETTLE_MS + SILENT_MS, late)).every(Boolean)) return true;
      request.log.warn(`answered before the read model ${names} had the change`);
    } catch (error) {
      request.log.warn({ err: error }, `answered without knowing whether the read model ${names} has the change`);
    }
    return false;
  };
}
