import { Status } from '../../domain/broadcast/broadcast-status.ts';
import { addPart, partsOf, type SegmentPart, segment, segmentPartUploaded } from '../../domain/broadcast/segment.ts';
import { Rejection } from '../../domain/rejection.ts';
import { segmentStream } from '../../domain/streams.ts';
import type { Position, RecordedCommit } from '../../log/port.ts';
import { type CommandContext, type CommandMeta, decideAndAppend } from '../decide-and-append.ts';
import type { IdPool } from '../reserve-ids.ts';
import { type BroadcastName, existingBroadcast } from './change-broadcast.ts';

export interface UploadedSegment {
  readonly segmentId: number;
  readonly position: Position | undefined;
  /** As `CommandResult.repeated`. */
  readonly repeated: RecordedCommit | null;
}

/**
 * Stores a list of chats for a draft, in several commits. The first one carries the key of the request, so a repeat resumes
 * after a crash.
 * @param chats ascending, each once, at least one
 * @throws Rejection not_found; invalid: the broadcast is no draft any more
 */
export async function uploadSegment(
  context: CommandContext,
  ids: IdPool,
  name: BroadcastName,
  chats: readonly number[],
  { command, keyId }: CommandMeta,
): Promise<UploadedSegment> {
  await existingDraft(context, name);
  const [reserved] = await ids.take(1);
  const [first] = partsOf(chats, { segment_id: reserved!, broadcast_id: name.id });
  const { events, position, repeated } = await decideAndAppend(
    context,
    segment,
    segmentStream(name.bot, reserved!),
    (state) => addPart(state, first!),
    command === undefined ? { keyId } : { keyId, command },
  );
  const begun = { segmentId: events[0]!.data.segment_id, position, repeated };
  // With another body it is no repeat: the caller gets an error.
  if (repeated !== null && repeated.command?.bodyHash !== command?.bodyHash) return begun;
  return uploadRest(context, name, chats, begun, keyId);
}

/**
 * Stores a list of chats that a repeat of the request could not give again. The last part carries the key: a request that
 * was broken off has left a list that never counts, and its repeat begins another.
 * @param chats ascending, each once, at least one
 * @throws Rejection not_found; invalid: the broadcast is no draft any more
 */
export async function uploadFrozenSegment(
  context: CommandContext,
  ids: IdPool,
  name: BroadcastName,
  chats: readonly number[],
  { command, keyId }: CommandMeta,
): Promise<UploadedSegment> {
  await existingDraft(context, name);
  const [reserved] = await ids.take(1);
  const stream = segmentStream(name.bot, reserved!);
  const parts = partsOf(chats, { segment_id: reserved!, broadcast_id: name.id });
  for (const part of parts.slice(0, -1))
    await decideAndAppend(context, segment, stream, (state) => addPart(state, part), { keyId });
  const { events, position, repeated } = await decideAndAppend(
    context,
    segment,
    stream,
    (state) => addPart(state, parts.at(-1)!),
    command === undefined ? { keyId } : { keyId, command },
  );
  return { segmentId: events[0]!.data.segment_id, position, repeated };
}

/** @throws Rejection not_found; invalid: the broadcast is no draft any more */
export async function existingDraft({ log }: Pick<CommandContext, 'log'>, name: BroadcastName): Promise<void> {
  const { status } = await existingBroadcast(log, name, 'task_id');
  if (status !== Status.draft) throw new Rejection('invalid', 'task_id', 'the broadcast is no draft any more');
}

/** The list of a commit that holds its last part. */
export function segmentOf(commit: RecordedCommit): Pick<SegmentPart, 'segment_id' | 'count'> {
  return segmentPartUploaded.read(commit.events[0]!).data;
}

/** Answers a repeated upload; it resumes as long as the broadcast is a draft. @param first its first commit */
export async function uploadAgain(
  context: CommandContext,
  name: BroadcastName,
  chats: readonly number[],
  first: RecordedCommit,
): Promise<UploadedSegment> {
  const { segment_id: segmentId } = segmentPartUploaded.read(first.events[0]!).data;
  const begun = { segmentId, position: first.position, repeated: first };
  const { status } = await existingBroadcast(context.log, name);
  return status === Status.draft ? uploadRest(context, name, chats, begun, first.keyId) : begun;
}

async function uploadRest(
  context: CommandContext,
  { bot, id: broadcast_id }: BroadcastName,
  chats: readonly number[],
  { segmentId, position, repeated }: UploadedSegment,
  keyId: number | undefined,
): Promise<UploadedSegment> {
  for (const part of partsOf(chats, { segment_id: segmentId, broadcast_id }).slice(1))
    ({ position } = await decideAndAppend(
      context,
      segment,
      segmentStream(bot, segmentId),
      (state) => addPart(state, part),
      {
        keyId,
      },
    ));
  return { segmentId, position, repeated };
}
