import { randomUUID } from 'node:crypto';
import type { Logger } from 'pino';
import { pause } from '../../util/pause.ts';
import { LogUnavailableError, LogUnfitError } from '../port.ts';
import type { LogRecord } from '../validated/record.ts';
import { type Chunk, type NewRecord, NotSentError, type RecordStore } from '../validated/record-store.ts';
import { type EventStoreClient, NeverSentError, type NewEvent, type StoredEvent } from './client.ts';

export interface CommitStreamOptions {
  readonly client: Pick<EventStoreClient, 'append' | 'last' | 'read' | 'follow' | 'metadata'>;
  readonly stream: string;
  readonly logger: Logger;
  /** Ends the background work. */
  readonly signal: AbortSignal;
}

/** The stream that is there cannot hold a log. */
export class StreamUnfitError extends LogUnfitError {
  override readonly name = 'StreamUnfitError';
}

/** Commits are missing, or the stream has been replaced. Reading further would lose events silently. */
export class StreamDamagedError extends Error {
  override readonly name = 'StreamDamagedError';
}

const PARTITION = 0;
const EVENT_TYPE = 'commit';
/** How long an append of unknown outcome is sent again. Its caller has its answer long before. */
const RESEND_FOR_MS = 30_000;
const RETRY_MS = 100;
const RESUME_MS = 200;
/** Bytes of commits in one step of a reader. */
const MAX_CHUNK_BYTES = 4 << 20;

/**
 * The log as one stream, one event a commit. A stream is what EventStoreDB gives one order, numbers without gaps, atomic
 * appends and expected revisions; across streams it gives an order alone.
 *
 * Every append names the revision that it expects. So an append without an answer can be sent again: it is there, and the
 * server says so, or nothing of it is, or another's event is in its place, and it never will be. Appends of several
 * instances meet at the stream's end; the loser learns where the end is and tries there.
 */
export function openCommitStream({ client, stream, logger, signal }: CommitStreamOptions): RecordStore {
  let end = 0;
  let silent = false;

  async function findEnd(): Promise<number> {
    const last = await client.last(stream);
    const found = last === null ? 0 : last.number + 1;
    end = Math.max(end, found);
    return found;
  }

  return {
    /** After a failure, waits until the server answers. */
    async ready() {
      while (silent && !signal.aborted) {
        await findEnd().then(
          () => (silent = false),
          () => pause(RETRY_MS, signal),
        );
      }
    },

    async send(records: readonly NewRecord[]) {
      const events = records.map(({ value }): NewEvent => ({ id: randomUUID(), type: EVENT_TYPE, data: value }));
      const giveUpAt = performance.now() + RESEND_FOR_MS;
      // Stays the same while an outcome is unknown, whatever end readers find meanwhile: that end may be this append.
      let expected = end;
      let sent = false;
      for (;;) {
        try {
          const outcome = await client.append(stream, events, expected);
          if (outcome === 'deleted') throw new LogUnavailableError(`the stream ${stream} was deleted`);
          if ('next' in outcome) {
            end = Math.max(end, outcome.next);
            return events.map((_, i) => outcome.next - events.length + i);
          }
          if (outcome.has < expected) throw new LogUnavailableError(`the stream ${stream} has lost its end`);
          expected = outcome.has;
          // Every earlier attempt expected a place that another append took. So none of them is stored, now or later.
          sent = false;
        } catch (error) {
          if (error instanceof LogUnavailableError || error instanceof RangeError) throw error;
          silent = true;
          if (error instanceof NeverSentError && !sent) throw new NotSentError(error.message, { cause: error });
          sent = true;
          if (performance.now() > giveUpAt || signal.aborted) throw error;
          logger.warn({ err: error, stream }, 'an append to EventStoreDB was not answered; sending it again');
          await pause(RETRY_MS, signal);
        }
      }
    },

    endOffsets: async () => [await findEnd()],

    async ageOfOldest([from]) {
      const [oldest] = await client.read(stream, from!, 1);
      return oldest === undefined ? 1 : Math.max(1, (Date.now() - oldest.at) / 1000);
    },

    async *tail([from], reading): AsyncGenerator<Chunk[]> {
      let next = from!;
      while (!reading.aborted) {
        try {
          if ((await findEnd()) < next)
            throw new StreamDamagedError(`${stream} has not all that was read from it before`);
          for await (const arrived of client.follow(stream, next, reading)) {
            for (const records of portions(arrived.map(recordOf))) {
              checkContinuity(stream, next, records);
              next += records.length;
              yield [{ partition: PARTITION, records }];
            }
          }
        } catch (error) {
          if (error instanceof StreamDamagedError) throw error;
          if (!reading.aborted) logger.warn({ err: error, stream }, 'failed to read from EventStoreDB; retrying');
        }
        await pause(RESUME_MS, reading);
      }
    },
  };
}

/** What a stream's metadata may hold that takes its first events away; `$tb` is also what a deletion leaves. */
const TRUNCATING = ['maxCount', 'maxAge', 'truncateBefore'] as const;

/** @throws StreamUnfitError */
export async function checkCommitStream(client: Pick<EventStoreClient, 'metadata'>, stream: string): Promise<void> {
  const metadata = await client.metadata(stream);
  const found = TRUNCATING.filter((name) => metadata[name] !== undefined);
  if (found.length > 0)
    throw new StreamUnfitError(`the stream ${stream} cannot hold the log: its metadata has ${found.join(', ')}`);
}

/** What is no commit has no value, and is void. */
function recordOf({ number, type, data }: StoredEvent): LogRecord {
  return { offset: number, value: type === EVENT_TYPE && data instanceof Uint8Array ? data : null };
}

function* portions(records: readonly LogRecord[]): Generator<LogRecord[]> {
  let portion: LogRecord[] = [];
  let bytes = 0;
  for (const record of records) {
    portion.push(record);
    bytes += record.value?.length ?? 0;
    if (bytes < MAX_CHUNK_BYTES) continue;
    yield portion;
    portion = [];
    bytes = 0;
  }
  if (portion.length > 0) yield portion;
}

function checkContinuity(stream: string, want: number, records: readonly LogRecord[]): void {
  for (const [i, { offset }] of records.entries())
    if (offset !== want + i)
      throw new StreamDamagedError(`${stream}: event ${want + i} is gone, the next is ${offset}`);
}
