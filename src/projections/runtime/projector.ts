import type pg from 'pg';
import type { Logger } from 'pino';
import { createLeaseHolder, type LeaseHolder } from '../../database/lease.ts';
import { isHeld } from '../../database/lease-rows.ts';
import type { WorkOnPartitions } from '../../log/partition-groups.ts';
import type { EventLog, RecordedCommit } from '../../log/port.ts';
import type { ReadModel } from '../read-model.ts';
import { followVersion } from './follow.ts';
import { replaySchemaOf, verifyLeaseOf } from './verify.ts';
import { createVersion, isFollowed, removeDropped, setError, type Version } from './versions.ts';
import { type VersionWatch, watchVersions } from './watch-versions.ts';

/** Shared by a thread's projectors: one statement renews all their leases, and one looks up all their versions. */
export interface SharedByProjectors {
  readonly pool: pg.Pool;
  readonly leases: LeaseHolder;
  readonly versions: VersionWatch;
}

/** @param holder the holder of the leases: unique per instance of the service */
export function shareAmongProjectors(pool: pg.Pool, holder: string, logger: Logger): SharedByProjectors {
  return { pool, leases: createLeaseHolder(pool, holder, { logger }), versions: watchVersions(pool) };
}

export interface ProjectorOptions extends SharedByProjectors {
  readonly model: ReadModel;
  readonly log: EventLog;
  readonly logger: Logger;
  /** At a commit that a built version cannot apply: stop, or make it a dead letter. */
  readonly onBadEvent: OnBadEvent;
  /** Works only while no other projector does: for a command beside a service. */
  readonly standBy?: boolean | undefined;
  /** When this aborts, the projector ends at a checkpoint. */
  readonly signal: AbortSignal;
  /** Called after each transaction that has applied commits. */
  readonly onBatch?: ((batch: AppliedBatch) => void) | undefined;
  /** Called when the partitions that it follows are others. */
  readonly onPartitions?: ((work: WorkOnPartitions) => void) | undefined;
}

/** Commits that a read model has applied in one transaction. */
export interface AppliedBatch {
  /** Name of the read model. */
  readonly projection: string;
  readonly commits: readonly RecordedCommit[];
  /** The time that writing rows and checkpoint took, in milliseconds. */
  readonly ms: number;
}

export type OnBadEvent = 'stop' | 'dead-letter';

/**
 * Keeps every version of a read model that has this program's shape up with the log. Builds the first version if there is
 * none. Resolves when the signal aborts.
 * @param leaveStopped leaves versions stopped that stopped before, so that an operator who looks for the reason finds it
 */
export async function runProjector(options: ProjectorOptions, leaveStopped = false): Promise<void> {
  const { model, pool, versions, logger, signal } = options;
  const following = new Map<number, Promise<void>>();
  /** A start retries versions that stopped before, since the reason may be gone. It does not retry those that stop later. */
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
