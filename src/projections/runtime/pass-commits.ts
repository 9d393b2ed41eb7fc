import { setTimeout as sleep } from 'node:timers/promises';
import type { Pool } from 'pg';
import { isCitus } from '../../database/citus.ts';
import { lockedInOrder, type Move } from './checkpoint.ts';

/** The timers of all followers of a thread fire together (`untilNext` in follower.ts), within about this time. */
const TOGETHER_MS = 2;

/** Moves that will share a statement, by schema. */
interface Group {
  readonly moves: Map<string, Move[]>;
  readonly moved: Promise<ReadonlyMap<string, Promise<number>>>;
}

const groups = new WeakMap<Pool, Group>();

/**
 * Moves checkpoints of a version past commits that change no row. During intake seven read models do so ten times a second:
 * one statement serves all that ask within 2 ms. Like `inVersion`, it does not wait for the disk.
 * @returns whether all were moved. False: another transaction has locked or moved some of them
 */
export async function passCommits(pool: Pool, schema: string, moves: readonly Move[]): Promise<boolean> {
  let group = groups.get(pool);
  if (group === undefined) {
    const asked = new Map<string, Move[]>();
    group = { moves: asked, moved: passTogether(pool, asked) };
    groups.set(pool, group);
  }
  const asked = group.moves.get(schema) ?? [];
  group.moves.set(schema, asked);
  asked.push(...moves);
  const moved = await group.moved;
  return (await moved.get(schema)) === asked.length;
}

async function passTogether(pool: Pool, asked: ReadonlyMap<string, Move[]>): Promise<Map<string, Promise<number>>> {
  await sleep(TOGETHER_MS);
  groups.delete(pool);
  const alone = (): Map<string, Promise<number>> =>
    new Map([...asked].map(([schema, moves]) => [schema, passAlone(pool, schema, moves)]));
  // Citus cannot plan a statement that changes several tables.
  if (asked.size === 1 || (await isCitus(pool))) return alone();
  try {
    const moved = await passAll(pool, [...asked]);
    return new Map([...moved].map(([schema, count]) => [schema, Promise.resolve(count)]));
  } catch {
    return alone(); // one version may have been dropped: that concerns no other
  }
}

/** @returns how many checkpoints were moved */
async function passAlone(pool: Pool, schema: string, moves: readonly Move[]): Promise<number> {
  const { isOne, locked, once } = lockedInOrder(schema, moves);
  const { rowCount } = await pool.query({
    name: `pass_commits.${schema}${isOne ? '' : '.several'}`,
    text: `${locked} UPDATE ${schema}.checkpoints AS c SET position = m.next
             FROM unnest($1::int[], $2::text[], $3::text[]) AS m (lane, place, next),
                  set_config('synchronous_commit', 'off', true)
            WHERE c.lane = m.lane AND c.position = m.place ${once}`,
    values: valuesOf(moves),
  });
  return rowCount ?? 0;
}

/** Skips locked checkpoints, so that no read model waits for another. @returns by schema, how many checkpoints were moved */
async function passAll(
  pool: Pool,
  asked: readonly (readonly [string, Move[]])[],
): Promise<ReadonlyMap<string, number>> {
  const changes = asked.map(
    ([schema], i) => `moved${i} AS (
      UPDATE ${schema}.checkpoints AS c SET position = free.next
        FROM (SELECT held.lane, m.next FROM ${schema}.checkpoints AS held
                JOIN unnest($${3 * i + 1}::int[], $${3 * i + 2}::text[], $${3 * i + 3}::text[]) AS m (lane, place, next)
                  ON held.lane = m.lane AND held.position = m.place
                 FOR UPDATE OF held SKIP LOCKED) AS free,
             set_config('synchronous_commit', 'off', true)
       WHERE c.lane = free.lane
      RETURNING c.lane)`,
  );
  const counts = asked.map(([schema], i) => `SELECT '${schema}' AS schema, count(*)::int FROM moved${i}`);
  const { rows } = await pool.query<{ schema: string; count: number }>(
    `WITH ${changes.join(', ')} ${counts.join(' UNION ALL ')}`,
    asked.flatMap(([, moves]) => valuesOf(moves)),
  );
  return new Map(rows.map(({ schema, count }) => [schema, count]));
}

function valuesOf(moves: readonly Move[]): unknown[] {
  return [moves.map(({ key }) => key), moves.map(({ from }) => from), moves.map(({ to }) => to)];
}
