/** The members and parts of a share, as one member sees them when it plans. */
export interface ShareView {
  /** The number of parts, which are numbered from 0. */
  readonly parts: number;
  /** Different for shares that are divided side by side, so that their remainders come to different members. */
  readonly turn: number;
  /** All who take part, in the same order for each of them. */
  readonly members: readonly string[];
  /** The member that plans. */
  readonly self: string;
  /** The parts that it holds. */
  readonly own: ReadonlySet<number>;
  /** The parts that others hold. */
  readonly taken: ReadonlySet<number>;
}

export interface SharePlan {
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
function quotaOf({ parts, turn, members }: ShareView, rank: number): number {
  const count = members.length;
  const place = (rank + count - ((turn * parts) % count)) % count;
  return Math.floor(parts / count) + (place < parts % count ? 1 : 0);
}
