import type { ReadTables, Tables } from '../../database/tables.ts';
import type { SavedSegment } from '../../domain/saved-segments/saved-segment.ts';

const COLUMNS = `saved_segment_id::float8, name, conditions, created_at::float8, changed_at::float8, revision`;

/** The saved segments of a bot, newest first. Their revisions are the last ones that the read model has applied. */
export async function listSavedSegments(
  { pool, reports }: Tables<'reports'>,
  publicKey: string,
): Promise<SavedSegment[]> {
  const { rows } = await pool.query<SavedSegment>(
    `SELECT ${COLUMNS} FROM ${reports}.saved_segments WHERE public_key = $1 ORDER BY saved_segments.saved_segment_id DESC`,
    [publicKey],
  );
  return rows;
}

/** Those of a bot's saved segments that the read model has, by id. */
export async function findSavedSegments(
  { pool, reports }: ReadTables<'reports'>,
  publicKey: string,
  ids: readonly number[],
): Promise<Map<number, SavedSegment>> {
  const { rows } = await pool.query<SavedSegment>(
    `SELECT ${COLUMNS} FROM ${reports}.saved_segments WHERE public_key = $1 AND saved_segment_id = ANY ($2::bigint[])`,
    [publicKey, ids],
  );
  return new Map(rows.map((row) => [row.saved_segment_id, row]));
}
