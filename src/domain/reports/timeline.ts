import type { Condition } from '../condition/condition.ts';
import type { ReportField } from './fields.ts';

/**
 * The events of one user by date, then by their order in the log, or as a report asks for them: those from `begin` to
 * before `end`, in columns that users share. An event is told by its place in them. Good until the next user's.
 */
export interface Timeline {
  readonly begin: number;
  readonly end: number;
  /** Milliseconds since 1970 UTC; none where they do not matter. */
  readonly dates: Float64Array;
  /** What each event is for a report, in bits. */
  readonly marks: Uint32Array;
}

/** What a step of a funnel, or a start or return of retention, looks for. */
export interface Selection {
  /** null: events of every type. */
  readonly eventId: number | null;
  readonly filter: Condition<ReportField> | null;
}
