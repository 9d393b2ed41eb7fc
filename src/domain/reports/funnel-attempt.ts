import type { FunnelReport } from './report.ts';
import type { Timeline } from './timeline.ts';

/** A user's best attempt at a funnel. */
export interface Attempt {
  /** How many steps were taken, at least 1. */
  readonly level: number;
  /** Where it began: the place of the event of step 1, or without an order of the earliest event of the window. */
  readonly start: number;
  /** When that was; milliseconds since 1970 UTC. */
  readonly date: number;
  /** When each step was taken, `level` times that are good until the next user; none at all where steps have no order. */
  readonly times: ArrayLike<number>;
}

/**
 * Gives the best attempt of one user after another; null: no event was a step 1, or, without an order, a step at all. The
 * marks have a bit for each step that an event can be, step 1 the lowest.
 */
export type FunnelWalk = (timeline: Timeline) => Attempt | null;

export type FunnelRules = Pick<FunnelReport, 'order' | 'windowMs'> & {
  /** How many steps the funnel has, 2 to 20. */
  readonly steps: number;
};
