import { createRequire } from 'node:module';
import type { AppendReq, ReadReq, TombstoneReq } from '@eventstore/db-client/generated/streams_pb.js';
import {
  type handleClientStreamingCall,
  type handleServerStreamingCall,
  type handleUnaryCall,
  Metadata,
  Server,
  ServerCredentials,
  type ServerWritableStream,
  status,
} from '@grpc/grpc-js';
import { batchAppend, supportedMethods, type Take } from './eventstore-batches.ts';
import { type Expected, type ProposedEvent, type RecordedEvent, Streams } from './eventstore-streams.ts';

/**
 * A test double of EventStoreDB, for machines without a server: a gRPC server made from the client's own protobuf
 * definitions. Its answers and errors follow the server's source (EventStore/EventStore,
 * src/EventStore.Core/Services/Transport/Grpc: Streams.*.cs, RpcExceptions.cs). It was not compared with a real server.
 * Without `batches` it answers UNIMPLEMENTED to ServerFeatures, as servers before 21.10 do, and clients append one by one.
 */
export interface EventStoreDouble {
  readonly url: string;
  /** Cuts all connections and stops answering. Appended events stay, as on a disk. */
  kill(): void;
  /** Starts the server again on its port, unless it runs. */
  start(): Promise<void>;
  /** Stores the next append, and loses its answer with the connection. */
  loseNextAnswer(): void;
  /** Neither stores nor answers the next append. The connection stays. */
  swallowNextAppend(): void;
  /** Runs `interfere` before the next append is stored. */
  beforeNextAppend(interfere: () => void): void;
  /** Direct access to the streams, like an operator or another client. */
  readonly streams: Streams;
  stop(): void;
}

// Generated as CommonJS, with names that Node cannot see.
const require = createRequire(import.meta.url);
const GENERATED = '@eventstore/db-client/generated';
const streamsPb = require(
  `${GENERATED}/streams_pb.js`,
) as typeof import('@eventstore/db-client/generated/streams_pb.js');
const sharedPb = require(`${GENERATED}/shared_pb.js`) as typeof import('@eventstore/db-client/generated/shared_pb.js');
const { StreamsService } = require(
  `${GENERATED}/streams_grpc_pb.js`,
) as typeof import('@eventstore/db-client/generated/streams_grpc_pb.js');
const { ServerFeaturesService } = require(
  `${GENERATED}/serverfeatures_grpc_pb.js`,
) as typeof import('@eventstore/db-client/generated/serverfeatures_grpc_pb.js');

const { AppendResp, ReadResp, TombstoneResp } = streamsPb;

