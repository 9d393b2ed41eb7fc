import type { ClientBase } from 'pg';
import type { Moment } from '../draft.ts';
import {
  ARCHIVE_COLUMNS,
  ARCHIVE_VALUES,
  ARCHIVED_COLUMNS,
  archivedFrom,
  EVENT_COLUMNS,
  isNotReplaced,
} from './archived-rows.ts';

/** A packed chunk: its events are those after `after` and up to `last`. */
export interface ChunkRange {
  readonly bot_id: number;
  readonly id: string;
  /** The end of the chunk before; null: this is the first. */
  readonly after: Moment | null;
  readonly last: Moment;
}

/** SQL: a condition on rows `e`, that they belong to the chunk. */
export function isOfChunk({ bot_id, after, last }: Omit<ChunkRange, 'id'>): string {
  const from = after === null ? '' : `AND (e.date, e.ord) > (${after.date}, ${after.ord})`;
  return `e.bot_id = ${bot_id} ${from} AND (e.date, e.ord) <= (${last.date}, ${last.ord})`;
}

/** A FROM item: the events of an archived chunk, as they are now. */
export function eventsOfArchived(chunk: ChunkRange): string {
  return `(SELECT ${EVENT_COLUMNS} FROM events e WHERE ${isOfChunk(chunk)} UNION ALL
    SELECT ${ARCHIVED_COLUMNS} FROM ${archivedFrom()}
     WHERE a.bot_id = ${chunk.bot_id} AND a.chunk = '${chunk.id}' AND ${isNotReplaced()})`;
}

/** Copies the events of a chunk from `source`, a FROM item, to the archive. */
export async function copyToArchive(tx: ClientBase, chunk: ChunkRange, source = 'events'): Promise<void> {
  await tx.query(
    `INSERT INTO archive (bot_id, chunk, first_date, last_date, last_ord, ${ARCHIVE_COLUMNS})
     SELECT $1, $2, min(e.date), $3, $4, ${ARCHIVE_VALUES} FROM ${source} e WHERE ${isOfChunk(chunk)}`,
    [chunk.bot_id, chunk.id, chunk.last.date, chunk.last.ord],
  );
  await tx.query('UPDATE chunks SET archived = true WHERE bot_id = $1 AND id = $2', [chunk.bot_id, chunk.id]);
  await tx.query('UPDATE timelines SET archived_until = greatest(archived_until, $2::bigint) WHERE bot_id = $1', [
    chunk.bot_id,
    chunk.last.date,
  ]);
}

/**
 * Deletes the archived rows of a chunk, and the rows of earlier chunks that were the last events of its users before.
 * The last event of each user stays, since a batch begins with it (load.ts). Rows that were changed since they were
 * archived stay too: they are in `changed_events`.
 */
export async function deleteArchived(tx: ClientBase, chunk: ChunkRange): Promise<void> {
  await tx.query(
    `DELETE FROM events d USING (
       SELECT e.user_id, e.date, e.ord
         FROM (SELECT DISTINCT e.user_id FROM events e WHERE ${isOfChunk(chunk)}) u
         JOIN events e ON e.bot_id = $1 AND e.user_id = u.user_id AND (e.date, e.ord) <= ($2::bigint, $3::bigint)
        CROSS JOIN LATERAL (
          SELECT c.id, c.archived FROM chunks c
           WHERE c.bot_id = $1 AND (c.last_date, c.last_ord) >= (e.date, e.ord)
           ORDER BY c.last_date, c.last_ord LIMIT 1) c
        WHERE c.archived
          AND EXISTS (SELECT FROM events l
                       WHERE l.bot_id = $1 AND l.user_id = e.user_id AND (l.date, l.ord) > (e.date, e.ord))
          AND NOT EXISTS (SELECT FROM changed_events n
                           WHERE n.bot_id = $1 AND n.chunk = c.id AND n.date = e.date AND n.ord = e.ord AND n.user_id = e.user_id)) e
      WHERE d.bot_id = $1 AND d.user_id = e.user_id AND d.date = e.date AND d.ord = e.ord`,
    [chunk.bot_id, chunk.last.date, chunk.last.ord],
  );
}
