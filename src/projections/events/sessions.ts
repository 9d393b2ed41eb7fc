import type { ClientBase } from 'pg';
import { SESSION_GAP_MS } from '../../domain/intake/sessions.ts';
import type { Tail, User } from './bots.ts';
import { chain, type Neighbours } from './chain.ts';
import { byMoment, type EventDraft } from './draft.ts';
import { type ChainKind, loadNeighbours, mergeSessions, type UserMerge } from './neighbours.ts';

/**
 * Gives the new events of users their sessions, and lets sessions of the table that they join become one. The events of
 * each user are sorted. What comes after the user's last event, which is the rule, needs no query but for mini apps.
 */
export async function placeSessions(tx: ClientBase, users: readonly User[]): Promise<void> {
  const late = users.flatMap((user) => user.events.filter((event) => isLate(event, user.tail)));
  const found = await loadNeighbours(tx, 'session', late);
  const merges: UserMerge[] = [];
  for (const { events, tail } of users) {
    const atTail = { before: tail, after: null };
    if (isLate(events[0]!, tail)) place('session', events, (event) => found.get(event) ?? atTail, merges);
    else goOn(tail, events);
  }
  await mergeSessions(tx, 'session', merges);
}

export async function placeAppSessions(tx: ClientBase, users: readonly User[]): Promise<void> {
  const chains = users.flatMap((user) =>
    [...byApp(user.events).values()].map((events) => ({ events, tail: user.tail })),
  );
  // Of a chain that goes on at the end, only the first event needs to know what is before it.
  const asked = chains.flatMap(({ events, tail }) =>
    events.filter((event, index) => index === 0 || isLate(event, tail) || isLate(events[index - 1]!, tail)),
  );
  const found = await loadNeighbours(tx, 'app_session', asked);
  const merges: UserMerge[] = [];
  for (const { events } of chains) place('app_session', events, (event) => found.get(event) ?? NOTHING, merges);
  await mergeSessions(tx, 'app_session', merges);
}

const NOTHING: Neighbours = { before: null, after: null };

function isLate(event: EventDraft, tail: Tail | null): boolean {
  return tail !== null && byMoment(event, tail) < 0;
}

/** What {@link place} does for events after all others: the common case, without its bookkeeping. */
function goOn(tail: Tail | null, events: readonly EventDraft[]): void {
  let last: { readonly date: number; readonly session: number } | null = tail;
  for (const event of events) {
    if (last !== null && event.date - last.date <= SESSION_GAP_MS) event.session = last.session;
    last = event;
  }
}

function place(
  kind: ChainKind,
  events: readonly EventDraft[],
  neighboursOf: (event: EventDraft) => Neighbours,
  merges: UserMerge[],
): void {
  const chained = chain(events, (index) => neighboursOf(events[index]!));
  for (const [index, event] of events.entries()) event[kind] = chained.sessions[index]!;
  for (const merge of chained.merges) merges.push({ ...merge, event: events[0]! });
}

function byApp(events: readonly EventDraft[]): Map<string, EventDraft[]> {
  const apps = new Map<string, EventDraft[]>();
  for (const event of events) {
    if (event.webapp_name === null) continue;
    const same = apps.get(event.webapp_name);
    if (same === undefined) apps.set(event.webapp_name, [event]);
    else same.push(event);
  }
  return apps;
}
