import { broadcastLeft } from '../../domain/broadcast/broadcast-events.ts';
import { addPart, partsOf, segment } from '../../domain/broadcast/segment.ts';
import { segmentPartUploaded } from '../../domain/broadcast/segment-events.ts';
import { Rejection } from '../../domain/rejection.ts';
import { broadcastStream, segmentStream } from '../../domain/streams.ts';
import type { Position, RecordedCommit } from '../../log/port.ts';
import { type CommandContext, type CommandMeta, handle } from '../handle.ts';
import type { IdPool } from '../reserve-ids.ts';
import { type BroadcastName, existingBroadcast } from './change.ts';

export interface UploadedSegment {
  readonly segmentId: number;
  readonly position: Position | undefined;
  /** As `Handled.repeated`. */
  readonly repeated: RecordedCommit | null;
}

/**
 * Keeps a list of chats for a draft, in as many commits as it takes. The first one carries the key of the request, so that
 * a repeat goes on where a crash broke it off.
 * @param chats ascending, each once, at least one
 * @throws Rejection not_found; invalid: the broadcast is no draft any more
 */
export async function uploadSegment(
  context: CommandContext,
  ids: IdPool,
  { bot, id: broadcast_id }: BroadcastName,
  chats: readonly number[],
  { command, keyId }: CommandMeta,
): Promise<UploadedSegment> {
  const broadcast = await existingBroadcast(context.log, { bot, id: broadcast_id });
  if (broadcast.status !== 0) {
    const before = await uploadedBefore(context, { bot, id: broadcast_id }, { keyId, command });
    if (before === undefined) throw new Rejection('invalid', 'task_id', 'the broadcast is no draft any more');
    return before;
  }
  const [reserved] = await ids.take(1);
  const [first] = partsOf(chats, { segment_id: reserved!, broadcast_id });
  const begun = await handle(
    context,
    segment,
    segmentStream(bot, reserved!),
    (state) => addPart(state, first!),
    command === undefined ? { keyId } : { keyId, command },
  );
  const segmentId = begun.events[0]!.data.segment_id;
  const { repeated } = begun;
  let { position } = begun;
  // With another body it is no repeat, which the caller is told.
  if (repeated !== null && repeated.command?.bodyHash !== command?.bodyHash) return { segmentId, position, repeated };
  for (const part of partsOf(chats, { segment_id: segmentId, broadcast_id }).slice(1))
    ({ position } = await handle(context, segment, segmentStream(bot, segmentId), (state) => addPart(state, part), {
      keyId,
    }));
  return { segmentId, position, repeated };
}

/**
 * What a request is answered with that repeats one from when the broadcast was a draft. Only an append tells whether it
 * does: what it appends otherwise changes nothing.
 */
async function uploadedBefore(
  context: CommandContext,
  { bot, id }: BroadcastName,
  meta: CommandMeta,
): Promise<UploadedSegment | undefined> {
  if (meta.command === undefined) return undefined;
  const stamped = { id: context.sources.uuid(), at: context.sources.now(), ...meta };
  const { head } = await context.log.read(broadcastStream(bot, id));
  const events = [broadcastLeft.create({ id })];
  const { position, repeated } = await context.log.append({
    ...stamped,
    stream: broadcastStream(bot, id),
    expected: head,
    events,
  });
  const first = repeated?.events[0];
  if (first?.type !== segmentPartUploaded.type) return undefined;
  return { segmentId: segmentPartUploaded.read(first).data.segment_id, position, repeated };
}
