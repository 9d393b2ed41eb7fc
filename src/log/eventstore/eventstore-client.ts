import { once } from 'node:events';
import {
  binaryEvent,
  ErrorType,
  EventStoreDBClient,
  isCommandError,
  type JSONEventType,
  jsonEvent,
  type ResolvedEvent,
  type StreamMetadata,
} from '@eventstore/db-client';
import { inTime } from '../../util/in-time.ts';
import { CommitTooLargeError } from '../port.ts';

/**
 * The calls of EventStoreDB that the engine needs. Only this file imports the client, `@eventstore/db-client`
 * (docs/adr/0023-eventstoredb-by-its-own-client-one-append-a-call.md).
 * Streams count their events from 0. The numbers stay exact as JavaScript numbers for 2^53 events.
 */
export interface EventStoreClient {
  /**
   * Appends the events, all or none, if the stream has `expected` events. A repeat with the same ids and the same `expected`
   * changes nothing.
   * @throws CommitTooLargeError the events are larger than the server accepts
   * @throws NeverSentError
   * @throws other errors: no answer came, and the stream may have the events
   */
  append(stream: string, events: readonly NewEvent[], expected: number): Promise<AppendOutcome>;
  /** Reads the last event; null if the stream is empty or deleted. */
  last(stream: string): Promise<StoredEvent | null>;
  /** Reads at most `limit` events, from number `from` on. */
  read(stream: string, from: number, limit: number): Promise<StoredEvent[]>;
  /** Reads the events of all streams whose names begin with the prefix, also some of deleted streams. Reads the whole database. */
  readByPrefix(prefix: string): AsyncIterable<StoredEvent>;
  /**
   * Reads events from number `from` on, forever. Each step yields the events that have arrived since the last step.
   * @throws when the connection breaks
   */
  follow(stream: string, from: number, signal: AbortSignal): AsyncGenerator<StoredEvent[]>;
  /** Deletes the stream forever. Later reads find no events, and the server refuses appends. A repeat changes nothing. */
  tombstone(stream: string): Promise<void>;
  /** Reads the stream's metadata. */
  metadata(stream: string): Promise<StreamMetadata>;
  close(): Promise<void>;
}

export interface NewEvent {
  /** UUID. */
  readonly id: string;
  readonly type: string;
  readonly data: Buffer | { readonly [name: string]: string };
}

export interface StoredEvent {
  readonly stream: string;
  readonly number: number;
  readonly type: string;
  /** As it was appended: bytes, or the parsed JSON. */
  readonly data: unknown;
  /** When the server stored it, in milliseconds since 1970 UTC. */
  readonly at: number;
}

/** `next`: appended; the stream now has `next` events. `has`: refused; the stream has `has` events instead of `expected`. */
type AppendOutcome = { readonly next: number } | { readonly has: number } | 'deleted';

/** The client had no connection, so the server cannot have the append. */
export class NeverSentError extends Error {
  override readonly name = 'NeverSentError';
}

/** The deadline of one call. A caller that may wait longer repeats the call. */
const DEADLINE_MS = 3000;
/**
 * Events of a page. `follow` reads pages until it has caught up, and then subscribes. Pages gave 14 k events/s, a subscription
 * 5 k/s (500 bytes an event, the test double in the same OS process).
 */
const PAGE = 500;
/** Events that a subscription buffers, besides the events in HTTP/2's window. */
const BUFFERED = 256;

/** @param url `esdb://host:port?tls=false`, or `kurrentdb://`, with the options that the client's manual lists */
export function openEventStoreClient(url: string): EventStoreClient {
  const client = EventStoreDBClient.connectionString(url.replace(/^(?:kurrentdb|kdb)(?=[:+])/, 'esdb'));
  // With `supports` false (as for servers before 21.10) the client sends each append as a separate call. Otherwise the appends
  // of all clients of a thread share one map, and one broken connection fails all of them (ADR 23).
  Object.assign(client, { supports: async () => false });
  const options = { deadline: DEADLINE_MS };

  return {
    async append(stream, events, expected) {
      try {
        const { nextExpectedRevision } = await answered(
          client.appendToStream(stream, events.map(eventOf), {
            ...options,
            expectedRevision: expected === 0 ? 'no_stream' : BigInt(expected - 1),
          }),
        );
        return { next: Number(nextExpectedRevision) + 1 };
      } catch (error) {
        return refusedAppend(error);
      }
    },

    async last(stream) {
      const end = { direction: 'backwards', fromRevision: 'end', maxCount: 1 } as const;
      const [event] = await answered(readAll(client, stream, end));
      return event ?? null;
    },

    read: (stream, from, limit) => readPage(client, stream, from, limit),

    async *readByPrefix(prefix) {
      // The client has no filter for this read.
      for await (const resolved of client.readAll()) {
        const event = storedOf(resolved);
        // A deleted stream has a system event.
        if (event?.stream.startsWith(prefix) && !event.type.startsWith('$')) yield event;
      }
    },

    follow: (stream, from, signal) => follow(client, stream, from, signal),

    async tombstone(stream) {
      try {
        await answered(client.tombstoneStream(stream, { ...options, expectedRevision: 'any' }));
      } catch (error) {
        if (!(error instanceof Error && isCommandError(error)) || error.type !== ErrorType.STREAM_DELETED) throw error;
      }
    },

    metadata: async (stream) => (await answered(client.getStreamMetadata(stream))).metadata ?? {},
    close: () => client.dispose(),
  };
}

/**
 * The outcome of an append that the server has refused.
 * @throws CommitTooLargeError, NeverSentError
 * @throws the error itself, if it is no refusal
 */
