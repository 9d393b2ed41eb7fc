import { inTime } from '../../util/in-time.ts';
import { EMPTY_STREAM, type EventLog, LogUnavailableError } from '../port.ts';
import { keyOf } from '../stream-name.ts';
import type { Progress } from './index-progress.ts';
import { commandHolder, readStream, streamHeadsOf } from './index-reader.ts';
import type { Index } from './index-schema.ts';
import { offsetAfter, positionOf } from './record.ts';
import type { RecordStore } from './record-store.ts';

export interface ValidatedReadsOptions {
  readonly store: RecordStore;
  readonly index: Index;
  readonly progress: Progress;
  readonly partitionOf: (key: string) => number;
  readonly maxWaitMs: number;
  /** As {@link catchUpTo} returns it. */
  readonly catchUp: (partition: number, deadline: number) => Promise<void>;
}

type ValidatedReads = Pick<EventLog, 'findCommand' | 'read' | 'streamHeads' | 'endCursor' | 'lag' | 'ping'>;

/** The reads of a validated log that answer once. */
export function validatedReads(options: ValidatedReadsOptions): ValidatedReads {
  const { store, index, partitionOf, maxWaitMs, catchUp } = options;
  const answered = <T>(reading: Promise<T>): Promise<T> => inTime(reading, maxWaitMs, silent);
  const caughtUp = (partition: number): Promise<void> => catchUp(partition, performance.now() + maxWaitMs);

  return {
    findCommand(stream, id, at) {
      const partition = partitionOf(keyOf(stream));
      return answered(caughtUp(partition).then(() => commandHolder(index, partition, id, at)));
    },

    read(stream, from = EMPTY_STREAM, atMost = Number.MAX_SAFE_INTEGER) {
      const partition = partitionOf(keyOf(stream));
      return answered(caughtUp(partition).then(() => readStream(index, partition, stream, from, atMost)));
    },

    streamHeads(streams) {
      const asked = new Set(streams.map((stream) => partitionOf(keyOf(stream))));
      return answered(Promise.all([...asked].map(caughtUp)).then(() => streamHeadsOf(index, streams)));
    },

    async endCursor() {
      const ends = await answered(store.endOffsets());
      return new Map(
        ends.flatMap((end, partition) => (end === 0 ? [] : [[partition, positionOf(partition, end - 1)] as const])),
      );
    },

    async lag(after) {
      const next = Array.from({ length: index.partitions }, (_, partition) =>
        offsetAfter(after.get(partition), partition),
      );
      const ends = await answered(store.endOffsets());
      const commits = ends.reduce((sum, end, partition) => sum + Math.max(0, end - next[partition]!), 0);
      return { commits, seconds: commits === 0 ? 0 : await answered(store.ageOfOldest(next)) };
    },

    async ping() {
      await answered(store.endOffsets());
    },
  };
}

/**
 * Returns a wait until the index has reached a partition's end of the start. An index that is being rebuilt misses streams
 * that exist, so it would give wrong answers.
 */
export function catchUpTo(
  endsAtStart: readonly number[],
  progress: Progress,
): (partition: number, deadline: number) => Promise<void> {
  return async (partition, deadline) => {
    const end = endsAtStart[partition]!;
    if (end === 0 || (progress.current()[partition] ?? 0) >= end) return;
    await progress.passed(partition, end - 1, deadline);
    if ((progress.current()[partition] ?? 0) < end)
      throw new LogUnavailableError('the index has not caught up with the log yet');
  };
}

/** The error of a log that did not answer. */
export const silent = (): Error => new LogUnavailableError('the log did not answer in time');
