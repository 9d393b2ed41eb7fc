import { inTime } from '../../util/in-time.ts';
import { encodeCommit, headAt, headWith } from '../commit-codec.ts';
import {
  type Appended,
  type AppendOptions,
  CommitTooLargeError,
  ConflictError,
  LogUnavailableError,
  type NewCommit,
  OutcomeUnknownError,
  type RecordedCommit,
  type StreamHead,
} from '../port.ts';
import { keyOf } from '../stream-name.ts';
import type { Progress } from './index-progress.ts';
import { headOf, holderOf, verdictOn } from './index-reader.ts';
import type { Index } from './index-schema.ts';
import { positionOf } from './record.ts';
import type { Appender } from './validated-appender.ts';
import { silent } from './validated-reads.ts';

/** A commit on its way to the log. */
interface Sending {
  readonly commit: NewCommit;
  readonly text: string;
  readonly partition: number;
  /** Milliseconds, like `performance.now()`. */
  readonly deadline: number;
}

export interface ValidatedAppendsOptions {
  readonly index: Index;
  readonly appender: Appender;
  readonly progress: Progress;
  readonly partitionOf: (key: string) => number;
  readonly maxWaitMs: number;
  readonly maxCommitBytes: number;
  /** As catchUpTo returns it. */
  readonly catchUp: (partition: number, deadline: number) => Promise<void>;
}

/** Appends to a validated log: sends a record, and waits for the verdict of the index on it. */
export class ValidatedAppends {
  private readonly pending = new Set<Promise<unknown>>();

  constructor(private readonly options: ValidatedAppendsOptions) {}

  /** As EventLog.append. The commit is well formed. */
  async append(commit: NewCommit, options: AppendOptions): Promise<Appended> {
    const appending = this.send(commit, options);
    this.pending.add(appending);
    try {
      return await appending;
    } finally {
      this.pending.delete(appending);
    }
  }

  /** Resolves when all appends have ended. */
  async settled(): Promise<void> {
    await Promise.allSettled(this.pending);
  }

  private async send(
    commit: NewCommit,
    { unseen = false, deadline: giveUpAt = Number.POSITIVE_INFINITY }: AppendOptions,
  ): Promise<Appended> {
    const { appender, maxWaitMs, maxCommitBytes, partitionOf } = this.options;
    const deadline = Math.min(giveUpAt, performance.now() + maxWaitMs);
    const text = encodeCommit(commit);
    const value = Buffer.from(text);
    if (value.length > maxCommitBytes) throw new CommitTooLargeError(`a commit of ${value.length} bytes is too large`);
    const key = keyOf(commit.stream);
    const partition = partitionOf(key);
    const sending = { commit, text, partition, deadline };
    const needsVerdict = commit.expected !== 'any' || commit.command !== undefined;
    const earlier = needsVerdict && !unseen ? await this.findEarlier(sending) : null;
    if (earlier !== null) return repeatOf(earlier);
    const offset = await appender.append({ partition, key, value }, deadline);
    if (needsVerdict) return this.resultOf(sending, offset);
    return { position: positionOf(partition, offset), head: null, repeated: null };
  }

  private async findEarlier(sending: Sending): Promise<RecordedCommit | null> {
    try {
      return await inTime(this.lookUp(sending), left(sending.deadline), silent);
    } catch (error) {
      if (error instanceof ConflictError || error instanceof RangeError || error instanceof LogUnavailableError)
        throw error;
      throw new LogUnavailableError('failed to read the index before the append', { cause: error });
    }
  }

  private async resultOf(sending: Sending, offset: number): Promise<Appended> {
    try {
      return await inTime(this.outcome(sending, offset), left(sending.deadline), unanswered);
    } catch (error) {
      if (error instanceof ConflictError || error instanceof RangeError || error instanceof OutcomeUnknownError)
        throw error;
      throw new OutcomeUnknownError('failed to read the verdict on the append', { cause: error });
    }
  }

  /**
   * Finds the earlier commit with the same command or id, if there is one.
   * @throws ConflictError
   */
  private async lookUp({ commit, text, partition, deadline }: Sending): Promise<RecordedCommit | null> {
    const { index, catchUp } = this.options;
    await catchUp(partition, deadline);
    // Reads the head first. So if this very commit has moved the head, `holderOf` finds it.
    const head = await headOf(index, commit.stream);
    const earlier = await holderOf(index, partition, commit, text);
    if (earlier === null) refuseEarly(commit, head);
    return earlier;
  }

  /** Waits until the index has passed the record at `offset`, and returns the result of its append. */
  private async outcome({ commit, text, partition, deadline }: Sending, offset: number): Promise<Appended> {
    const { index, progress } = this.options;
    await progress.passed(partition, offset, deadline);
    const verdict = await verdictOn(index, partition, offset);
    if (verdict === null) throw unanswered();
    if (verdict.void === null)
      return { position: positionOf(partition, offset), head: headWith(commit, text), repeated: null };
    if (verdict.void === 'conflict') throw await conflict(index, commit);
    const earlier = await holderOf(index, partition, commit, text);
    if (earlier === null) throw new OutcomeUnknownError(`the record at ${positionOf(partition, offset)} is void`);
    // `earlier` may be this append itself, stored twice by the client's retry. The index cannot distinguish the two.
    return repeatOf(earlier);
  }
}

const repeatOf = (earlier: RecordedCommit): Appended => ({
  position: earlier.position,
  head: headAt(earlier),
  repeated: earlier,
});

/**
 * Refuses an append that would be void: the indexed head is beyond the expected one, and heads never go back. If the indexed
 * head is behind, the index may only be late.
 * @throws ConflictError
 */
function refuseEarly({ stream, expected }: NewCommit, head: StreamHead): void {
  if (expected === 'any') return;
  if (head.revision > expected.revision || (head.revision === expected.revision && head.hash !== expected.hash))
    throw new ConflictError(stream, expected.revision, head.revision);
}

/** The error of an append whose record lost its race. */
async function conflict(index: Index, { stream, expected }: NewCommit): Promise<ConflictError> {
  const head = await headOf(index, stream);
  return new ConflictError(stream, expected === 'any' ? 0 : expected.revision, head.revision);
}

const left = (deadline: number): number => deadline - performance.now();
const unanswered = (): Error => new OutcomeUnknownError('the index did not pass the append in time');
