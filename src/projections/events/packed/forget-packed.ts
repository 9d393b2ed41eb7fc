import type { ClientBase } from 'pg';
import { PACKINGS_OF_A_REBUILD } from '../../../columns/chunk.ts';

/**
 * Empties the tables that packing fills, for these bots. The counts of writes and packings go up, so that threads of reports
 * read the bots again.
 */
export async function forgetPacked(tx: ClientBase, bots: readonly number[]): Promise<void> {
  for (const table of ['chunk_properties', 'changed_events', 'archive', 'chunks'])
    await tx.query(`DELETE FROM ${table} WHERE bot_id = ANY ($1)`, [bots]);
  await tx.query(
    `UPDATE timelines
        SET until_date = DEFAULT, until_ord = DEFAULT, loose = 0, packed = 0, changed = 0, writes = writes + 1,
            packings = packings + ${PACKINGS_OF_A_REBUILD}, archived_months = NULL, archived_until = NULL
      WHERE bot_id = ANY ($1)`,
    [bots],
  );
}
