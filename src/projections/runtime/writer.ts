import { type Batch, type Cursor, type Position, partitionOf, type RecordedCommit } from '../../log/port.ts';
import { keyOf } from '../../log/stream-name.ts';
import type { ReadCommit } from '../read-model.ts';
import { type Application, applyCommits, NOTHING, type Target } from './apply.ts';
import { BadCommitError, naming } from './bad-commit.ts';
import type { Move } from './checkpoint.ts';
import { addDeadLetter } from './dead-letters.ts';
import { addQuarantine, type Quarantines } from './quarantines.ts';
import { parts, readCommits } from './read-commits.ts';

export interface WriterOptions {
  readonly target: Target;
  readonly checkpoint: Cursor;
  /** Ids of commits to skip. */
  readonly skipped: ReadonlySet<string>;
  /** The keys of the checkpoints that move with a partition. Absent: the partition's own (sections.ts). */
  readonly keysOf?: ((partition: number) => readonly number[]) | undefined;
  /** The bots whose commits it leaves to `catchUpBot`; null: the schema is no version, so no bot of it is ever quarantined. */
  readonly quarantined: Quarantines | null;
  /** The most items of a part, if it should have fewer than usual. */
  readonly partItems?: (() => number) | undefined;
  /** Called with a commit that the read model cannot apply. If it throws, `write` throws the same. */
  readonly onBadCommit: (commit: RecordedCommit, error: BadCommitError) => Promise<Remedy>;
}

/** How the version continues at a commit that it cannot apply: without the commit, or for now without its bot. */
export type Remedy = 'dead-letter' | 'quarantine';

/** Some commits of a batch, in order. */
export interface Part extends Batch {
  /** The opened commits, or the error of opening them. */
  readonly read: Promise<ReadCommit[]>;
  /** The bots whose commits are not in `read`. */
  readonly without: Quarantines | null;
}

/** Writes commits of the log into a version of a read model. */
export class Writer {
  readonly #options: WriterOptions;
  readonly #written: Map<number, Position>;
  #quarantined: Quarantines | null;

  constructor(options: WriterOptions) {
    this.#options = options;
    this.#written = new Map(options.checkpoint);
    this.#quarantined = options.quarantined;
  }

  /** The version's checkpoint. */
  get written(): Cursor {
    return this.#written;
  }

  get quarantined(): Quarantines | null {
    return this.#quarantined;
  }

  /** Takes over that the bot has caught up: the writer applies its commits again. */
  release(bot: string): void {
    this.#quarantined = new Map([...(this.#quarantined ?? [])].filter(([key]) => key !== bot));
  }

  /** Cuts a batch into parts. Each part begins to be opened when it is asked for. */
  *open(batch: Batch): Generator<Part> {
    const { skipped, partItems } = this.#options;
    const wanted = batch.commits.filter(({ id }) => !skipped.has(id));
    for (const part of parts({ ...batch, commits: wanted }, partItems)) yield this.#opened(part);
  }

  /**
   * Writes the rows and checkpoints of parts, each of another partition, in one separate transaction; around a bad
   * commit, in several. The PostgreSQL log shows nothing newer than the oldest open transaction, so a long one would
   * delay all readers of the log, also the catalog's.
   * @throws CheckpointTakenError
   */
  async write(parts: readonly Part[]): Promise<void> {
    try {
      await this.#applyParts(parts);
    } catch (error) {
      if (!(error instanceof BadCommitError)) throw error;
      if (parts.length === 1) return this.#writeAroundBad(parts[0]!);
      for (const part of parts) await this.write([part]);
    }
  }

  async #applyParts(parts: readonly Part[]): Promise<void> {
    const partitions = parts.map(({ partition }) => partition);
    const moves = parts.flatMap(({ partition, last }) => this.#movesTo(partition, last));
    const quarantined = this.#quarantined;
    // The quarantined bots may be others since the part was opened.
    const now = parts.map((part) =>
      part.commits.length === 0 || part.without === quarantined ? part : this.#opened(part),
    );
    const opened = Promise.all(now.map((part) => part.read)).then((commits) => commits.flat());
    const leavesOut = parts.some(({ commits }) => commits.some((commit) => this.#isLeftOut(commit)));
    await applyCommits(this.#options.target, { partitions, moves, opened, quarantined, leavesOut });
    for (const { partition, last } of parts) this.#written.set(partition, last);
  }

  /** Writes a part that contains a bad commit. */
  async #writeAroundBad({ partition, commits: all, last }: Part): Promise<void> {
    const commits = all.filter((commit) => !this.#isLeftOut(commit));
    const bad = await this.#applyOneByOne({ partition, commits, last });
    if (bad === null) return;
    const { commit, error } = bad;
    if ((await this.#options.onBadCommit(commit, error)) === 'quarantine')
      await this.#quarantine(commit, error.message);
    else await this.#applyUpTo(commit.position, NOTHING, (tx) => addDeadLetter(tx, commit, error.message, false));
    await this.write([this.#opened({ partition, commits: commits.slice(commits.indexOf(commit) + 1), last })]);
  }

  /**
   * Applies the commits of a batch in a transaction each, up to the first bad one.
   * @returns the bad commit; null: there was none, and all are applied
   */
  async #applyOneByOne({ partition, commits, last }: Batch): Promise<Bad | null> {
    const { model, keys } = this.#options.target;
    for (const commit of commits) {
      try {
        await this.#applyUpTo(commit.position, readCommits(model, [commit], keys));
      } catch (error) {
        if (!(error instanceof BadCommitError)) throw error;
        return { commit, error: naming(commit, error) };
      }
    }
    if (this.#written.get(partition) !== last) await this.#applyUpTo(last, NOTHING);
    return null;
  }

  /** The version has the bot's commits before the bad one. From it on they wait. */
  async #quarantine(commit: RecordedCommit, error: string): Promise<void> {
    const [partition, bot] = [partitionOf(commit.position), keyOf(commit.stream)];
    const added = { partition, position: this.#written.get(partition) ?? '', commitId: commit.id };
    await this.#applyUpTo(commit.position, NOTHING, async (tx) => {
      await addQuarantine(tx, this.#options.target.schema, bot, added, error);
      await addDeadLetter(tx, commit, error, false);
    });
    this.#quarantined = new Map(this.#quarantined).set(bot, added);
  }

  async #applyUpTo(to: Position, opened: Promise<ReadCommit[]>, also?: Application['also']): Promise<void> {
    const partition = partitionOf(to);
    await applyCommits(this.#options.target, {
      partitions: [partition],
      moves: this.#movesTo(partition, to),
      opened,
      quarantined: this.#quarantined,
      also,
    });
    this.#written.set(partition, to);
  }

  #movesTo(partition: number, to: Position): Move[] {
    const { keysOf = (whole: number) => [whole] } = this.#options;
    return keysOf(partition).map((key) => ({ key, from: this.#written.get(partition), to }));
  }

  #opened(batch: Batch): Part {
    const { model, keys } = this.#options.target;
    const wanted = batch.commits.filter((commit) => !this.#isLeftOut(commit));
    const read = readCommits(model, wanted, keys);
    read.catch(() => {}); // thrown when the part is written
    return { ...batch, read, without: this.#quarantined };
  }

  #isLeftOut({ stream }: RecordedCommit): boolean {
    return this.#quarantined?.has(keyOf(stream)) ?? false;
  }
}

interface Bad {
  readonly commit: RecordedCommit;
  readonly error: BadCommitError;
}