export async function startEventStoreDouble({ batches = true } = {}): Promise<EventStoreDouble> {
  const streams = new Streams();
  let server: Server | null = null;
  let down = new AbortController();
  let loses = false;
  let swallows = false;
  let interfere = (): void => {};

  const take: Take = (stream, expected, events) => {
    const before = interfere;
    interfere = () => {};
    before();
    if (swallows) {
      swallows = false;
      return 'nothing';
    }
    const outcome = streams.append(stream, expected, events);
    if (!loses) return outcome;
    loses = false;
    return null;
  };

  const append: handleClientStreamingCall<AppendReq, InstanceType<typeof AppendResp>> = (call, callback) => {
    let options: AppendReq.Options | undefined;
    const events: ProposedEvent[] = [];
    call.on('data', (message: AppendReq) => {
      if (message.hasOptions()) options = message.getOptions();
      else events.push(proposed(message.getProposedMessage()!));
    });
    call.on('end', () => {
      // A client that was killed has sent nothing yet, or not all; nothing is to be answered.
      if (options === undefined || events.length === 0) return;
      const stream = nameOf(options);
      const outcome = take(stream, expectedOf(options), events);
      if (outcome === null) return callback({ code: status.UNAVAILABLE, details: 'Connection dropped' });
      if (outcome === 'nothing') return;
      if (outcome === 'deleted') return callback(deleted(stream));
      if (outcome === 'too large') return callback(tooLarge());
      const response = new AppendResp();
      if ('current' in outcome) response.setWrongExpectedVersion(wrongExpectedVersion(options, outcome.current));
      else {
        const position = new AppendResp.Position();
        position.setCommitPosition(String(outcome.position));
        position.setPreparePosition(String(outcome.position));
        const success = new AppendResp.Success();
        success.setCurrentRevision(String(outcome.revision));
        success.setPosition(position);
        response.setSuccess(success);
      }
      callback(null, response);
    });
  };

  const tombstone: handleUnaryCall<TombstoneReq, InstanceType<typeof TombstoneResp>> = ({ request }, callback) => {
    const stream = nameOf(request.getOptions()!);
    if (!streams.tombstone(stream)) return callback(deleted(stream));
    callback(null, new TombstoneResp());
  };

  const read: handleServerStreamingCall<ReadReq, InstanceType<typeof ReadResp>> = async (call) => {
    const gone = new AbortController();
    call.on('cancelled', () => gone.abort());
    const signal = AbortSignal.any([gone.signal, down.signal]);
    const options = call.request.getOptions()!;
    if (options.hasSubscription()) return follow(call, options, signal);
    const events = select(options);
    if (events === 'deleted') return void call.emit('error', deleted(nameOf(options.getStream()!)));
    if (events === null) {
      const notFound = new ReadResp.StreamNotFound();
      notFound.setStreamIdentifier(options.getStream()!.getStreamIdentifier());
      call.write(new ReadResp().setStreamNotFound(notFound));
    } else
      for (const event of events) {
        if (signal.aborted) break;
        await write(call, response(event), signal);
      }
    call.end();
  };

  /** Sends the events after the requested revision, and then new events as they are appended. */
  async function follow(
    call: ServerWritableStream<ReadReq, InstanceType<typeof ReadResp>>,
    options: ReadReq.Options,
    signal: AbortSignal,
  ): Promise<void> {
    const from = options.getStream()!;
    const name = nameOf(from);
    const confirmation = new ReadResp.SubscriptionConfirmation();
    confirmation.setSubscriptionId(crypto.randomUUID());
    call.write(new ReadResp().setConfirmation(confirmation));
    let next = from.hasRevision() ? Number(from.getRevision()) + 1 : 0;
    while (!signal.aborted) {
      const events = streams.read(name) ?? [];
      if (events === 'deleted') return void call.emit('error', deleted(name));
      const arrived = events.slice(next, next + 100);
      next += arrived.length;
      for (const event of arrived) await write(call, response(event), signal);
      if (arrived.length === 0) await streams.grown(signal);
    }
    call.end();
  }

  function select(options: ReadReq.Options): readonly RecordedEvent[] | 'deleted' | null {
    const count = Number(options.getCount());
    const backwards = options.getReadDirection() === streamsPb.ReadReq.Options.ReadDirection.BACKWARDS;
    const from = options.getStream();
    if (from === undefined) {
      const prefixes = options.getFilter()?.getStreamIdentifier()?.getPrefixList() ?? [''];
      return streams.all.filter(({ stream }) => prefixes.some((prefix) => stream.startsWith(prefix))).slice(0, count);
    }
    const events = streams.read(nameOf(from));
    if (events === null || events === 'deleted') return events;
    if (backwards) return events.toReversed().slice(0, count);
    const first = from.hasRevision() ? Number(from.getRevision()) : 0;
    return events.slice(first, first + count);
  }

  async function listen(port: number): Promise<number> {
    down = new AbortController();
    server = new Server({ 'grpc.max_receive_message_length': 32 << 20 });
    const appends = { append, batchAppend: batches ? batchAppend(take) : refuse };
    server.addService(StreamsService, { ...appends, read, tombstone, delete: refuse } as never);
    server.addService(ServerFeaturesService, { getSupportedMethods: batches ? supportedMethods : refuse } as never);
    const starting = server;
    return new Promise((resolve, reject) =>
      starting.bindAsync(`127.0.0.1:${port}`, ServerCredentials.createInsecure(), (error, bound) =>
        error === null ? resolve(bound) : reject(error),
      ),
    );
  }

  const kill = (): void => {
    down.abort();
    server?.forceShutdown();
    server = null;
  };
  const port = await listen(0);
  return {
    url: `esdb://127.0.0.1:${port}?tls=false`,
    streams,
    kill,
    async start() {
      if (server === null) await listen(port);
    },
    loseNextAnswer() {
      loses = true;
    },
    swallowNextAppend() {
      swallows = true;
    },
    beforeNextAppend(what) {
      interfere = what;
    },
    stop: kill,
  };
}

