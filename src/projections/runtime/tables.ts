import type { ClientBase, Pool } from 'pg';

/** The tables of a read model's schema but its runtime's own, by name. */
export async function tablesOf(db: Pool | ClientBase, schema: string): Promise<string[]> {
  const { rows } = await db.query<{ name: string }>(
    `SELECT tablename AS name FROM pg_tables WHERE schemaname = $1 AND tablename NOT IN ('checkpoints', 'dead_letters')
      ORDER BY tablename`,
    [schema],
  );
  return rows.map(({ name }) => name);
}
