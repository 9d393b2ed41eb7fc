import { type Condition, fieldsOf } from '../condition/condition.ts';
import { type FieldValue, type Predicate, predicateOf } from '../condition/predicate.ts';
import type { ReportField } from './fields.ts';

/**
 * One event as the folds over users' timelines see it. A timeline is the events of one user by date, then by their order
 * in the log.
 */
export interface TimelineEvent {
  /** Milliseconds since 1970 UTC. */
  readonly date: number;
  readonly eventId: number;
  /** What the event has in the fields that the report asked for, in their order. */
  readonly values: readonly FieldValue[];
}

/** What a step of a funnel, or a start or return of retention, looks for. */
export interface Selection {
  /** null: events of every type. */
  readonly eventId: number | null;
  readonly filter: Condition<ReportField> | null;
}

/** The fields that conditions name, and others, each once. */
export function namedFields(
  conditions: readonly (Condition<ReportField> | null)[],
  others: readonly ReportField[],
): ReportField[] {
  const named = conditions.flatMap((condition) => (condition === null ? [] : fieldsOf(condition)));
  return [...new Map([...named, ...others].map((field) => [field.name, field])).values()];
}

/** Whether an event, with the values of `fields`, is what a selection looks for and passes the shared filter. */
export function selects(
  { eventId, filter }: Selection,
  shared: Condition<ReportField> | null,
  fields: readonly ReportField[],
): Predicate<TimelineEvent> {
  const reader = ({ name }: ReportField) => {
    const index = fields.findIndex((field) => field.name === name);
    return ({ values }: TimelineEvent) => values[index]!;
  };
  const own = filter && predicateOf(filter, reader);
  const common = shared && predicateOf(shared, reader);
  return (event) =>
    (eventId === null || event.eventId === eventId) && (own?.(event) ?? true) && (common?.(event) ?? true);
}
