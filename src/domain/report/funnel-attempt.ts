import type { FunnelReport } from './report.ts';

/** A user's best attempt at a funnel. */
export interface Attempt<E> {
  /** How many steps were taken, at least 1. */
  readonly level: number;
  /** Where it began: the event of step 1, or without an order the earliest event of the window. */
  readonly start: E;
  /** When each step was taken, in milliseconds since 1970 UTC; none where steps have no order. */
  readonly times: readonly number[];
}

/** Walks the events of one user after another, each in the order of a timeline, and gives the best attempt of each. */
export interface FunnelWalk<E> {
  /** `steps`: a bit for each step that the event can be, step 1 the lowest; 0 for an event of no step. */
  take(event: E, steps: number): void;
  /** null: no event was a step 1, or, without an order, a step at all. */
  best(): Attempt<E> | null;
  /** What comes is the next user's. */
  reset(): void;
}

export type FunnelRules = Pick<FunnelReport, 'order' | 'windowMs'> & {
  /** How many steps the funnel has, 2 to 20. */
  readonly steps: number;
};
