import { typesBeside } from '../../domain/ledger-events.ts';
import { type Position, partitionOf, type RecordedCommit } from '../../log/port.ts';
import { keyOf } from '../../log/stream-name.ts';
import { NOTHING, type Target } from './apply.ts';
import { retryDeadLetters, skippedCommits } from './bad-events.ts';
import { Build } from './build.ts';
import { CatchUps } from './catch-ups.ts';
import { catchUpSlice } from './deferred-work.ts';
import {
  AT_BAD_EVENT,
  advance,
  aimAt,
  BUILT,
  CONDUCT,
  type Conduct,
  DROPPED,
  type FollowState,
  finish,
  INTERRUPTED,
  initialState,
  isStopped,
  PAUSED,
  type Stopped,
} from './follow-states.ts';
import { FollowerTimers } from './follower-timers.ts';
import { gathered, type OpenedPart, opened } from './gather-parts.ts';
import { openWriter } from './open-writer.ts';
import type { ProjectorOptions } from './projector-options.ts';
import { decidedBots } from './quarantines.ts';
import { ahead, MAX_COMMITS } from './read-commits.ts';
import { tracedWrite } from './traced-write.ts';
import { finishBuilding, type Version } from './versions.ts';
import type { Part, Writer } from './writer.ts';

export interface FollowOptions extends ProjectorOptions {
  readonly version: number;
  /** Whether the first version of a shape becomes live when it is built. */
  readonly takesOver?: boolean;
}

/**
 * The interval of the work between batches. So a checkpoint past commits of other categories stays unwritten for at
 * most this time, and a version that is being built compares itself with the log end this often.
 */
const BETWEEN_MS = 100;
/** The budget of deferred work between two batches. */
const DEFERRED_BUDGET_MS = 100;

/** Follows partitions of the log with one version, while it holds their leases. Its changes of the version run in turn. */
export class Follower {
  readonly #options: FollowOptions;
  readonly #target: Target;
  readonly #partitions: ReadonlySet<number>;
  readonly #timers: FollowerTimers;
  readonly #build: Build | null;
  /** Aborts with the reason to stop: `Stopped`, or an error. */
  readonly #stopping = new AbortController();
  /** The signal of the lease, or the follower's own reason to stop. */
  readonly #ended: AbortSignal;
  /** The last position of commits without an event for this read model, by partition: their checkpoint is yet to be written. */
  readonly #passed = new Map<number, Position>();
  #state: FollowState;
  /** May be true without deferred work, never false with some. */
  #hasDeferredWork = true;
  #lastTurn: Promise<void> = Promise.resolve();
  #writer!: Writer;
  #catchUps!: CatchUps;

  constructor(
    options: FollowOptions,
    target: Target,
    partitions: ReadonlySet<number>,
    /** The version to build; null: it is built. */
    building: Version | null,
    signal: AbortSignal,
  ) {
    this.#options = options;
    this.#target = target;
    this.#partitions = partitions;
    this.#state = initialState(building !== null);
    this.#ended = AbortSignal.any([signal, this.#stopping.signal]);
    this.#timers = new FollowerTimers(this.#ended, options.model.name);
    const { pool, log } = options;
    this.#build = building && new Build(building, { pool, log, signal: this.#timers.signal });
  }

