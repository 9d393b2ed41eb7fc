import { SESSION_GAP_MS } from '../../domain/intake/sessions.ts';
import { byMoment, type Moment } from './draft.ts';

/** An event of the table beside a new one; `session` is its session in the chain. */
export interface Neighbour extends Moment {
  readonly session: number;
}

/** The nearest events of the table on both sides of a new one; only those within the session gap matter. */
export interface Neighbours {
  readonly before: Neighbour | null;
  readonly after: Neighbour | null;
}

/** Sessions of the table that a late event puts an end to: they become part of another. */
export interface Merge {
  readonly from: number;
  readonly into: number;
  /** Date of the first event of `from`. */
  readonly date: number;
}

export interface Chained {
  /** Sessions of the new events, in their order. */
  readonly sessions: number[];
  readonly merges: Merge[];
}

/**
 * Puts new events into a user's chain of sessions (decisions.md#sessions), in which a session is named by its earliest
 * event. An event more than the gap after the one before it starts a session; one that fills a gap merges two. Adding
 * events never parts a session, so the result is that of any other order of arrival.
 * @param added new events, by moment
 */
export function chain(added: readonly Moment[], neighboursOf: (index: number) => Neighbours): Chained {
  const sessions: number[] = [];
  const merges: Merge[] = [];
  const into = new Map<number, number>();
  const current = (session: number): number => into.get(session) ?? session;

  let last: Neighbour | null = null;
  for (const [index, event] of added.entries()) {
    const { before, after } = neighboursOf(index);
    if (before !== null && (last === null || byMoment(last, before) < 0))
      last = { ...before, session: current(before.session) };
    const session: number = last !== null && event.date - last.date <= SESSION_GAP_MS ? last.session : event.ord;
    sessions.push(session);
    last = { date: event.date, ord: event.ord, session };

    const next = added[index + 1];
    if (after === null || (next !== undefined && byMoment(next, after) < 0)) continue;
    const from = current(after.session);
    if (from === session || after.date - event.date > SESSION_GAP_MS) continue;
    // What is left of the gap was more than the gap wide, so `after` is the first event of its session.
    into.set(from, session);
    merges.push({ from, into: session, date: after.date });
  }
  return { sessions, merges };
}
