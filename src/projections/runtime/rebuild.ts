import { pause } from '../../util/pause.ts';
import { type Manifest, schemaOf } from '../read-model.ts';
import { controlBuild } from './build-control.ts';
import { commitsUpTo, loadCheckpoint, type OnCommits } from './checkpoint.ts';
import { buildVersion } from './follow-log.ts';
import type { ProjectorOptions } from './projector-options.ts';
import { clearError, createVersion, findVersion, type Version, versionsOf } from './versions.ts';

/** The build of a version stopped; the message names the commit, or what an operator did. */
class RebuildStoppedError extends Error {
  override readonly name = 'RebuildStoppedError';
}

const POLL_MS = 250;

/**
 * Builds the next version next to the live one until it has caught up with the log; resumes a version that is being
 * built. Projectors of the service keep running. If this ends early, the service finishes the version.
 * @param maxRate the most events a second, which the version keeps; undefined: its limit stays as it is
 * @returns the version, ready. A ready version that is newer than the live one is returned as it is
 * @throws RebuildStoppedError
 */
export async function rebuild(
  options: Omit<ProjectorOptions, 'onBadEvent'>,
  onProgress: OnCommits,
  maxRate?: number,
): Promise<Version> {
  const { model, pool, log, signal } = options;
  const versions = await versionsOf(pool, model);
  const newest = versions.at(-1);
  if (newest?.state === 'ready' && newest.version > (versions.find(({ state }) => state === 'live')?.version ?? 0))
    return newest;
  const { version, error, paused } = newest?.state === 'building' ? newest : await createVersion(pool, model);
  if (paused) throw pausedError(model, version);
  if (maxRate !== undefined) await controlBuild(pool, { name: model.name, version }, { maxRate });
  if (error !== null) await clearError(pool, model.name, version);
  const stopping = new AbortController();
  const building = buildVersion({
    ...options,
    version,
    onBadEvent: 'stop',
    signal: AbortSignal.any([signal, stopping.signal]),
  });
  try {
    for (;;) {
      signal.throwIfAborted();
      const now = await findVersion(pool, model.name, version);
      if (now === null) throw new RebuildStoppedError(`${schemaOf(model.name, version)} was dropped`);
      if (now.error !== null) throw new RebuildStoppedError(now.error);
      if (now.paused) throw pausedError(model, version);
      const { done, total } = await commitsUpTo(log, await loadCheckpoint(pool, schemaOf(model.name, version)));
      onProgress(done, total);
      if (now.state !== 'building') return now;
      await pause(POLL_MS, signal);
    }
  } finally {
    stopping.abort();
    await building;
  }
}

function pausedError({ name }: Manifest, version: number): RebuildStoppedError {
  return new RebuildStoppedError(`${name} version ${version} is paused: resume it with projection resume ${name}`);
}
