import type pg from 'pg';
import type { Logger } from 'pino';
import { createLeaseHolder } from '../../database/lease.ts';
import { isHeld } from '../../database/lease-rows.ts';
import { followVersion } from './follow-log.ts';
import type { ProjectorOptions, SharedByProjectors } from './projector-options.ts';
import { replaySchemaOf, verifyLeaseOf } from './verify.ts';
import { createVersion, isFollowed, removeDropped, setError, type Version } from './versions.ts';
import { watchVersions } from './watch-versions.ts';

/** @param holder the holder of the leases: unique per instance of the service */
export function shareAmongProjectors(pool: pg.Pool, holder: string, logger: Logger): SharedByProjectors {
  return { pool, leases: createLeaseHolder(pool, holder, { logger }), versions: watchVersions(pool) };
}

/**
 * Keeps every version of a read model that has this program's shape up with the log. Builds the first version if there is
 * none. Resolves when the signal aborts.
 * @param leaveStopped leaves versions stopped that stopped before, so that an operator who looks for the reason finds it
 */
export async function runProjector(options: ProjectorOptions, leaveStopped = false): Promise<void> {
  const { model, pool, versions, logger, signal } = options;
  const following = new Map<number, Promise<void>>();
  /**
   * A start retries versions that stopped before, since the reason may be gone. It does not retry read models that stop
   * later.
   */
  let started = leaveStopped;
  await removeReplay(options);
  while (!signal.aborted) {
    try {
      const seen = (await versions.next(signal))?.filter(({ name }) => name === model.name);
      if (seen === undefined) break;
      if (seen.some(({ state }) => state === 'dropped'))
        await removeDropped(pool, model.name, (version) => isFollowed(pool, model.name, version));
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

/** Removes the schema that a killed comparison left: an erasure would not find the personal data in it. */
async function removeReplay({ model, pool, logger }: ProjectorOptions): Promise<void> {
  try {
    if (!(await isHeld(pool, verifyLeaseOf(model.name))))
      await pool.query(`DROP SCHEMA IF EXISTS ${replaySchemaOf(model.name)} CASCADE`);
  } catch (error) {
    logger.warn({ err: error, projection: model.name }, 'failed to look for schemas that a comparison left behind');
  }
}
