import type { ClientBase } from 'pg';

/**
 * Removes what comparisons found about an earlier version that had the number, and ends open ones: the next version has the
 * number of a dropped one (decisions.md#inspections).
 */
export async function removeComparisons(tx: ClientBase, name: string, version: number): Promise<void> {
  await tx.query(
    `UPDATE runtime.inspections SET result = NULL, error = 'version ' || $2::integer || ' was dropped and is built again: compare again',
       finished_at = coalesce(finished_at, clock_timestamp())
      WHERE kind = 'diff' AND projection = $1 AND (finished_at IS NULL OR result IS NOT NULL)
        AND $2 IN ((request::jsonb ->> 'from')::integer, (request::jsonb ->> 'to')::integer)`,
    [name, version],
  );
}