  /** @throws errors of a batch, the log or the work between batches */
  async run(): Promise<Stopped> {
    this.#writer = await openWriter(this.#options, this.#target, this.#partitions, {
      partItems: this.#build?.partEvents,
      isStrict: () => this.#conduct.isStrict,
      onQuarantined: (bot) => this.#catchUps.plan([bot], false),
    });
    this.#catchUps = this.#openCatchUps();
    this.#catchUps.plan(this.#writer.quarantined?.keys() ?? [], true);
    const watching = this.#watchVersion().catch((error: unknown) => this.#stopping.abort(error));
    this.#workBetween();
    try {
      for await (const { parts, hasMore } of gathered(this.#parts())) {
        if (this.#ended.aborted) break; // the rest of a batch may be thousands of commits
        const begun = performance.now();
        const hasCommits = parts.some(({ commits }) => commits.length > 0);
        if (hasCommits) await this.#inTurn(() => this.#write(parts));
        else {
          for (const { partition, last } of parts) this.#passed.set(partition, last);
          this.#workBetween();
        }
        await this.#build?.after(parts);
        if (!hasMore && this.#conduct.pauses) await this.#timers.pauseAfter(hasCommits, performance.now() - begun);
      }
      const { aborted, reason } = this.#stopping.signal;
      if (aborted && !isStopped(reason)) throw reason;
      if (aborted && reason !== BUILT) return reason;
      await this.#inTurn(() => this.#writePassed());
      return aborted ? BUILT : INTERRUPTED;
    } finally {
      this.#timers.close();
      await watching;
      await this.#catchUps.ended();
    }
  }

  get #conduct(): Conduct {
    return CONDUCT[this.#state.name];
  }

  #openCatchUps(): CatchUps {
    const { log, logger } = this.#options;
    return new CatchUps({
      target: this.#target,
      log,
      writer: this.#writer,
      logger,
      signal: this.#timers.signal,
      inTurn: (work) => this.#inTurn(work),
      onApplied: () => {
        this.#hasDeferredWork = true;
        this.#workBetween();
      },
      onFailed: (error) => this.#stopping.abort(error),
    });
  }

  /** Subscribes to the read model's commits and yields them in parts. */
  #parts(): AsyncGenerator<OpenedPart> {
    const { model, log, reader = log } = this.#options;
    const unwanted = new AbortController();
    const batches = reader.subscribe({
      categories: model.categories,
      without: typesBeside(model.events),
      after: new Map(this.#writer.written),
      partitions: this.#partitions,
      maxCommits: MAX_COMMITS,
      signal: AbortSignal.any([this.#ended, unwanted.signal]),
    });
    return ahead(
      opened(this.#writer, batches),
      ({ hasMore, hasOthers }) => hasMore || hasOthers || this.#conduct.readsAhead,
      () => unwanted.abort(),
    );
  }

  #inTurn(work: () => Promise<void>): Promise<void> {
    this.#lastTurn = this.#lastTurn.then(work);
    return this.#lastTurn;
  }

  async #write(parts: readonly Part[]): Promise<void> {
    const { model, onBatch } = this.#options;
    const commits = parts.flatMap((part) => part.commits);
    const begun = performance.now();
    await tracedWrite(model.name, parts, () => this.#writer.write(parts));
    if (commits.length > 0) {
      this.#hasDeferredWork = true;
      onBatch?.({ projection: model.name, commits, ms: performance.now() - begun });
    }
    await this.#doDeferredWork(0);
    if (this.#hasDeferredWork) this.#workBetween();
    // A later position may have come while this was being written: it stays.
    for (const { partition, last } of parts)
      if ((this.#passed.get(partition) ?? '') <= last) this.#passed.delete(partition);
  }

  /** Batches without a commit for this read model only move the checkpoint. That is not worth a transaction each. */
  async #writePassed(): Promise<void> {
    const parts = [...this.#passed].map(([partition, last]) => ({
      partition,
      commits: [],
      last,
      read: NOTHING,
      without: null,
    }));
    if (parts.length > 0) await this.#write(parts);
  }

  /** Does at least one slice of deferred work, if there is some, and more until `budgetMs` are over. */
  async #doDeferredWork(budgetMs: number): Promise<void> {
    const until = performance.now() + budgetMs;
    do this.#hasDeferredWork &&= await catchUpSlice(this.#target, this.#conduct.defersMore);
    while (this.#hasDeferredWork && performance.now() < until);
  }

  /** Starts the work between batches. It repeats itself while there is some. An idle version has no timer. */
  #workBetween(): void {
    this.#timers.once(this.#hasDeferredWork ? 0 : untilNext(BETWEEN_MS), async () => {
      try {
        await this.#inTurn(() => this.#writePassed());
        await this.#inTurn(() => this.#doDeferredWork(DEFERRED_BUDGET_MS));
        await this.#inTurn(() => this.#advance());
        if (!this.#ended.aborted) await this.#build?.measure(this.#writer.written);
      } catch (error) {
        return this.#stopping.abort(error);
      }
      this.#timers.free();
      const isBuilt = this.#state.name === 'following' || this.#ended.aborted;
      if (this.#passed.size > 0 || this.#hasDeferredWork || !isBuilt) this.#workBetween();
    });
  }

  /** Takes the transitions that the progress allows (follow-states.ts). */
  async #advance(): Promise<void> {
    const { model, version, log, pool, takesOver } = this.#options;
    for (;;) {
      const progress = {
        applied: this.#writer.written,
        hasDeferredWork: this.#hasDeferredWork,
        nowMs: performance.now(),
      };
      const { state, todo } = advance(this.#state, progress);
      this.#state = state;
      switch (todo) {
        case 'nothing':
          return;
        case 'note the log end': {
          const end = await log.endCursor();
          this.#state = aimAt(state, { end, notedAtMs: performance.now() });
          return;
        }
        case 'do deferred work':
          this.#hasDeferredWork = true;
          await this.#doDeferredWork(DEFERRED_BUDGET_MS);
          break;
        case 'finish building':
          await finishBuilding(pool, model.name, version, takesOver ?? false);
          this.#state = finish(state);
          this.#stopping.abort(BUILT);
          return;
      }
    }
  }

  /**
   * Stops when the version is dropped, its build is paused, or another projector of it has stopped at a bad event. Retries dead
   * letters when an operator asks for it.
   */
  async #watchVersion(): Promise<void> {
    const { model, version, versions } = this.#options;
    for (let retries: number | undefined; ; ) {
      const seen = await versions.next(this.#timers.signal);
      if (seen === null) return;
      const own = seen.find((each) => each.name === model.name && each.version === version);
      if (own === undefined || own.state === 'dropped') return this.#stopping.abort(DROPPED);
      if (own.error !== null) return this.#stopping.abort(AT_BAD_EVENT);
      if (this.#build !== null && own.paused) return this.#stopping.abort(PAUSED);
      this.#build?.limit(own.maxRate);
      if (own.retries === retries) continue;
      await this.#inTurn(() => this.#retryLetters());
      retries = own.retries;
      if (this.#hasDeferredWork) this.#workBetween();
    }
  }

  /** Takes up what operators decided about dead letters, or did to the rows. */
  async #retryLetters(): Promise<void> {
    const skipped = await skippedCommits(this.#options.log, this.#options.model.name);
    const { quarantined } = this.#writer;
    const isOwn = ({ stream, position }: RecordedCommit): boolean =>
      this.#partitions.has(partitionOf(position)) && !quarantined?.has(keyOf(stream));
    await retryDeadLetters(this.#target, isOwn, skipped);
    // Also without a letter: the rows of a bot may have been built again.
    this.#hasDeferredWork = true;
    const decided = await decidedBots(this.#target.pool, this.#target.schema);
    this.#catchUps.plan(
      decided.filter((bot) => quarantined?.has(bot)),
      true,
    );
  }
}

/** The time until the next multiple of `ms`: the timers of a thread's followers fire together (pass-commits.ts). */
function untilNext(ms: number): number {
  return ms - (performance.now() % ms);
}
