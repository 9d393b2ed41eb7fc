import { broadcast } from '../../domain/broadcast/broadcast.ts';
import type { TaskSource } from '../../domain/broadcast/readiness.ts';
import { segmentPartUploaded } from '../../domain/broadcast/segment.ts';
import { broadcastStream, segmentStream } from '../../domain/streams.ts';
import { EMPTY_STREAM, type EventLog } from '../../log/port.ts';
import { load } from '../decide-and-append.ts';
import type { BroadcastName } from './change-broadcast.ts';

/** Sources of an audience, read from the log, so that an id can be used as soon as the service gave it. */

/** Loads the uploaded lists that belong to a broadcast, whole. */
export async function uploadedSegments(
  log: EventLog,
  { bot, id }: BroadcastName,
  segmentIds: readonly number[],
): Promise<Set<number>> {
  const ends = await log.streamHeads(segmentIds.map((segmentId) => segmentStream(bot, segmentId)));
  const found = new Set<number>();
  for (const segmentId of segmentIds) {
    const stream = segmentStream(bot, segmentId);
    const end = ends.get(stream);
    if (end === undefined) continue;
    // Each commit is a part. The first says for which broadcast the list is, and how many parts it has.
    const { commits } = await log.read(stream, EMPTY_STREAM, 1);
    const { broadcast_id, parts } = segmentPartUploaded.read(commits[0]!.events[0]!).data;
    if (broadcast_id === id && end.revision === parts) found.add(segmentId);
  }
  return found;
}

/** How many streams are read at once. */
const MAX_STREAMS = 10_000;

/** Loads the broadcasts that belong to these bots. @param bots public keys */
export async function taskSources(
  log: EventLog,
  bots: readonly string[],
  ids: readonly number[],
): Promise<Map<number, TaskSource>> {
  const names = ids.flatMap((id) => bots.map((bot) => ({ bot, id })));
  const found = new Map<number, TaskSource>();
  for (let from = 0; from < names.length; from += MAX_STREAMS) {
    const some = names.slice(from, from + MAX_STREAMS);
    const ends = await log.streamHeads(some.map(({ bot, id }) => broadcastStream(bot, id)));
    for (const name of some) {
      if (!ends.has(broadcastStream(name.bot, name.id))) continue;
      const { state } = await load(log, broadcast, broadcastStream(name.bot, name.id));
      // A deleted draft has a stream.
      if (state !== null) found.set(name.id, { frozen: state.frozen !== null });
    }
  }
  return found;
}
