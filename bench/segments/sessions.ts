/** Part of a bot's events, in the order of (date, ord). The parts follow each other in time. */
export interface Part {
  readonly dates: Float64Array;
  readonly ords: Float64Array;
  readonly users: Uint32Array;
  /** NaN: not known yet. */
  readonly sessions: Float64Array;
  changed: boolean;
}

export const SESSION_GAP_MS = 30 * 60 * 1000;

/**
 * Sets the sessions that are not known, and the sessions that change by them: an event within the gap after another one of its
 * user has the other's session, any other event begins one. Each late event costs the events of all users within the gap.
 * @param parts some may be missing
 * @returns a missing part that is needed; null: all sessions are known
 */
export function settle(parts: readonly (Part | undefined)[]): number | null {
  for (const [p, part] of parts.entries()) {
    if (part === undefined) continue;
    for (let i = 0; i < part.sessions.length; i++) {
      if (!Number.isNaN(part.sessions[i]!)) continue;
      const missing = settleEvent(parts, part, p, i);
      if (missing !== null) return missing;
    }
  }
  return null;
}

function settleEvent(parts: readonly (Part | undefined)[], part: Part, p: number, i: number): number | null {
  const user = part.users[i]!;
  const before = findBefore(parts, p, i, user, part.dates[i]! - SESSION_GAP_MS);
  if (typeof before === 'object') return before.missing;
  const session = Number.isNaN(before) ? part.ords[i]! : before;
  // All parts that the walk needs are there before it changes anything.
  for (const change of [false, true]) {
    let last = part.dates[i]!;
    walk: for (let q = p, at = i + 1; q < parts.length; q++, at = 0) {
      const next = parts[q];
      if (next === undefined) return q;
      for (; at < next.dates.length; at++) {
        if (next.dates[at]! - last > SESSION_GAP_MS) break walk;
        if (next.users[at] !== user) continue;
        if (next.sessions[at] === session) break walk;
        last = next.dates[at]!;
        if (change) next.sessions[at] = session;
        if (change) next.changed = true;
      }
    }
  }
  part.sessions[i] = session;
  part.changed = true;
  return null;
}

/** The session of the user's event before this one, not before `from`; NaN: there is none. */
function findBefore(
  parts: readonly (Part | undefined)[],
  p: number,
  i: number,
  user: number,
  from: number,
): number | { readonly missing: number } {
  for (let q = p; q >= 0; q--) {
    const before = parts[q];
    if (before === undefined) return { missing: q };
    for (let at = q === p ? i - 1 : before.dates.length - 1; at >= 0; at--) {
      if (before.dates[at]! < from) return Number.NaN;
      if (before.users[at] === user && !Number.isNaN(before.sessions[at]!)) return before.sessions[at]!;
    }
  }
  return Number.NaN;
}

interface Last {
  date: number;
  ord: number;
  session: number;
}

/** The last event of each user of a bot since a moment, to place new events. */
export class Frontier {
  /** By the user's index. */
  readonly lasts = new Map<number, Last>();
  /** No event from here on is missing. */
  completeFrom = Number.NEGATIVE_INFINITY;

  /** Takes the events of a user in their order. @returns the session; NaN: a merge or a reader finds it */
  place(user: number, date: number, ord: number): number {
    const last = this.lasts.get(user);
    if (last === undefined) {
      const session = date - SESSION_GAP_MS >= this.completeFrom ? ord : Number.NaN;
      this.lasts.set(user, { date, ord, session });
      return session;
    }
    if (date < last.date || (date === last.date && ord < last.ord)) return Number.NaN;
    if (date - last.date > SESSION_GAP_MS) last.session = ord;
    last.date = date;
    last.ord = ord;
    return last.session;
  }

  /** Learns of events from a part, whose sessions may have changed. */
  learn({ dates, ords, users, sessions }: Part): void {
    for (let i = 0; i < dates.length; i++) {
      const last = this.lasts.get(users[i]!);
      const isLater = last === undefined || dates[i]! > last.date || (dates[i] === last.date && ords[i]! >= last.ord);
      if (isLater) this.lasts.set(users[i]!, { date: dates[i]!, ord: ords[i]!, session: sessions[i]! });
    }
  }

  /** Forgets the users without an event in the last two gaps, if there are many. */
  prune(most: number): void {
    if (this.lasts.size < most) return;
    let newest = Number.NEGATIVE_INFINITY;
    for (const { date } of this.lasts.values()) newest = Math.max(newest, date);
    this.completeFrom = Math.max(this.completeFrom, newest - 2 * SESSION_GAP_MS);
    for (const [user, { date }] of this.lasts) if (date < this.completeFrom) this.lasts.delete(user);
  }
}
