import { isPassing } from '../../log/is-passing.ts';
import { countGroups, partitionsOfGroups } from '../../log/partition-groups.ts';
import { partitionOf } from '../../log/port.ts';
import { pause } from '../../util/pause.ts';
import { type Manifest, schemaOf } from '../read-model.ts';
import { READ_MODEL_NAMES } from '../registry.ts';
import { CheckpointTakenError, type Target } from './apply.ts';
import { buildUnits } from './build-units.ts';
import { removeBlocking } from './dead-letters.ts';
import {
  AT_BAD_EVENT,
  afterStop,
  DROPPED,
  INTERRUPTED,
  PAUSED,
  type Stopped,
  stoppedBy,
  whyNotToBuild,
} from './follow-states.ts';
import { Follower, type FollowOptions } from './follower.ts';
import { divideBuild, LEAST_COMMITS } from './sections.ts';
import { buildLeaseOf, findVersion, shareOf } from './versions.ts';

const RETRY_MS = 500;

/**
 * Keeps one version of a read model up with the log. All instances share its build, up to the log end at its beginning, and one
 * of them builds the rest; after that all instances share its partitions. Other instances take over the work of a dead
 * instance within seconds. Each commit is applied exactly once (compare-and-set on the checkpoint, in the rows' transaction).
 * Resolves when the signal aborts, the version is dropped, or it stops at a bad event.
 */
export async function followVersion(options: FollowOptions): Promise<void> {
  const { model, version, pool, log, leases, standBy, signal } = options;
  const parts = countGroups(log.partitions);
  while (!signal.aborted) {
    const work = async (): Promise<Stopped | undefined> => {
      const found = await findVersion(pool, model.name, version);
      if (found?.state === 'building') return found.paused ? PAUSED : build(options);
      return leases.share(
        shareOf(model.name, version),
        { parts, shareIndex: shareIndexOf(model), standBy },
        signal,
        (groups, held) => follow(options, partitionsOfGroups(groups, log.partitions), held),
      );
    };
    const stopped = await work().then(
      (result) => result ?? INTERRUPTED,
      (error: unknown) => logStop(options, error),
    );
    const next = afterStop(stopped);
    if (next === 'end') return;
    if (next === 'wait until it is resumed') await resumed(options);
    if (next === 'retry after a pause') await pause(RETRY_MS, signal);
  }
}

function shareIndexOf({ name }: Manifest): number {
  return Math.max(0, READ_MODEL_NAMES.indexOf(name));
}

/** Resolves when an operator has resumed or dropped the version, or the signal aborts. */
async function resumed({ model, version, versions, signal, logger }: FollowOptions): Promise<void> {
  const projection = schemaOf(model.name, version);
  logger.info({ projection }, 'the build is paused');
  for (;;) {
    const seen = await versions.next(signal).catch(() => undefined); // the projector warns of an outage
    if (seen === null) return;
    if (seen === undefined) await pause(RETRY_MS, signal);
    else if (seen.find((each) => each.name === model.name && each.version === version)?.paused !== true) break;
  }
  logger.info({ projection }, 'the build continues');
}

/** Builds a version until it has caught up with the log. Resolves as `followVersion`, and when the version is built or paused. */
export async function buildVersion(options: FollowOptions): Promise<void> {
  const { signal } = options;
  while (!signal.aborted) {
    const stopped = await build(options).then(
      (result) => result ?? INTERRUPTED,
      (error: unknown) => logStop(options, error),
    );
    if (['built', 'paused'].includes(stopped.reason) || afterStop(stopped) === 'end') return;
    if (stopped.reason === 'failed') await pause(RETRY_MS, signal);
  }
}

async function build(options: FollowOptions): Promise<Stopped | undefined> {
  const { model, version, pool, log, leases, divideFrom = LEAST_COMMITS, signal } = options;
  const goal = await divideBuild(pool, log, model, version, divideFrom);
  if (goal !== null) {
    const stopped = await buildUnits(options, goal, shareIndexOf(model));
    if (stopped !== 'whole') return stopped;
  }
  const all = new Set(Array.from({ length: log.partitions }, (_, partition) => partition));
  return leases.hold(buildLeaseOf(model.name, version), signal, (held) => follow(options, all, held, true));
}

async function logStop(options: FollowOptions, error: unknown): Promise<Stopped> {
  const { model, version, logger } = options;
  const projection = schemaOf(model.name, version);
  const stopped = stoppedBy(error, await isDropped(options));
  if (stopped.reason === 'bad event') logger.error({ err: error, projection }, 'projection stopped at a bad event');
  if (stopped.reason === 'failed') {
    const level = isPassing(error) || error instanceof CheckpointTakenError ? 'warn' : 'error';
    logger[level]({ err: error, projection }, 'failed to project; retrying');
  }
  return stopped;
}

/** Whether the version was dropped; false if the database does not answer. */
async function isDropped({ pool, model, version }: FollowOptions): Promise<boolean> {
  return findVersion(pool, model.name, version).then(
    (found) => found === null,
    () => false,
  );
}

async function follow(
  options: FollowOptions,
  partitions: ReadonlySet<number>,
  signal: AbortSignal,
  builds = false,
): Promise<Stopped> {
  const { model, version, log, pool } = options;
  const found = await findVersion(pool, model.name, version);
  const reason = builds ? whyNotToBuild(found) : null;
  if (reason !== null) return reason;
  if (found === null) return DROPPED;
  if (found.error !== null) return AT_BAD_EVENT;
  const target: Target = { pool, model, schema: schemaOf(model.name, version), keys: log.keys };
  // These commits are tried again. Those of other partitions belong to the projectors that follow them.
  await removeBlocking(pool, target.schema, ({ position }) => partitions.has(partitionOf(position)));
  const follower = new Follower(options, target, partitions, builds ? found : null, signal);
  options.onPartitions?.({ projection: model.name, version, partitions: partitions.size });
  return follower.run().finally(() => options.onPartitions?.({ projection: model.name, version, partitions: 0 }));
}
