import { z } from 'zod';
import { MAX_NAME_LENGTH, textProblem } from '../catalog/checks.ts';
import { type Decision, decider } from '../decider.ts';
import { type DataOf, type EventOf, eventType } from '../event-type.ts';
import { Rejection } from '../rejection.ts';

/** Events of saved segments. */

const saved_segment_id = z.number().int().positive();
const content = z.object({
  saved_segment_id,
  name: z.string(),
  /** `user_conditions` and `event_filters` as JSON text, with the digits that its numbers were sent with. */
  conditions: z.string(),
});

export const savedSegmentCreated = eventType('saved_segment_created', 1, content);
/** Replaces the name and the conditions. The id and the creation date stay. */
export const savedSegmentChanged = eventType('saved_segment_changed', 1, content);
export const savedSegmentDeleted = eventType('saved_segment_deleted', 1, z.object({ saved_segment_id }));

/** Stream `savedsegment-<bot>/<id>`: one saved segment, from its creation to its deletion. */

export type SavedSegmentContent = DataOf<typeof savedSegmentCreated>;

/** A saved segment at a revision of its stream. Times are milliseconds since 1970 UTC. */
export interface SavedSegment extends SavedSegmentContent {
  readonly created_at: number;
  readonly changed_at: number;
  readonly revision: number;
}

type SavedSegmentState = 'none' | 'saved' | 'deleted';
export type SavedSegmentEvent = EventOf<
  typeof savedSegmentCreated | typeof savedSegmentChanged | typeof savedSegmentDeleted
>;

export const savedSegment = decider(
  [savedSegmentCreated, savedSegmentChanged, savedSegmentDeleted],
  (): SavedSegmentState => 'none',
  (_, event) => (event.type === 'saved_segment_deleted' ? 'deleted' : 'saved'),
);

/**
 * @param content its conditions are checked already: the check needs the bot's time zone, and this stream does not have
 * it
 */
export function createSavedSegment(
  state: SavedSegmentState,
  content: SavedSegmentContent,
): Decision<SavedSegmentEvent> {
  if (state !== 'none')
    return new Rejection('conflict', 'saved_segment_id', `saved segment ${content.saved_segment_id} exists`);
  return savedSegmentNameProblem(content.name) ?? [{ type: 'saved_segment_created', data: content }];
}

/** A replacement that changes nothing is also an event: it carries the command id that makes a repeat recognisable. */
export function changeSavedSegment(
  state: SavedSegmentState,
  content: SavedSegmentContent,
): Decision<SavedSegmentEvent> {
  if (state !== 'saved') return unknownSavedSegment();
  return savedSegmentNameProblem(content.name) ?? [{ type: 'saved_segment_changed', data: content }];
}

export function deleteSavedSegment(state: SavedSegmentState, saved_segment_id: number): Decision<SavedSegmentEvent> {
  if (state !== 'saved') return unknownSavedSegment();
  return [{ type: 'saved_segment_deleted', data: { saved_segment_id } }];
}

/** The reason why a saved segment cannot have this name; undefined: it can. */
export function savedSegmentNameProblem(name: string): Rejection | undefined {
  return textProblem('name', name, MAX_NAME_LENGTH);
}

export const NO_SAVED_SEGMENT = 'the bot has no saved segment with this id';

export const unknownSavedSegment = (): Rejection => new Rejection('not_found', 'saved_segment_id', NO_SAVED_SEGMENT);
