import { pause } from '../../pause.ts';
import { schemaOf } from '../read-model.ts';
import { loadCheckpoint } from './checkpoint.ts';
import { followVersion } from './follow.ts';
import type { ProjectorOptions } from './projector.ts';
import { createVersion, findVersion, setError, type Version, versionsOf } from './versions.ts';

/** How far a rebuild is, in commits of the log. */
export interface Progress {
  readonly done: number;
  readonly total: number;
  /** Seconds since it was begun, or gone on with. */
  readonly seconds: number;
  /** Commits that were done when it was. */
  readonly doneBefore: number;
}

/** A version could not be built; the message says at which commit. */
export class RebuildStoppedError extends Error {
  override readonly name = 'RebuildStoppedError';
}

const LOOK_MS = 250;

/**
 * Builds the next version beside the live one, or goes on with one that is being built, until it has caught up with the
 * log. Whatever projects in the service goes on; if this ends before it is done, the service finishes it.
 * @returns the version, ready; one that was ready before, and newer than the live one, as it is
 * @throws RebuildStoppedError
 */
export async function rebuild(
  options: Omit<ProjectorOptions, 'onBadEvent'>,
  onProgress: (progress: Progress) => void,
): Promise<Version> {
  const { model, pool, log, signal } = options;
  const versions = await versionsOf(pool, model);
  const newest = versions.at(-1);
  if (newest?.state === 'ready' && newest.version > (versions.find(({ state }) => state === 'live')?.version ?? 0))
    return newest;
  const { version, error } = newest?.state === 'building' ? newest : await createVersion(pool, model);
  if (error !== null) await setError(pool, model.name, version, null);
  const stopping = new AbortController();
  const following = followVersion({
    ...options,
    version,
    onBadEvent: 'stop',
    signal: AbortSignal.any([signal, stopping.signal]),
  });
  try {
    const begun = performance.now();
    let doneBefore: number | undefined;
    for (;;) {
      signal.throwIfAborted();
      const now = await findVersion(pool, model.name, version);
      if (now === null) throw new RebuildStoppedError(`${schemaOf(model.name, version)} was dropped`);
      if (now.error !== null) throw new RebuildStoppedError(now.error);
      const left = (await log.lag(await loadCheckpoint(pool, schemaOf(model.name, version)))).commits;
      const total = Math.max(left, (await log.lag(new Map())).commits); // both are estimates
      const done = total - left;
      doneBefore ??= done;
      onProgress({ done, total, seconds: (performance.now() - begun) / 1000, doneBefore });
      if (now.state !== 'building') return now;
      await pause(LOOK_MS, signal);
    }
  } finally {
    stopping.abort();
    await following;
  }
}
