import type { ClientBase, Pool } from 'pg';

const known = new WeakMap<Pool | ClientBase, Promise<boolean>>();
const clusters = new WeakSet<Pool | ClientBase>();

/**
 * Whether the database is the coordinator of a Citus cluster: it has the extension `citus`. Looked up once for each pool, so a
 * program notices the extension at its next start.
 */
export function isCitus(db: Pool | ClientBase): Promise<boolean> {
  let answer = known.get(db);
  if (answer === undefined) {
    answer = lookUp(db);
    known.set(db, answer);
    answer.catch(() => known.delete(db)); // asked again, since the database may answer later
  }
  return answer;
}

async function lookUp(db: Pool | ClientBase): Promise<boolean> {
  const { rowCount } = await db.query(`SELECT FROM pg_extension WHERE extname = 'citus'`);
  if (rowCount === 1) clusters.add(db);
  return rowCount === 1;
}

/** Whether {@link isCitus} has found so. */
export function isKnownAsCitus(db: Pool | ClientBase): boolean {
  return clusters.has(db);
}
