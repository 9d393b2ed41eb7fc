import type { Source } from './lane.ts';
import type { Limiter, Taken } from './limiter.ts';

/** A recipient that is claimed and has not been called. */
export interface Waiting {
  readonly claim: number;
  readonly place: number;
  /** When it came, monotonic ms. */
  readonly since: number;
}

/** Leave to make one call. */
export interface Permit {
  readonly taken: Taken;
  /** The call is over. */
  over(): void;
}

/** What a broadcast has to send next: calls that finish what was begun, then recipients in order. */
export interface Outbox extends Source {
  put(waiting: readonly Waiting[]): void;
  /** Removes those that came before `until`; who is next only if it came before `nextUntil`. */
  takeBack(until: number, nextUntil?: number): Waiting[];
  readonly waiting: number;
  /** For a further call about a recipient; null: once `close` was called. */
  permit(units: number): Promise<Permit | null>;
  /** Nothing more begins. */
  close(): void;
}

interface FollowUp {
  readonly units: number;
  resolve(permit: Permit | null): void;
}

/**
 * @param units of each recipient's call
 * @param send calls a recipient; `permit.over` is called by it
 * @param giveBack takes the recipients that a rest of the lane keeps from being called
 */
export function createOutbox(
  limiter: Limiter,
  units: number,
  wake: () => void,
  send: (waiting: Waiting, permit: Permit) => void,
  giveBack: (waiting: readonly Waiting[]) => void,
): Outbox {
  let queue: Waiting[] = [];
  let followUps: FollowUp[] = [];
  let closed = false;
  return {
    limiter,
    get waiting() {
      return queue.length;
    },
    units: () => followUps[0]?.units ?? (queue.length === 0 ? 0 : units),
    begin(taken, over) {
      const permit = { taken, over };
      const followUp = followUps.shift();
      if (followUp !== undefined) followUp.resolve(permit);
      else send(queue.shift()!, permit);
    },
    rest() {
      const back = queue;
      queue = [];
      giveBack(back);
    },
    put(waiting) {
      queue.push(...waiting);
      wake();
    },
    takeBack(until, nextUntil = until) {
      const isBack = ({ since }: Waiting, index: number): boolean => since < (index === 0 ? nextUntil : until);
      const back = queue.filter(isBack);
      queue = queue.filter((waiting, index) => !isBack(waiting, index));
      return back;
    },
    permit(units) {
      if (closed) return Promise.resolve(null);
      return new Promise((resolve) => {
        followUps.push({ units, resolve });
        wake();
      });
    },
    close() {
      closed = true;
      for (const { resolve } of followUps) resolve(null);
      followUps = [];
    },
  };
}
