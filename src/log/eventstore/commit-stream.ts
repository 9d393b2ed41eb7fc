import { randomUUID } from 'node:crypto';
import type { Logger } from 'pino';
import { pause } from '../../util/pause.ts';
import { LogUnavailableError, LogUnfitError } from '../port.ts';
import type { LogRecord } from '../validated/record.ts';
import { type Chunk, type NewRecord, NotSentError, type RecordStore } from '../validated/record-store.ts';
import { type EventStoreClient, NeverSentError, type NewEvent, type StoredEvent } from './eventstore-client.ts';

export interface CommitStreamOptions {
  readonly client: Pick<EventStoreClient, 'append' | 'last' | 'read' | 'follow' | 'metadata'>;
  readonly stream: string;
  readonly logger: Logger;
  /** Ends the background work. */
  readonly signal: AbortSignal;
}

/** The existing stream cannot hold a log: its metadata removes events. */
export class StreamUnfitError extends LogUnfitError {
  override readonly name = 'StreamUnfitError';
}

/** Commits are missing, or another stream has replaced this one. Reading further would lose events silently. */
export class StreamDamagedError extends Error {
  override readonly name = 'StreamDamagedError';
}

const PARTITION = 0;
const EVENT_TYPE = 'commit';
/** How long the engine sends an append of unknown outcome again. The caller stops waiting long before this time. */
const RESEND_FOR_MS = 30_000;
const RETRY_MS = 100;
const RESUME_MS = 200;
/** A chunk ends after so many bytes of commits. */
const MAX_CHUNK_BYTES = 4 << 20;

/**
 * The log as one stream, with one event for each commit. Within a stream EventStoreDB has one order, numbers without
 * gaps, atomic appends and expected revisions; across streams it has an order only.
 *
 * Every append names the revision that it expects. So the engine can send an append without an answer again. Then the
 * server stores it now, or says that the stream has it. If another append has taken the revision, it is never stored.
 * Several instances append at the stream's end. The server answers the loser with the new end, and the loser appends there.
 */
export class CommitStream implements RecordStore {
  private end = 0;
  private isSilent = false;

  constructor(private readonly options: CommitStreamOptions) {}

  /** After a failure, waits until the server answers. */
  async ready(): Promise<void> {
    const { signal } = this.options;
    while (this.isSilent && !signal.aborted) {
      await this.findEnd().then(
        () => (this.isSilent = false),
        () => pause(RETRY_MS, signal),
      );
    }
  }

  async send(records: readonly NewRecord[]): Promise<number[]> {
    const { client, stream, logger, signal } = this.options;
    const events = records.map(({ value }): NewEvent => ({ id: randomUUID(), type: EVENT_TYPE, data: value }));
    const giveUpAt = performance.now() + RESEND_FOR_MS;
    // Stays the same while the outcome is unknown, even if `findEnd` finds another end: that end may include this append.
    let expected = this.end;
    let sent = false;
    for (;;) {
      try {
        const outcome = await client.append(stream, events, expected);
        if (outcome === 'deleted') throw new LogUnavailableError(`the stream ${stream} was deleted`);
        if ('next' in outcome) {
          this.end = Math.max(this.end, outcome.next);
          return events.map((_, i) => outcome.next - events.length + i);
        }
        if (outcome.has < expected) throw new LogUnavailableError(`the stream ${stream} has lost its last events`);
        expected = outcome.has;
        // Another append has taken the revision that all earlier attempts expected. So the server never stores these attempts.
        sent = false;
      } catch (error) {
        if (error instanceof LogUnavailableError || error instanceof RangeError) throw error;
        this.isSilent = true;
        if (error instanceof NeverSentError && !sent) throw new NotSentError(error.message, { cause: error });
        sent = true;
        if (performance.now() > giveUpAt || signal.aborted) throw error;
        logger.warn({ err: error, stream }, 'EventStoreDB did not answer an append; sending it again');
        await pause(RETRY_MS, signal);
      }
    }
  }

  async endOffsets(): Promise<number[]> {
    return [await this.findEnd()];
  }

  async ageOfOldest([from]: readonly number[]): Promise<number> {
    const [oldest] = await this.options.client.read(this.options.stream, from!, 1);
    return oldest === undefined ? 1 : Math.max(1, (Date.now() - oldest.at) / 1000);
  }

  async *tail(from: ReadonlyMap<number, number>, reading: AbortSignal): AsyncGenerator<Chunk[]> {
    const { client, stream, logger } = this.options;
    let next = from.get(PARTITION)!;
    while (!reading.aborted) {
      try {
        if ((await this.findEnd()) < next)
          throw new StreamDamagedError(`${stream} has fewer events than were read from it before`);
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
  }

  private async findEnd(): Promise<number> {
    const last = await this.options.client.last(this.options.stream);
    const found = last === null ? 0 : last.number + 1;
    this.end = Math.max(this.end, found);
    return found;
  }
}

/** Settings in a stream's metadata that remove its first events. A soft deletion also sets `truncateBefore` (`$tb`). */
const TRUNCATING = ['maxCount', 'maxAge', 'truncateBefore'] as const;

/**
 * Checks that the stream's metadata removes no events.
 * @throws StreamUnfitError
 */
export async function checkCommitStream(client: Pick<EventStoreClient, 'metadata'>, stream: string): Promise<void> {
  const metadata = await client.metadata(stream);
  const found = TRUNCATING.filter((name) => metadata[name] !== undefined);
  if (found.length > 0)
    throw new StreamUnfitError(`the stream ${stream} cannot hold the log: its metadata has ${found.join(', ')}`);
}

/** An event that is no commit gets no value, so that its record is void. */
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
