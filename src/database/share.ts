import { setMaxListeners } from 'node:events';
import { memberLease, type OthersOfShare, partLease } from './lease-rows.ts';

export interface ShareOptions {
  /** The number of parts. All who take part pass the same. */
  readonly parts: number;
  /** As in `ShareView`. */
  readonly shareIndex: number;
  /** Gets parts only while no other than stand-bys takes part: for a command while a service runs. */
  readonly standBy?: boolean | undefined;
}

/** Work on the parts that a holder has. */
interface Turn {
  readonly parts: ReadonlySet<number>;
  /** Aborts when other parts are to be worked on, or the caller's signal aborts. */
  readonly signal: AbortSignal;
}

/** One holder's part in a share, while it takes part. lease.ts writes what this decides. */
export interface Share {
  readonly name: string;
  /** The names of the leases that it has, or should have: its membership and its parts. */
  leases(): string[];
  /**
   * Takes in the result of a renewal.
   * @param taken the names of leases that the holder has now
   * @returns the names of free leases to take
   */
  plan(taken: ReadonlySet<string>, others: OthersOfShare, goodUntil: number): string[];
  /** Takes in which of the free leases were taken, and begins another turn if the parts are others now. */
  settle(taken: ReadonlySet<string>): void;
  /** Whether its leases have expired without a renewal. */
  isOver(): boolean;
  lose(): void;
  /** The next turn, once there are parts to work on; null: the signal aborted first. */
  next(signal: AbortSignal): Promise<Turn | null>;
  /** The turn has ended. @returns the names of the leases to give back */
  end(): string[];
}

export function createShare(name: string, holder: string, { parts, shareIndex, standBy = false }: ShareOptions): Share {
  const membership = memberLease(name, holder, standBy);
  /** The parts whose leases it has. */
  const held = new Set<number>();
  /** Held parts to give back when the current turn ends. */
  let leaving: readonly number[] = [];
  let goodUntil = Number.POSITIVE_INFINITY;
  let working: { readonly parts: ReadonlySet<number>; readonly over: AbortController } | null = null;
  let wake = (): void => {};

  const nameOf = (part: number): string => partLease(name, part);

  function changed(): void {
    wake();
    if (working === null) return;
    const isSame = leaving.length === 0 && working.parts.size === held.size && [...held].every(isWorkedOn);
    if (!isSame) working.over.abort();
  }

  const isWorkedOn = (part: number): boolean => working?.parts.has(part) ?? false;

  return {
    name,
    leases: () => [membership, ...[...held].map(nameOf)],

    plan(taken, others, until) {
      goodUntil = until;
      for (const part of held) if (!taken.has(nameOf(part))) held.delete(part);
      if (leaving.length > 0) return []; // the turn is about to end
      const beside = standBy && others.members.length === 0 ? others.standBys : others.members;
      const mayHave = !others.isHeldWhole && !(standBy && others.members.length > 0);
      const plan = planShare({
        parts,
        shareIndex,
        members: mayHave ? [...beside, holder].sort() : [],
        self: holder,
        own: held,
        taken: others.taken,
      });
      if (working !== null) leaving = plan.give;
      return plan.take.map(nameOf);
    },

    settle(taken) {
      for (let part = 0; part < parts; part++) if (taken.has(nameOf(part))) held.add(part);
      changed();
    },

    isOver: () => performance.now() >= goodUntil,

    lose() {
      held.clear();
      leaving = [];
      changed();
    },

    async next(signal) {
      // One listener for all waits: each renewal of the leases wakes a stand-by.
      const stop = (): void => wake();
      setMaxListeners(0, signal);
      signal.addEventListener('abort', stop, { once: true });
      while (!signal.aborted && held.size === 0)
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      signal.removeEventListener('abort', stop);
      if (signal.aborted) return null;
      working = { parts: new Set(held), over: new AbortController() };
      return { parts: working.parts, signal: AbortSignal.any([signal, working.over.signal]) };
    },

    end() {
      working = null;
      const names = leaving.map(nameOf);
      for (const part of leaving) held.delete(part);
      leaving = [];
      return names;
    },
  };
}

/** The members and parts of a share, as one member sees them when it plans. */
interface ShareView {
  /** The number of parts. They are numbered from 0. */
  readonly parts: number;
  /** Different for shares that are divided side by side, so that their remainders come to different members. */
  readonly shareIndex: number;
  /** All who take part, in the same order for each of them. */
  readonly members: readonly string[];
  /** The member that plans. */
  readonly self: string;
  /** The parts that it holds. */
  readonly own: ReadonlySet<number>;
  /** The parts that others hold. */
  readonly taken: ReadonlySet<number>;
}

interface SharePlan {
  readonly give: readonly number[];
  readonly take: readonly number[];
}

/**
 * Plans which parts a member gives back and which free parts it takes. The quotas of all members add up to all parts and
 * differ by one at most, so each part finds a member. No member takes a part that another holds: a member with more than its quota
 * gives the rest back. A member keeps its parts while they are within its quota.
 */
export function planShare(view: ShareView): SharePlan {
  const { parts, members, self, own, taken } = view;
  const rank = members.indexOf(self);
  const quota = rank < 0 ? 0 : quotaOf(view, rank);
  const ascending = [...own].sort((a, b) => a - b);
  if (own.size >= quota) return { give: ascending.slice(quota), take: [] };
  const free: number[] = [];
  // Members begin at different parts, so that they seldom ask for the same.
  const first = Math.floor((rank * parts) / members.length);
  for (let i = 0; i < parts; i++) {
    const part = (first + i) % parts;
    if (!own.has(part) && !taken.has(part)) free.push(part);
  }
  return { give: [], take: free.slice(0, quota - own.size) };
}

/** How many parts the member of a rank may hold. */
function quotaOf({ parts, shareIndex, members }: ShareView, rank: number): number {
  const count = members.length;
  const place = (rank + count - ((shareIndex * parts) % count)) % count;
  return Math.floor(parts / count) + (place < parts % count ? 1 : 0);
}
