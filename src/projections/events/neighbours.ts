import type { ClientBase } from 'pg';
import { SESSION_GAP_MS } from '../../domain/intake/sessions.ts';
import { numbers } from '../by-key.ts';
import type { Merge, Neighbours } from './chain.ts';
import type { EventDraft } from './draft.ts';

/** The chains of sessions: all events of a user, or those of one mini app. */
export type ChainKind = 'session' | 'app_session';

const WITHIN = {
  session: 'e.bot_id = p.bot_id AND e.user_id = p.user_id',
  app_session: 'e.bot_id = p.bot_id AND e.user_id = p.user_id AND e.webapp_name = p.webapp_name',
} as const;

function neighboursQuery(kind: ChainKind): string {
  return `
SELECT b.date::float8, b.ord::float8, b.session::float8, a.date::float8, a.ord::float8, a.session::float8
  FROM unnest($1::int[], $2::bigint[], $3::text[], $4::bigint[], $5::bigint[])
       WITH ORDINALITY AS p (bot_id, user_id, webapp_name, date, ord, i)
  LEFT JOIN LATERAL (
    SELECT e.date, e.ord, e.${kind} AS session FROM events e
     WHERE ${WITHIN[kind]} AND e.date >= p.date - ${SESSION_GAP_MS} AND (e.date, e.ord) < (p.date, p.ord)
     ORDER BY e.date DESC, e.ord DESC LIMIT 1) b ON true
  LEFT JOIN LATERAL (
    SELECT e.date, e.ord, e.${kind} AS session FROM events e
     WHERE ${WITHIN[kind]} AND e.date <= p.date + ${SESSION_GAP_MS} AND (e.date, e.ord) > (p.date, p.ord)
     ORDER BY e.date, e.ord LIMIT 1) a ON true
 ORDER BY p.i`;
}

type NeighbourRow = [number | null, number, number, number | null, number, number];

/** What the table has within the session gap on both sides of each event, in the chain of that kind. */
export async function loadNeighbours(
  tx: ClientBase,
  kind: ChainKind,
  events: readonly EventDraft[],
): Promise<Map<EventDraft, Neighbours>> {
  if (events.length === 0) return new Map();
  const { rows } = await tx.query<NeighbourRow>({
    name: `events.neighbours_${kind}`,
    text: neighboursQuery(kind),
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

/** A merge in the chain that `event` is of. */
export interface UserMerge extends Merge {
  readonly event: EventDraft;
}

/**
 * A session is a stretch of its chain without a hole, so an update ends where the next session of the chain begins,
 * however long the user's timeline goes on.
 */
function mergeQuery(kind: ChainKind): string {
  return `
UPDATE events e SET ${kind} = p.into_session
  FROM (SELECT p.*, (
          SELECT e.date FROM events e
           WHERE ${WITHIN[kind]} AND e.date > p.date AND e.${kind} <> p.from_session
           ORDER BY e.date LIMIT 1) AS until
          FROM unnest($1::int[], $2::bigint[], $3::text[], $4::bigint[], $5::bigint[], $6::bigint[])
               AS p (bot_id, user_id, webapp_name, date, from_session, into_session)) p
 WHERE ${WITHIN[kind]} AND e.date >= p.date AND e.date < coalesce(p.until, 9223372036854775807)
   AND e.${kind} = p.from_session`;
}

export async function mergeSessions(tx: ClientBase, kind: ChainKind, merges: readonly UserMerge[]): Promise<void> {
  if (merges.length === 0) return;
  await tx.query({
    name: `events.merge_${kind}`,
    text: mergeQuery(kind),
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
