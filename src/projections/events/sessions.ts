import type { ClientBase } from 'pg';
import { ofBot, onlyBot } from '../../database/of-bot.ts';
import { nameOf, numbers } from '../batch-sql.ts';
import type { Tail, User } from './batch.ts';

import { byMoment, type EventDraft, type Moment } from './draft.ts';

/** A session ends when more than this passes without an action (decisions.md#sessions). */
export const SESSION_GAP_MS = 30 * 60 * 1000;

/**
 * Sets the sessions of the users' new events, and merges sessions of the table that the new events connect. Each user's
 * events are sorted. Events after the user's last one, the usual case, need no query, except events of mini apps.
 */
export async function placeSessions(tx: ClientBase, users: readonly User[]): Promise<void> {
  const late = users.flatMap((user) => user.events.filter((event) => isLate(event, user.tail)));
  const found = await loadNeighbours(tx, 'session', late);
  const merges: UserMerge[] = [];
  for (const { events, tail } of users) {
    const atTail = { before: tail, after: null };
    if (isLate(events[0]!, tail)) setSessions('session', events, (event) => found.get(event) ?? atTail, merges);
    else continueSessions(tail, events);
  }
  await mergeSessions(tx, 'session', merges);
}

export async function placeAppSessions(tx: ClientBase, users: readonly User[]): Promise<void> {
  const chains = users.flatMap((user) =>
    [...byApp(user.events).values()].map((events) => ({ events, tail: user.tail })),
  );
  // If a chain only continues at its end, the neighbours of its first event are enough.
  const lookups = chains.flatMap(({ events, tail }) =>
    events.filter((event, index) => index === 0 || isLate(event, tail) || isLate(events[index - 1]!, tail)),
  );
  const found = await loadNeighbours(tx, 'app_session', lookups);
  const merges: UserMerge[] = [];
  for (const { events } of chains)
    setSessions('app_session', events, (event) => found.get(event) ?? NO_NEIGHBOURS, merges);
  await mergeSessions(tx, 'app_session', merges);
}

const NO_NEIGHBOURS: Neighbours = { before: null, after: null };

function isLate(event: EventDraft, tail: Tail | null): boolean {
  return tail !== null && byMoment(event, tail) < 0;
}

/** Does the work of {@link setSessions} for events after all others: the usual case, without its bookkeeping. */
function continueSessions(tail: Tail | null, events: readonly EventDraft[]): void {
  let last: { readonly date: number; readonly session: number } | null = tail;
  for (const event of events) {
    if (last !== null && event.date - last.date <= SESSION_GAP_MS) event.session = last.session;
    last = event;
  }
}

function setSessions(
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

/** An event of the table next to a new one; `session` is its session in the chain. */
interface Neighbour extends Moment {
  readonly session: number;
}

/** The nearest events of the table before and after a new one. Only events within the session gap matter. */
interface Neighbours {
  readonly before: Neighbour | null;
  readonly after: Neighbour | null;
}

/** A session of the table that becomes part of another, since a late event fills the gap between them. */
interface Merge {
  readonly from: number;
  readonly into: number;
  /** Date of the first event of `from`. */
  readonly date: number;
}

interface Chained {
  /** Sessions of the new events, in their order. */
  readonly sessions: number[];
  readonly merges: Merge[];
}

/**
 * Adds new events to a user's chain of sessions (decisions.md#sessions). The earliest event of a session names it. An
 * event more than the gap after its predecessor starts a session; an event that fills a gap merges two. A new event never
 * splits a session, so the result is the same for every order of arrival.
 * @param added new events, by moment
 */
function chain(added: readonly Moment[], neighboursOf: (index: number) => Neighbours): Chained {
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
    // Before the new events came, the distance was more than the gap, so `after` is the first event of its session.
    into.set(from, session);
    merges.push({ from, into: session, date: after.date });
  }
  return { sessions, merges };
}

/** The chains of sessions: all events of a user, or a user's events of one mini app. */
type ChainKind = 'session' | 'app_session';

const WITHIN = {
  session: 'e.bot_id = p.bot_id AND e.user_id = p.user_id',
  app_session: 'e.bot_id = p.bot_id AND e.user_id = p.user_id AND e.webapp_name = p.webapp_name',
} as const;