function refusedAppend(error: unknown): AppendOutcome {
  if (!(error instanceof Error)) throw error;
  // @grpc/grpc-js writes this text if a call never had a connection. A call that failed as UNAVAILABLE may have had one.
  if (error.message.includes('No connection established')) throw new NeverSentError(error.message, { cause: error });
  if (!isCommandError(error)) throw error;
  if (error.type === ErrorType.WRONG_EXPECTED_VERSION)
    return { has: typeof error.actualVersion === 'bigint' ? Number(error.actualVersion) + 1 : 0 };
  if (error.type === ErrorType.STREAM_DELETED) return 'deleted';
  if (error.type === ErrorType.MAXIMUM_APPEND_SIZE_EXCEEDED)
    throw new CommitTooLargeError('the append is larger than the server accepts (MaxAppendSize)', { cause: error });
  throw error;
}

/** As EventStoreClient.follow: pages until it has caught up, then a subscription. */
async function* follow(
  client: EventStoreDBClient,
  stream: string,
  from: number,
  signal: AbortSignal,
): AsyncGenerator<StoredEvent[]> {
  let next = from;
  for (let isFull = true; isFull; ) {
    const page = await readPage(client, stream, next, PAGE);
    if (page.length === 0) break;
    next = page[page.length - 1]!.number + 1;
    yield page;
    if (signal.aborted) return;
    isFull = page.length === PAGE;
  }
  yield* subscribe(client, stream, next, signal);
}

async function* subscribe(
  client: EventStoreDBClient,
  stream: string,
  from: number,
  signal: AbortSignal,
): AsyncGenerator<StoredEvent[]> {
  const subscription = client.subscribeToStream(
    stream,
    { fromRevision: from === 0 ? 'start' : BigInt(from - 1) },
    { highWaterMark: BUFFERED },
  );
  let failure: unknown = null;
  subscription.on('error', (error) => {
    failure = error;
  });
  const stop = (): void => void subscription.destroy();
  signal.addEventListener('abort', stop, { once: true });
  try {
    while (!signal.aborted) {
      const arrived: StoredEvent[] = [];
      for (let one = subscription.read(); one !== null; one = subscription.read()) {
        const event = storedOf(one);
        if (event !== null) arrived.push(event);
      }
      if (arrived.length > 0) yield arrived;
      else if (failure !== null) throw failure;
      else if (subscription.destroyed || subscription.readableEnded) break;
      else await readableOrEnded(subscription);
    }
    if (!signal.aborted) throw new Error('the server ended the subscription');
  } finally {
    signal.removeEventListener('abort', stop);
    await subscription.unsubscribe().catch(() => {}); // a failure was thrown above
    subscription.destroy();
  }
}

/** Limits the wait for an answer, since the client sets no deadline on reads and batched appends. */
function answered<T>(call: Promise<T>): Promise<T> {
  return inTime(call, 2 * DEADLINE_MS, () => new SilenceError('EventStoreDB did not answer in time'));
}

class SilenceError extends Error {}

/** gRPC's codes (grpc.io, status codes). */
const PERMISSION_DENIED = 7;
const UNAUTHENTICATED = 16;

/** `unknown`: the user is unknown, or the password is wrong. `denied`: the user lacks a right. Null: another error. */
export function refusedRights(error: unknown): 'unknown' | 'denied' | null {
  if (!(error instanceof Error && isCommandError(error))) return null;
  const code: number | undefined = error.code;
  if (code === UNAUTHENTICATED) return 'unknown';
  return error.type === ErrorType.ACCESS_DENIED || code === PERMISSION_DENIED ? 'denied' : null;
}

/** Whether the error says that the server neither answered nor refused. */
export function isSilence(error: unknown): boolean {
  if (error instanceof SilenceError) return true;
  return (
    error instanceof Error &&
    isCommandError(error) &&
    (error.type === ErrorType.TIMEOUT || error.type === ErrorType.DEADLINE_EXCEEDED)
  );
}

function eventOf({ id, type, data }: NewEvent) {
  if (Buffer.isBuffer(data)) return binaryEvent({ id, type, data });
  return jsonEvent<JSONEventType>({ id, type, data });
}

function storedOf({ event }: ResolvedEvent): StoredEvent | null {
  if (event === undefined) return null;
  const { streamId, revision, type, data, created } = event;
  return { stream: streamId, number: Number(revision), type, data, at: created.getTime() };
}

function readPage(client: EventStoreDBClient, stream: string, from: number, limit: number): Promise<StoredEvent[]> {
  return answered(readAll(client, stream, { fromRevision: BigInt(from), maxCount: limit }));
}

async function readAll(
  client: EventStoreDBClient,
  stream: string,
  options: Parameters<EventStoreDBClient['readStream']>[1],
): Promise<StoredEvent[]> {
  const events: StoredEvent[] = [];
  try {
    for await (const resolved of client.readStream(stream, { requiresLeader: true, ...options })) {
      const event = storedOf(resolved);
      if (event !== null) events.push(event);
    }
  } catch (error) {
    if (error instanceof Error && isCommandError(error) && GONE.includes(error.type)) return [];
    throw error;
  }
  return events;
}

const GONE: readonly unknown[] = [ErrorType.STREAM_NOT_FOUND, ErrorType.STREAM_DELETED];

/** Resolves when the subscription has more to read or has ended. */
async function readableOrEnded(stream: NodeJS.EventEmitter): Promise<void> {
  const done = new AbortController();
  const wait = (name: string): Promise<unknown> => once(stream, name, { signal: done.signal }).catch(() => {});
  await Promise.race(['readable', 'end', 'close'].map(wait));
  done.abort();
}
