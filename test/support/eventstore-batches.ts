import { createRequire } from 'node:module';
import type { Empty, WrongExpectedVersion } from '@eventstore/db-client/generated/shared_pb.js';
import type { BatchAppendReq, BatchAppendResp } from '@eventstore/db-client/generated/streams_pb.js';
import { type handleBidiStreamingCall, type handleUnaryCall, Metadata, status } from '@grpc/grpc-js';
import type { Appended, Expected, ProposedEvent } from './eventstore-streams.ts';

/**
 * Appends in batches, as in servers since 21.10 (EventStore/EventStore, Streams.BatchAppend.cs): one call carries all
 * appends of a client. Each append has its own id and one or more messages. An error is an answer and does not end the
 * call.
 */

// Generated as CommonJS, with names that Node cannot see.
const require = createRequire(import.meta.url);
const GENERATED = '@eventstore/db-client/generated';
const { Any } =
  require('google-protobuf/google/protobuf/any_pb.js') as typeof import('google-protobuf/google/protobuf/any_pb.js');
const { BatchAppendResp: Response } = require(
  `${GENERATED}/streams_pb.js`,
) as typeof import('@eventstore/db-client/generated/streams_pb.js');
const shared = require(`${GENERATED}/shared_pb.js`) as typeof import('@eventstore/db-client/generated/shared_pb.js');
const { Status } = require(
  `${GENERATED}/status_pb.js`,
) as typeof import('@eventstore/db-client/generated/status_pb.js');
const features = require(
  `${GENERATED}/serverfeatures_pb.js`,
) as typeof import('@eventstore/db-client/generated/serverfeatures_pb.js');

/** The double's result of an append. null: the answer is lost with the connection. `nothing`: there is no answer. */
export type Take = (
  stream: string,
  expected: Expected,
  events: readonly ProposedEvent[],
) => Appended | 'nothing' | null;

export function batchAppend(take: Take): handleBidiStreamingCall<BatchAppendReq, BatchAppendResp> {
  return (call) => {
    const begun = new Map<string, { options: BatchAppendReq.Options; events: ProposedEvent[] }>();
    call.on('data', (message: BatchAppendReq) => {
      const correlationId = message.getCorrelationId()!;
      const id = Buffer.from(correlationId.serializeBinary()).toString('hex');
      const batch = begun.get(id) ?? { options: message.getOptions()!, events: [] };
      begun.set(id, batch);
      batch.events.push(...message.getProposedMessagesList().map(proposed));
      if (!message.getIsFinal()) return;
      begun.delete(id);
      const { options, events } = batch;
      const stream = Buffer.from(options.getStreamIdentifier()!.getStreamName_asU8()).toString();
      const outcome = take(stream, expectedOf(options), events);
      if (outcome === null) return void call.emit('error', { code: status.UNAVAILABLE, metadata: new Metadata() });
      if (outcome === 'nothing') return;
      const response = new Response()
        .setCorrelationId(correlationId)
        .setStreamIdentifier(options.getStreamIdentifier());
      if (typeof outcome === 'object' && 'revision' in outcome) {
        const position = new shared.AllStreamPosition();
        position.setCommitPosition(String(outcome.position));
        position.setPreparePosition(String(outcome.position));
        response.setSuccess(new Response.Success().setCurrentRevision(String(outcome.revision)).setPosition(position));
      } else response.setError(errorOf(options, outcome));
      call.write(response);
    });
    call.on('end', () => call.end());
  };
}

/** Answers that the server supports batches. */
export const supportedMethods: handleUnaryCall<Empty, InstanceType<typeof features.SupportedMethods>> = (
  _,
  callback,
) => {
  const method = new features.SupportedMethod();
  method.setServiceName('event_store.client.streams.streams');
  method.setMethodName('batchappend');
  callback(null, new features.SupportedMethods().setEventStoreServerVersion('24.10.0').setMethodsList([method]));
};

function expectedOf(options: BatchAppendReq.Options): Expected {
  if (options.hasNoStream()) return 'no_stream';
  if (options.hasAny()) return 'any';
  return options.hasStreamExists() ? 'stream_exists' : Number(options.getStreamPosition());
}

function proposed(message: BatchAppendReq.ProposedMessage): ProposedEvent {
  return {
    id: message.getId()!.getString(),
    metadata: new Map(message.getMetadataMap().entries()),
    customMetadata: message.getCustomMetadata_asU8(),
    data: message.getData_asU8(),
  };
}

function errorOf(
  options: BatchAppendReq.Options,
  outcome: { readonly current: number | null } | 'deleted' | 'too large',
): InstanceType<typeof Status> {
  const details = new Any();
  if (outcome === 'deleted') details.pack(new shared.StreamDeleted().serializeBinary(), `${PACKAGE}.StreamDeleted`);
  else if (outcome === 'too large')
    details.pack(
      new shared.MaximumAppendSizeExceeded().setMaxappendsize(1024 * 1024).serializeBinary(),
      `${PACKAGE}.MaximumAppendSizeExceeded`,
    );
  else
    details.pack(wrongExpectedVersion(options, outcome.current).serializeBinary(), `${PACKAGE}.WrongExpectedVersion`);
  return new Status().setDetails(details);
}

const PACKAGE = 'event_store.client';

function wrongExpectedVersion(options: BatchAppendReq.Options, current: number | null): WrongExpectedVersion {
  const wrong = new shared.WrongExpectedVersion();
  if (current !== null) wrong.setCurrentStreamRevision(String(current));
  if (options.getStreamPosition() !== '') wrong.setExpectedStreamPosition(options.getStreamPosition());
  return wrong;
}
