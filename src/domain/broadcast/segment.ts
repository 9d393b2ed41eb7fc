import { z } from 'zod';
import { type Decision, decider } from '../decider.ts';
import { type DataOf, type EventOf, eventType } from '../event-type.ts';
import { Rejection } from '../rejection.ts';
import { packChats } from './packed-chats.ts';

/** Chat ids that were uploaded for one broadcast, in parts, on `segment-<bot>/<segment id>`. */

const id = z.number().int().positive();

/** One part. The list counts when it is complete. */
export const segmentPartUploaded = eventType(
  'segment_part_uploaded',
  1,
  z.object({
    segment_id: id,
    broadcast_id: id,
    /** The number of the part, from 0. */
    part: z.number().int().nonnegative(),
    parts: z.number().int().positive(),
    /** How many chats the whole list has, without duplicates. */
    count: z.number().int().positive(),
    /** Packed (`packed-chats.ts`): ascending, above the chats of the part before. */
    chats: z.string(),
  }),
);

/** Stream `segment-<bot>/<segment id>`: a list of chats that was uploaded for one broadcast (interface.md, "Broadcasts"). */

export type SegmentPart = DataOf<typeof segmentPartUploaded>;
export type SegmentEvent = EventOf<typeof segmentPartUploaded>;

/** How many parts there are; the list counts when it has all of them. */
export interface SegmentState {
  readonly stored: number;
}

export const segment = decider(
  [segmentPartUploaded],
  (): SegmentState => ({ stored: 0 }),
  ({ stored }): SegmentState => ({ stored: stored + 1 }),
);

/** About 400 KB at most: a commit stays below 1 MB, the limit of the smallest engine. */
const CHATS_PER_PART = 50_000;

/** Splits a list into parts. @param chats ascending, each once, at least one */
export function partsOf(
  chats: readonly number[],
  ids: Pick<SegmentPart, 'segment_id' | 'broadcast_id'>,
): SegmentPart[] {
  const parts = Math.ceil(chats.length / CHATS_PER_PART);
  return Array.from({ length: parts }, (_, part) => ({
    ...ids,
    part,
    parts,
    count: chats.length,
    chats: packChats(chats.slice(part * CHATS_PER_PART, (part + 1) * CHATS_PER_PART)),
  }));
}

/** Adds a part after the one before; a part that is there is not added again. */
export function addPart({ stored }: SegmentState, data: SegmentPart): Decision<SegmentEvent> {
  if (data.part < stored) return [];
  if (data.part > stored) return new Rejection('conflict', 'part', `part ${data.part} does not follow part ${stored}`);
  return [{ type: 'segment_part_uploaded', data }];
}
