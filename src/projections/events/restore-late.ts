import type { ClientBase } from 'pg';
import { ofBot, onlyBot } from '../../database/of-bot.ts';
import { nameOf, numbers } from '../batch-sql.ts';
import { HOUR_MS } from '../intake-state.ts';
import type { User } from './batch.ts';

import { type NeededRows, restoreRows } from './packed/restore-rows.ts';
import { SESSION_GAP_MS } from './sessions.ts';

/** Longer than nearly all sessions. */
const FIRST_MS = 24 * HOUR_MS;

/**
 * Restores the archived rows that new events of the users may read or change. A visit may change the UTM of all later events.
 * Any other event may change only the sessions less than a session gap away from it, each to its end.
 */
export async function restoreLate(tx: ClientBase, users: readonly User[]): Promise<void> {
  const stretches = users.flatMap(stretchOf);
  await restoreRows(tx, stretches);
  const cut = stretches.filter(({ until, end }) => until < end);
  const continuing = await cutInSession(tx, cut);
  await restoreRows(
    tx,
    continuing.map((stretch) => ({ ...stretch, from: stretch.until, until: stretch.end })),
  );
}

interface Stretch extends NeededRows {
  /** The date after which the user has no archived events. */
  readonly end: number;
}

function stretchOf({ bot: { bot_id, archivedUntil }, user_id, tail, events, visits }: User): Stretch[] {
  if (archivedUntil === null || tail === null) return [];
  const end = Math.min(archivedUntil, tail.date);
  const late = events.filter(({ date }) => date - SESSION_GAP_MS <= end);
  if (late.length === 0) return [];
  const from = late[0]!.date - SESSION_GAP_MS;
  const until = visits.length > 0 ? end : Math.min(end, late.at(-1)!.date + FIRST_MS);
  return [{ bot_id, user_id, from, until, end }];
}

/** The stretches that may end within a session: a session continues if an event follows within the session gap. */
async function cutInSession(tx: ClientBase, stretches: readonly Stretch[]): Promise<Stretch[]> {
  if (stretches.length === 0) return [];
  const only = onlyBot(
    tx,
    stretches.map(({ bot_id }) => bot_id),
  );
  const { rows } = await tx.query<{ cut: boolean }>({
    name: nameOf('events.cut_in_session', only),
    text: `SELECT EXISTS (SELECT FROM events e
                    WHERE e.bot_id = s.bot_id AND ${ofBot('e.bot_id', only)} AND e.user_id = s.user_id AND e.date <= s.until AND e.date >= s.until - ${SESSION_GAP_MS}) AS cut
             FROM unnest($1::int[], $2::bigint[], $3::bigint[]) WITH ORDINALITY AS s (bot_id, user_id, until, i)
            ORDER BY s.i`,
    values: [
      numbers(stretches.map(({ bot_id }) => bot_id)),
      numbers(stretches.map(({ user_id }) => user_id)),
      numbers(stretches.map(({ until }) => until)),
    ],
  });
  return stretches.filter((_, i) => rows[i]!.cut);
}
