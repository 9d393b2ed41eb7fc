import type pg from 'pg';
import type { Logger } from 'pino';
import { createLeaseHolder } from '../../database/lease.ts';
import { type Manifest, ofShape } from '../read-model.ts';
import { dropVersion, removeDropped } from './drop-version.ts';
import { followVersion } from './follow-log.ts';
import type { ProjectorOptions, SharedByProjectors } from './projector-options.ts';
import { buildsUntilOf, removeLeft, replaysOf } from './run-schemas.ts';
import { servedOf } from './served-version.ts';
import { clearError, createVersion, isFollowed, type Version } from './versions.ts';
import { type SeenVersion, watchVersions } from './watch-versions.ts';

/** @param holder the holder of the leases: unique per instance of the service */
export function shareAmongProjectors(pool: pg.Pool, holder: string, logger: Logger): SharedByProjectors {
  return { pool, leases: createLeaseHolder(pool, holder, { logger }), versions: watchVersions(pool) };
}

/**
 * Keeps every version of a read model that has this program's shape up with the log, and built versions of the former shape.
 * Builds the first version if there is none of this program's shape. Resolves when the signal aborts.
 * @param leaveStopped leaves versions stopped that stopped before, so that an operator who looks for the reason finds it
 */
export async function runProjector(options: ProjectorOptions, leaveStopped = false): Promise<void> {
  const { model, pool, versions, logger, signal } = options;
  const following = new Map<number, Following>();
  /**
   * A start retries versions that stopped before, since the reason may be gone. It does not retry read models that stop
   * later.
   */
  let started = leaveStopped;
  await removeReplays(options);
  while (!signal.aborted) {
    try {
      const seen = (await versions.next(signal))?.filter(({ name }) => name === model.name);
      if (seen === undefined) break;
      if (seen.some(({ state }) => state === 'dropped'))
        await removeDropped(pool, model.name, (version) => isFollowed(pool, model.name, version));
      const present: Pick<Version, 'version' | 'shape' | 'error'>[] = seen.filter(
        ({ shape, state }) => shape === model.shape && state !== 'dropped',
      );
      if (present.length === 0) present.push(await createVersion(pool, model, true));
      for (const version of formerVersions(model, seen)) {
        if (options.former === 'keep' || isServed(model, seen, version)) present.push(version);
        else {
          following.get(version.version)?.stop();
          if (options.former === 'drop') await dropUnfollowed(options, version);
        }
      }
      for (const { version, shape, error } of present) {
        if (following.has(version)) continue;
        if (error !== null && started) continue;
        if (error !== null) await clearError(pool, model.name, version);
        following.set(
          version,
          follow(options, { version, shape }, () => following.delete(version)),
        );
      }
      started = true;
    } catch (error) {
      logger.warn({ err: error, projection: model.name }, 'failed to look up versions of the read model; retrying');
    }
  }
  await Promise.all([...following.values()].map(({ ended }) => ended));
}

interface Following {
  readonly ended: Promise<void>;
  stop(): void;
}

function follow(
  options: ProjectorOptions,
  { version, shape }: Pick<Version, 'version' | 'shape'>,
  onEnd: () => void,
): Following {
  const stopping = new AbortController();
  const signal = AbortSignal.any([options.signal, stopping.signal]);
  const model = ofShape(options.model, shape)!;
  const ended = followVersion({ ...options, model, version, signal, takesOver: options.standBy !== true });
  return { ended: ended.finally(onEnd), stop: () => stopping.abort() };
}

/** Built versions of the former shape. This program builds none. */
function formerVersions({ former }: Manifest, seen: readonly SeenVersion[]): SeenVersion[] {
  return seen.filter(({ shape, state }) => shape === former?.shape && (state === 'ready' || state === 'live'));
}

function isServed(model: Manifest, seen: readonly SeenVersion[], { version }: SeenVersion): boolean {
  const known = seen.filter(({ shape, state }) => state !== 'dropped' && ofShape(model, shape) !== undefined);
  return servedOf(model, known)?.version === version;
}

/** Drops a version that no instance follows, since its rows would keep what an erasure removes elsewhere. */
async function dropUnfollowed({ pool, model }: ProjectorOptions, { version, state }: SeenVersion): Promise<void> {
  if (state !== 'live' && !(await isFollowed(pool, model.name, version))) await dropVersion(pool, model.name, version);
}

/** Removes the schemas that killed commands left: an erasure would not find the personal data of a replay. */
async function removeReplays({ model, pool, logger }: ProjectorOptions): Promise<void> {
  try {
    for (const schemas of [replaysOf, buildsUntilOf]) await removeLeft(pool, schemas(model.name));
  } catch (error) {
    logger.warn({ err: error, projection: model.name }, 'failed to look for schemas that a command left behind');
  }
}
