import type { ClientBase } from 'pg';
import { ofBot, onlyBot } from '../../../database/of-bot.ts';
import { numbers } from '../../batch-sql.ts';
import type { Moment } from '../draft.ts';
import { ARCHIVED_COLUMNS, archivedFrom, EVENT_COLUMNS } from './archived-rows.ts';

/** Events of a user whose rows are needed, from the date `from` to the date `until`. */
export interface NeededRows {
  readonly bot_id: number;
  readonly user_id: number;
  readonly from: number;
  readonly until: number;
}

/**
 * Makes rows of archived events again, before they are read by key or changed. To the triggers these are changes: so the rows
 * count, and not their chunk, until the chunk is packed again.
 */
export async function restoreRows(tx: ClientBase, needed: readonly NeededRows[]): Promise<void> {
  if (needed.length === 0) return;
  const only = onlyBot(
    tx,
    needed.map(({ bot_id }) => bot_id),
  );
  await tx.query(
    `INSERT INTO events (${EVENT_COLUMNS})
     WITH needed AS MATERIALIZED (
       SELECT * FROM unnest($1::int[], $2::bigint[], $3::bigint[], $4::bigint[]) AS n (bot_id, user_id, first, last)),
     found AS MATERIALIZED (
       SELECT DISTINCT a.bot_id, a.chunk
         FROM needed n JOIN archive a ON a.bot_id = n.bot_id AND a.user_id @> ARRAY[n.user_id]
                                     AND a.last_date >= n.first AND a.first_date <= n.last
        WHERE ${ofBot('a.bot_id', only)})
     SELECT ${ARCHIVED_COLUMNS} FROM ${archivedFrom()} JOIN found ON a.bot_id = found.bot_id AND a.chunk = found.chunk
      WHERE r.user_id = ANY ($2::bigint[]) AND ${ofBot('a.bot_id', only)}
        AND EXISTS (SELECT FROM needed n
                     WHERE n.bot_id = a.bot_id AND n.user_id = r.user_id AND r.date BETWEEN n.first AND n.last)
     ON CONFLICT DO NOTHING`,
    [
      numbers(needed.map(({ bot_id }) => bot_id)),
      numbers(needed.map(({ user_id }) => user_id)),
      numbers(needed.map(({ from }) => from)),
      numbers(needed.map(({ until }) => until)),
    ],
  );
}

/** Events of a bot with this unit (null: with any), after a moment. */
export interface NeededUnit {
  readonly bot_id: number;
  readonly unit: string | null;
  readonly after: Moment;
}

/** Rows that were made again: all that are needed up to `until`. */
interface RestoredUnit {
  readonly until: Moment;
  readonly rows: number;
}

/** Makes rows of the needed events of the next archived chunk that has any. @returns null if there is none */
export async function restoreUnit(tx: ClientBase, { bot_id, unit, after }: NeededUnit): Promise<RestoredUnit | null> {
  const { rows } = await tx.query<{ chunk: string; date: number; ord: number }>({
    name: 'events.archived_unit',
    text: `SELECT chunk, last_date::float8 AS date, last_ord::float8 AS ord FROM archive
            WHERE bot_id = $1 AND (last_date, last_ord) > ($2::bigint, $3::bigint)
              AND CASE WHEN $4::text IS NULL THEN units <> '{}' ELSE $4 = ANY (units) END
            ORDER BY last_date, last_ord LIMIT 1`,
    values: [bot_id, after.date, after.ord, unit],
  });
  if (rows[0] === undefined) return null;
  const { chunk, ...until } = rows[0];
  const { rowCount } = await tx.query({
    name: 'events.restore_unit',
    text: `INSERT INTO events (${EVENT_COLUMNS})
           SELECT ${ARCHIVED_COLUMNS} FROM ${archivedFrom()}
            WHERE a.bot_id = $1 AND a.chunk = $2 AND (r.date, r.ord) > ($3::bigint, $4::bigint)
              AND r.unit IS NOT NULL AND ($5::text IS NULL OR r.unit = $5)
           ON CONFLICT DO NOTHING`,
    values: [bot_id, chunk, after.date, after.ord, unit],
  });
  return { until, rows: rowCount ?? 0 };
}
