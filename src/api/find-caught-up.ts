import type pg from 'pg';
import type { EventLog } from '../log/port.ts';
import { manifestOf, type ReadModelName } from '../projections/registry.ts';
import { servedProgress, waitForReadModels } from '../projections/runtime/wait-for-read-models.ts';
import { unavailable } from './api-errors.ts';

/**
 * Looks up with `find`. If that finds nothing, waits until the read model has all of the log, and looks up again.
 * @param bot public key of the bot of what is looked up; absent: it belongs to no bot
 * @throws ApiError 503 the read model does not have all of the log in time
 */
export type FindCaughtUp = <T>(bot: string | undefined, find: () => Promise<T | null>) => Promise<T | null>;

export interface CaughtUpFindOptions {
  readonly pool: pg.Pool;
  readonly log: EventLog;
  /** The read model that `find` asks. */
  readonly model: ReadModelName;
  readonly maxWaitMs: number;
}

/**
 * "There is none" is certain only once the read model has all that the log had at the request
 * (decisions.md#certain-answers).
 */
export function createCaughtUpFind({ pool, log, model, maxWaitMs }: CaughtUpFindOptions): FindCaughtUp {
  return async (bot, find) => {
    const known = await find();
    if (known !== null) return known;
    const head = await log.endCursor();
    if (
      !(await waitForReadModels([servedProgress(pool, manifestOf(model))], head, {
        timeoutMs: maxWaitMs,
        wake: [model],
        bot,
      }))
    )
      throw unavailable(`the read model ${model} is catching up with the log, try again`);
    return find();
  };
}
