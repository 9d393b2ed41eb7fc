import type { Logger } from 'pino';
import { isHeld } from '../../database/lease.ts';
import type { EventLog } from '../../log/port.ts';
import type { ReadModel } from '../read-model.ts';
import { followVersion } from './follow.ts';
import { replaySchemaOf, verifyLeaseOf } from './replay-schema.ts';
import type { SharedByProjectors } from './shared.ts';
import { createVersion, leaseOf, removeDropped, setError, type Version } from './versions.ts';

export interface ProjectorOptions extends SharedByProjectors {
  readonly model: ReadModel;
  readonly log: EventLog;
  readonly logger: Logger;
  /** What becomes of a commit that the read model cannot take, once it is built: it stops there, or sets it aside. */
  readonly onBadEvent: OnBadEvent;
  /** The projector ends at a checkpoint once this aborts. */
  readonly signal: AbortSignal;
}

export type OnBadEvent = 'stop' | 'dead-letter';

/**
 * Keeps every version of a read model that this code can work with up with the log, and builds the first where there is
 * none. Resolves when the signal aborts.
 * @param leaveStopped what had stopped before this started is not tried anew: whoever asks what is wrong must still find it
 */
export async function runProjector(options: ProjectorOptions, leaveStopped = false): Promise<void> {
  const { model, pool, versions, logger, signal } = options;
  const following = new Map<number, Promise<void>>();
  /** What had stopped before this started is tried anew, since the reason may be mended by now; what stops later is not. */
  let started = leaveStopped;
  await removeReplay(options);
  while (!signal.aborted) {
    try {
      const seen = (await versions.next(signal))?.filter(({ name }) => name === model.name);
      if (seen === undefined) break;
      if (seen.some(({ state }) => state === 'dropped'))
        await removeDropped(pool, model.name, (version) => isHeld(pool, leaseOf(model.name, version)));
      const present: Pick<Version, 'version' | 'error'>[] = seen.filter(
        ({ shape, state }) => shape === model.shape && state !== 'dropped',
      );
      if (present.length === 0) present.push(await createVersion(pool, model, true));
      for (const { version, error } of present) {
        if (following.has(version)) continue;
        if (error !== null && started) continue;
        if (error !== null) await setError(pool, model.name, version, null);
        const ended = followVersion({ ...options, version }).finally(() => following.delete(version));
        following.set(version, ended);
      }
      started = true;
    } catch (error) {
      logger.warn({ err: error, projection: model.name }, 'failed to look up versions of the read model; retrying');
    }
  }
  await Promise.all(following.values());
}

/** What a comparison that was killed has left: it holds what erasures would not find. */
async function removeReplay({ model, pool, logger }: ProjectorOptions): Promise<void> {
  try {
    if (!(await isHeld(pool, verifyLeaseOf(model.name))))
      await pool.query(`DROP SCHEMA IF EXISTS ${replaySchemaOf(model.name)} CASCADE`);
  } catch (error) {
    logger.warn({ err: error, projection: model.name }, 'failed to look for schemas that a comparison left behind');
  }
}
