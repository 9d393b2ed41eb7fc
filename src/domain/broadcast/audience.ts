import type { Condition, FieldCatalogue } from '../condition/condition.ts';
import { type Problem, under } from '../problem.ts';
import { isOfEvent, type ReportField, reportFields, userFields } from '../reports/fields.ts';
import type { JsonObject } from '../storable-json.ts';

/** The checked form of a broadcast's `segmentations` (interface.md, "Audience"). */
export interface Segmentations {
  readonly include: readonly Segment[];
  readonly exclude: readonly Segment[];
}

/** Chat ids are safe integers except 0, in the order and number in which they were given. */
export type Segment =
  | { readonly type: 'all' }
  | { readonly type: 'list' | 'channel'; readonly chatIds: readonly number[] }
  /** Chats that were uploaded for this broadcast. */
  | { readonly type: 'custom'; readonly segmentId: number }
  /** The recipients of another broadcast; of another bot's, only recipients that are users of this bot. */
  | { readonly type: 'from_task'; readonly taskId: number }
  | ({ readonly type: 'filter' } & FilterConditions);

/** Conditions on users, of which each user must match both; null: no condition. */
export interface FilterConditions {
  readonly users: Condition<ReportField> | null;
  readonly events: EventFilter | null;
}

/** Events that users have, or have not. */
export type EventFilter = { readonly type: 'and' | 'or'; readonly filters: readonly EventFilter[] } | Performed;

export interface Performed {
  readonly type: 'performed';
  /** null: events of every type. */
  readonly eventId: number | null;
  /** Whether the user must have no such event. */
  readonly negation: boolean;
  /** Days of 24 hours back from the resolution; 0: all time. */
  readonly periodDays: number;
  /** A condition on fields of events; null: none. */
  readonly condition: Condition<ReportField> | null;
}

/** The conditions on events of a filter. */
export function leavesOf(filter: EventFilter): Performed[] {
  return filter.type === 'performed' ? [filter] : filter.filters.flatMap(leavesOf);
}

/** All segments, with their paths below `segmentations`. */
export function segmentsOf({
  include,
  exclude,
}: Segmentations): { readonly segment: Segment; readonly path: string }[] {
  return [
    ...include.map((segment, index) => ({ segment, path: `include.${index}` })),
    ...exclude.map((segment, index) => ({ segment, path: `exclude.${index}` })),
  ];
}

/** The uploaded lists that an audience names, each once. */
export function segmentIdsOf(segmentations: Segmentations): number[] {
  const ids = segmentsOf(segmentations).flatMap(({ segment }) =>
    segment.type === 'custom' ? [segment.segmentId] : [],
  );
  return [...new Set(ids)];
}

/** The broadcasts that an audience is made from, each once. */
export function taskIdsOf(segmentations: Segmentations): number[] {
  const ids = segmentsOf(segmentations).flatMap(({ segment }) =>
    segment.type === 'from_task' ? [segment.taskId] : [],
  );
  return [...new Set(ids)];
}

/** The fields of `user_conditions`, by the names that the document gives them (`users.`); `user.` is an alias. */
export const audienceUserFields: FieldCatalogue<ReportField> = {
  find: userFields.find,
  names: userFields.names.map((name) => name.replace(/^user\./, 'users.')),
};

/** The fields of an event's `conditions`: only fields of the event. */
export const audienceEventFields: FieldCatalogue<ReportField> = {
  find(name) {
    const field = reportFields.find(name);
    return field !== undefined && isOfEvent(field) ? field : undefined;
  },
  names: reportFields.names.filter((name) => name.startsWith('events.')),
};

/** Refuses misspelt keys: they would send to other users than the owner meant. */
export function refuseUnknownKeys(
  object: JsonObject,
  known: readonly string[],
  path: string,
  problems: Problem[],
): void {
  for (const key of Object.keys(object))
    if (!known.includes(key)) problems.push({ path: under(path, key), message: 'unknown key', allowed: known });
}