const refuse: handleUnaryCall<never, never> = (_, callback) => callback({ code: status.UNIMPLEMENTED });

function nameOf(options: AppendReq.Options | TombstoneReq.Options | ReadReq.Options.StreamOptions): string {
  return Buffer.from(options.getStreamIdentifier()!.getStreamName_asU8()).toString();
}

function expectedOf(options: AppendReq.Options): Expected {
  if (options.hasNoStream()) return 'no_stream';
  if (options.hasAny()) return 'any';
  return options.hasStreamExists() ? 'stream_exists' : Number(options.getRevision());
}

function proposed(message: AppendReq.ProposedMessage): ProposedEvent {
  return {
    id: message.getId()!.getString(),
    metadata: new Map(message.getMetadataMap().entries()),
    customMetadata: message.getCustomMetadata_asU8(),
    data: message.getData_asU8(),
  };
}

/** Waits for the reader when its buffer is full. */
async function write(
  call: ServerWritableStream<ReadReq, InstanceType<typeof ReadResp>>,
  message: InstanceType<typeof ReadResp>,
  signal: AbortSignal,
): Promise<void> {
  if (call.write(message) || signal.aborted) return;
  await new Promise<void>((resolve) => {
    const done = (): void => {
      call.off('drain', done);
      signal.removeEventListener('abort', done);
      resolve();
    };
    call.once('drain', done);
    signal.addEventListener('abort', done, { once: true });
  });
}

function response(event: RecordedEvent): InstanceType<typeof ReadResp> {
  const recorded = new ReadResp.ReadEvent.RecordedEvent();
  recorded.setId(new sharedPb.UUID().setString(event.id));
  recorded.setStreamIdentifier(new sharedPb.StreamIdentifier().setStreamName(Buffer.from(event.stream)));
  recorded.setStreamRevision(String(event.revision));
  recorded.setCommitPosition(String(event.position));
  recorded.setPreparePosition(String(event.position));
  for (const [name, value] of event.metadata) recorded.getMetadataMap().set(name, value);
  recorded.getMetadataMap().set('created', String(event.created));
  recorded.setCustomMetadata(event.customMetadata);
  recorded.setData(event.data);
  const read = new ReadResp.ReadEvent().setEvent(recorded).setCommitPosition(String(event.position));
  return new ReadResp().setEvent(read);
}

function wrongExpectedVersion(
  options: AppendReq.Options,
  current: number | null,
): InstanceType<typeof AppendResp.WrongExpectedVersion> {
  const wrong = new AppendResp.WrongExpectedVersion();
  if (current === null) wrong.setCurrentNoStream(new sharedPb.Empty());
  else wrong.setCurrentRevision(String(current));
  if (options.hasNoStream()) wrong.setExpectedNoStream(new sharedPb.Empty());
  else if (options.hasStreamExists()) wrong.setExpectedStreamExists(new sharedPb.Empty());
  else wrong.setExpectedRevision(options.getRevision());
  return wrong;
}

/** `RpcExceptions.StreamDeleted`. */
function deleted(stream: string): { code: status; details: string; metadata: Metadata } {
  const metadata = new Metadata();
  metadata.set('exception', 'stream-deleted');
  metadata.set('stream-name', encodeURIComponent(stream));
  return { code: status.FAILED_PRECONDITION, details: `Event stream '${stream}' is deleted.`, metadata };
}

/** `RpcExceptions.MaxAppendSizeExceeded`. */
function tooLarge(): { code: status; details: string; metadata: Metadata } {
  const metadata = new Metadata();
  metadata.set('exception', 'maximum-append-size-exceeded');
  metadata.set('maximum-append-size', '1048576');
  return { code: status.INVALID_ARGUMENT, details: 'Maximum Append Size Exceeded.', metadata };
}
