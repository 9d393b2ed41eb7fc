import { countGroups, partitionsOfGroups } from '../../log/partition-groups.ts';
import { type Cursor, partitionOf, type RecordedCommit } from '../../log/port.ts';
import { keyOf } from '../../log/stream-name.ts';
import { pause } from '../../util/pause.ts';
import { schemaOf } from '../read-model.ts';
import type { Target } from './apply.ts';
import { recordStop, skippedCommits } from './bad-events.ts';
import { Build, type UnitsOfBuilder } from './build.ts';
import { removeMeasured } from './build-control.ts';
import { type PlaceOfCommit, removeBlocking } from './dead-letters.ts';
import { catchUpSlice } from './deferred-work.ts';
import { AT_BAD_EVENT, DROPPED, INTERRUPTED, isStopped, PAUSED, type Stopped, whyNotToBuild } from './follow-states.ts';
import type { FollowOptions } from './follower.ts';
import { partsUpTo } from './replay.ts';
import { joinSections, keyOfBot, loadUnits, nextStretch, type Stretch } from './sections.ts';
import { tracedWrite } from './traced-write.ts';
import { buildShareOf, findVersion } from './versions.ts';
import { Writer } from './writer.ts';

/** The pause between two looks whether all units have reached the goal. */
const JOIN_MS = 250;

/**
 * Builds units of a version next to other builders, up to the goal. Each time another one begins or ends, they divide the units
 * again.
 * @returns `whole`: all units have reached the goal, and the version is to be built on as a whole
 */
export async function buildUnits(options: FollowOptions, goal: Cursor, shareIndex: number): Promise<Stopped | 'whole'> {
  const { model, version, pool, log, leases, signal } = options;
  const units = (await loadUnits(pool, schemaOf(model.name, version), log.partitions)).length;
  const result = await leases.share(
    buildShareOf(model.name, version),
    { parts: countGroups(units), shareIndex },
    signal,
    (groups, held) =>
      new UnitsBuilder(options, goal, { own: partitionsOfGroups(groups, units), all: units }, held).run(),
  );
  return result ?? INTERRUPTED;
}

/** Builds the units of one instance, while it holds their leases. */
class UnitsBuilder {
  readonly #options: FollowOptions;
  readonly #target: Target;
  readonly #goal: Cursor;
  readonly #units: UnitsOfBuilder;
  /** Aborts with the reason to stop: `Stopped`, or an error. */
  readonly #stopping = new AbortController();
  /** The signal of the leases, or its own reason to stop. */
  readonly #ended: AbortSignal;
  #build!: Build;

  constructor(options: FollowOptions, goal: Cursor, units: UnitsOfBuilder, signal: AbortSignal) {
    const { model, version, pool, log } = options;
    this.#options = options;
    this.#target = { pool, model, schema: schemaOf(model.name, version), keys: log.keys };
    this.#goal = goal;
    this.#units = units;
    this.#ended = AbortSignal.any([signal, this.#stopping.signal]);
  }

  /** @throws BadCommitError, and errors of the log or the database */
  async run(): Promise<Stopped | 'whole'> {
    const { model, version, pool, log, onPartitions } = this.#options;
    const found = await findVersion(pool, model.name, version);
    const reason = whyNotToBuild(found);
    if (reason !== null) return reason;
    this.#build = new Build(found!, { pool, log, signal: this.#ended, units: this.#units });
    const own = await this.#own();
    const keys = new Set(own.map(({ key }) => key));
    await removeBlocking(pool, this.#target.schema, (commit) => keys.has(this.#keyOf(commit)));
    const partitions = new Set(own.map(({ partition }) => partition));
    onPartitions?.({ projection: model.name, version, partitions: partitions.size });
    const watching = this.#watchVersion().catch((error: unknown) => this.#stopping.abort(error));
    try {
      for (;;) {
        const stretch = nextStretch(await this.#own(), this.#goal);
        if (stretch === null) break;
        await this.#buildStretch(stretch);
        if (this.#ended.aborted) return this.#outcome();
      }
      await removeMeasured(pool, found!, [...this.#units.own]);
      while (!(await joinSections(pool, found!, log.partitions))) {
        await pause(JOIN_MS, this.#ended);
        if (this.#ended.aborted) return this.#outcome();
      }
      return 'whole';
    } finally {
      onPartitions?.({ projection: model.name, version, partitions: 0 });
      this.#stopping.abort(INTERRUPTED);
      await watching;
    }
  }

  async #own() {
    const { pool, log } = this.#options;
    const all = await loadUnits(pool, this.#target.schema, log.partitions);
    return all.filter((_, number) => this.#units.own.has(number));
  }

  /** The key of the unit of a commit. */
  #keyOf({ position, stream }: PlaceOfCommit): number {
    const { partitions } = this.#options.log;
    // 0: partitions are whole.
    const sections = this.#units.all === partitions ? 0 : this.#units.all / partitions;
    return keyOfBot(partitionOf(position), sections, keyOf(stream));
  }

  #outcome(): Stopped {
    const { aborted, reason } = this.#stopping.signal;
    if (!aborted) return INTERRUPTED;
    if (isStopped(reason)) return reason;
    throw reason;
  }

  async #buildStretch({ after, until, keys }: Stretch): Promise<void> {
    const { model, version, log, onBatch } = this.#options;
    const writer = new Writer({
      target: this.#target,
      checkpoint: after,
      keysOf: (partition) => keys.get(partition)!,
      skipped: await skippedCommits(log, model.name),
      quarantined: null,
      partItems: this.#build.partEvents,
      onBadCommit: async (commit, error) => {
        await recordStop(this.#target, version, commit, error, this.#keyOf(commit));
        throw error;
      },
    });
    const wanted = (commit: RecordedCommit): boolean =>
      keys.get(partitionOf(commit.position))!.includes(this.#keyOf(commit));
    // Other partitions are not its own to build.
    const others = [...this.#goal].filter(([partition]) => !until.has(partition));
    for await (const part of partsUpTo(writer, model, log, { until, wanted, signal: this.#ended })) {
      const begun = performance.now();
      await tracedWrite(model.name, [part], () => writer.write([part]));
      const { commits } = part;
      if (commits.length > 0) onBatch?.({ projection: model.name, commits, ms: performance.now() - begun });
      await catchUpSlice(this.#target, true);
      await this.#build.after([part]);
      await this.#build.measure(new Map([...others, ...writer.written].filter(([, position]) => position !== '')));
    }
  }

  /** Stops when the version is dropped or paused, or another instance has stopped at a bad event. */
  async #watchVersion(): Promise<void> {
    const { model, version, versions } = this.#options;
    for (;;) {
      const seen = await versions.next(this.#ended);
      if (seen === null) return;
      const own = seen.find((each) => each.name === model.name && each.version === version);
      if (own === undefined || own.state === 'dropped') return this.#stopping.abort(DROPPED);
      if (own.error !== null) return this.#stopping.abort(AT_BAD_EVENT);
      if (own.paused) return this.#stopping.abort(PAUSED);
      this.#build.limit(own.maxRate);
    }
  }
}
