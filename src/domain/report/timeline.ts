import type { Condition } from '../condition/condition.ts';
import type { ReportField } from './fields.ts';

/**
 * One event as the folds over users' timelines see it. A timeline is the events of one user by date, then by their order
 * in the log.
 */
export interface TimelineEvent {
  /** Milliseconds since 1970 UTC. */
  readonly date: number;
  /** The number of the combination of a breakdown; without one 0. */
  readonly combination: number;
}

/** What a step of a funnel, or a start or return of retention, looks for. */
export interface Selection {
  /** null: events of every type. */
  readonly eventId: number | null;
  readonly filter: Condition<ReportField> | null;
}