function neighboursQuery(kind: ChainKind, only: number | null): string {
  return `
SELECT b.date::float8, b.ord::float8, b.session::float8, a.date::float8, a.ord::float8, a.session::float8
  FROM unnest($1::int[], $2::bigint[], $3::text[], $4::bigint[], $5::bigint[])
       WITH ORDINALITY AS p (bot_id, user_id, webapp_name, date, ord, i)
  LEFT JOIN LATERAL (
    SELECT e.date, e.ord, e.${kind} AS session FROM events e
     WHERE ${WITHIN[kind]} AND ${ofBot('e.bot_id', only)} AND e.date >= p.date - ${SESSION_GAP_MS} AND (e.date, e.ord) < (p.date, p.ord)
     ORDER BY e.date DESC, e.ord DESC LIMIT 1) b ON true
  LEFT JOIN LATERAL (
    SELECT e.date, e.ord, e.${kind} AS session FROM events e
     WHERE ${WITHIN[kind]} AND ${ofBot('e.bot_id', only)} AND e.date <= p.date + ${SESSION_GAP_MS} AND (e.date, e.ord) > (p.date, p.ord)
     ORDER BY e.date, e.ord LIMIT 1) a ON true
 ORDER BY p.i`;
}

type NeighbourRow = [number | null, number, number, number | null, number, number];

/** Loads the events of the table within the session gap before and after each event, in the chain of that kind. */
async function loadNeighbours(
  tx: ClientBase,
  kind: ChainKind,
  events: readonly EventDraft[],
): Promise<Map<EventDraft, Neighbours>> {
  if (events.length === 0) return new Map();
  const only = onlyBot(
    tx,
    events.map(({ bot_id }) => bot_id),
  );
  const { rows } = await tx.query<NeighbourRow>({
    name: nameOf(`events.neighbours_${kind}`, only),
    text: neighboursQuery(kind, only),
    values: [
      numbers(events.map(({ bot_id }) => bot_id)),
      numbers(events.map(({ user_id }) => user_id)),
      events.map(({ webapp_name }) => webapp_name),
      numbers(events.map(({ date }) => date)),
      numbers(events.map(({ ord }) => ord)),
    ],
    rowMode: 'array',
  });
  return new Map(
    events.map((event, i) => {
      const [beforeDate, beforeOrd, beforeSession, afterDate, afterOrd, afterSession] = rows[i]!;
      return [
        event,
        {
          before: beforeDate === null ? null : { date: beforeDate, ord: beforeOrd, session: beforeSession },
          after: afterDate === null ? null : { date: afterDate, ord: afterOrd, session: afterSession },
        },
      ];
    }),
  );
}

/** A merge in the chain of `event`. */
interface UserMerge extends Merge {
  readonly event: EventDraft;
}

/**
 * A session has no gap within its chain. So the update ends where the next session of the chain begins, however long the
 * user's timeline is after that.
 */
function mergeQuery(kind: ChainKind, only: number | null): string {
  return `
UPDATE events e SET ${kind} = p.into_session
  FROM (SELECT p.*, (
          SELECT e.date FROM events e
           WHERE ${WITHIN[kind]} AND ${ofBot('e.bot_id', only)} AND e.date > p.date AND e.${kind} <> p.from_session
           ORDER BY e.date LIMIT 1) AS until
          FROM unnest($1::int[], $2::bigint[], $3::text[], $4::bigint[], $5::bigint[], $6::bigint[])
               AS p (bot_id, user_id, webapp_name, date, from_session, into_session)) p
 WHERE ${WITHIN[kind]} AND ${ofBot('e.bot_id', only)} AND e.date >= p.date AND e.date < coalesce(p.until, 9223372036854775807)
   AND e.${kind} = p.from_session`;
}

async function mergeSessions(tx: ClientBase, kind: ChainKind, merges: readonly UserMerge[]): Promise<void> {
  if (merges.length === 0) return;
  const only = onlyBot(
    tx,
    merges.map(({ event }) => event.bot_id),
  );
  await tx.query({
    name: nameOf(`events.merge_${kind}`, only),
    text: mergeQuery(kind, only),
    values: [
      merges.map(({ event }) => event.bot_id),
      merges.map(({ event }) => event.user_id),
      merges.map(({ event }) => event.webapp_name),
      merges.map(({ date }) => date),
      merges.map(({ from }) => from),
      merges.map(({ into }) => into),
    ],
  });
}
