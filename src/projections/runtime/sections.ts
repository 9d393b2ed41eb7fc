import { createHash } from 'node:crypto';
import type { ClientBase, Pool } from 'pg';
import { isCitus } from '../../database/citus.ts';
import { isHeld } from '../../database/lease-rows.ts';
import { inTransaction } from '../../database/transaction.ts';
import { type Cursor, type EventLog, type Position, partitionOf } from '../../log/port.ts';
import { keyOf } from '../../log/stream-name.ts';
import { type ReadModel, schemaOf } from '../read-model.ts';
import { MOST_PARTITIONS } from './checkpoint.ts';
import type { PlaceOfCommit } from './dead-letters.ts';
import { buildLeaseOf, lockVersion, type Version } from './versions.ts';

/**
 * The build of a version is divided among instances, up to a goal: the log end at its beginning. Each builds some partitions. If
 * the log has only a few, the bots of each partition are divided into sections, each with its own checkpoint. At the
 * goal the sections become one partition again, and one instance builds the rest ([ADR 38](../../../docs/adr/0038-instances-share-a-build.md)).
 */

/** A log with fewer partitions than this is divided into at least as many sections. */
const LEAST_UNITS = 8;
/** The build of fewer commits is not divided: it takes less time than an instance needs to find that others build. */
export const LEAST_COMMITS = 1000;

/** A partition or a section of it: one builder has it at a time. */
export interface Unit {
  /** The key of its checkpoint. */
  readonly key: number;
  readonly partition: number;
  /** How far it is built; '': not begun. */
  readonly position: Position;
}

type Key = Pick<Version, 'name' | 'version'>;

const keyOfSection = (partition: number, section: number): number => partition + MOST_PARTITIONS * (section + 1);

/**
 * The key of the unit that has the commits of a bot.
 * @param sections of each partition; 0: partitions are whole
 * @param bot the key of its streams; an owner's for the streams of an owner
 */
export function keyOfBot(partition: number, sections: number, bot: string): number {
  if (sections === 0) return partition;
  return keyOfSection(partition, createHash('sha256').update(bot).digest().readUInt32BE() % sections);
}

/**
 * Divides the build of a version that is not begun.
 * @returns the goal; null: the build is short, or one builder has begun all of it, or the read model has rows that belong to no bot
 */
export async function divideBuild(
  pool: Pool,
  log: Pick<EventLog, 'endCursor' | 'lag' | 'partitions'>,
  { name, isolatesBots }: Pick<ReadModel, 'name' | 'isolatesBots'>,
  version: number,
  leastCommits: number,
): Promise<Cursor | null> {
  const known = await loadGoal(pool, { name, version });
  const sections = Math.ceil(LEAST_UNITS / log.partitions);
  // A cluster distributes the rows of a bot, so one projector keeps all its nodes busy.
  if (known !== null || (sections > 1 && isolatesBots !== true) || (await isCitus(pool))) return known;
  const isShort = (await log.lag(new Map())).commits < leastCommits;
  if (isShort || (await isHeld(pool, buildLeaseOf(name, version)))) return null;
  const schema = schemaOf(name, version);
  const end = await log.endCursor();
  return inTransaction(pool, async (tx) => {
    if ((await lockVersion(tx, name, version))?.state !== 'building') return null;
    const goal = await loadGoal(tx, { name, version });
    if (goal !== null) return goal;
    await lockCheckpoints(tx, schema);
    if ((await tx.query(`SELECT FROM ${schema}.checkpoints LIMIT 1`)).rowCount !== 0) return null;
    if (sections > 1) {
      const keys = Array.from({ length: sections * log.partitions }, (_, i) =>
        keyOfSection(i % log.partitions, Math.floor(i / log.partitions)),
      );
      await tx.query(`INSERT INTO ${schema}.checkpoints SELECT unnest($1::int[]), ''`, [keys]);
      // The release before builds only whole partitions. It would apply the commits of all sections once more.
      await tx.query(`ALTER TABLE ${schema}.checkpoints ADD CONSTRAINT divided CHECK (lane >= ${MOST_PARTITIONS})`);
    }
    await tx.query('UPDATE runtime.read_models SET goal = $3 WHERE name = $1 AND version = $2', [
      name,
      version,
      Object.fromEntries(end),
    ]);
    return end;
  });
}

/** The goal of a divided build; null: the version is not divided now. */
async function loadGoal(db: Pool | ClientBase, { name, version }: Key): Promise<Cursor | null> {
  const { rows } = await db.query<{ goal: Readonly<Record<string, Position>> | null }>(
    'SELECT goal FROM runtime.read_models WHERE name = $1 AND version = $2',
    [name, version],
  );
  const goal = rows[0]?.goal ?? null;
  return goal === null ? null : new Map(Object.entries(goal).map(([partition, end]) => [Number(partition), end]));
}

/** All units of a divided build, in the same order for each instance. */
export async function loadUnits(db: Pool | ClientBase, schema: string, partitions: number): Promise<Unit[]> {
  const { rows } = await db.query<{ key: number; position: Position }>(
    `SELECT lane AS key, position FROM ${schema}.checkpoints ORDER BY lane`,
  );
  if (rows.some(({ key }) => key >= MOST_PARTITIONS))
    return rows.map(({ key, position }) => ({ key, partition: key % MOST_PARTITIONS, position }));
  const known = new Map(rows.map(({ key, position }) => [key, position]));
  return Array.from({ length: partitions }, (_, key) => ({ key, partition: key, position: known.get(key) ?? '' }));
}

/** The key of the checkpoint that counts for a bot: of its partition, or while that is divided of its section. */
export async function checkpointKeyOf(
  db: Pool | ClientBase,
  schema: string,
  partition: number,
  bot: string,
): Promise<number> {
  const { rows } = await db.query<{ sections: number }>(
    `SELECT count(*)::int AS sections FROM ${schema}.checkpoints WHERE lane >= $1 AND lane % $1 = $2`,
    [MOST_PARTITIONS, partition],
  );
  return keyOfBot(partition, rows[0]!.sections, bot);
}

/** Whether a version has applied a commit, or passed it. */
export async function hasApplied(pool: Pool, schema: string, { position, stream }: PlaceOfCommit): Promise<boolean> {
  const key = await checkpointKeyOf(pool, schema, partitionOf(position), keyOf(stream));
  const { rowCount } = await pool.query(`SELECT FROM ${schema}.checkpoints WHERE lane = $1 AND position >= $2`, [
    key,
    position,
  ]);
  return rowCount === 1;
}

/** Some units that are equally far, and how far they are built next. */
export interface Stretch {
  readonly after: Cursor;
  readonly until: Cursor;
  /** The keys of the units, by partition. */
  readonly keys: ReadonlyMap<number, readonly number[]>;
}

/**
 * The next stretch of a build: of each partition the units that are furthest back, up to where the next one is, or to the goal.
 * @returns null: all units have reached the goal
 */
export function nextStretch(units: readonly Unit[], goal: Cursor): Stretch | null {
  const [after, until, keys] = [new Map<number, Position>(), new Map<number, Position>(), new Map<number, number[]>()];
  for (const [partition, end] of goal) {
    const own = units.filter((unit) => unit.partition === partition && unit.position < end);
    if (own.length === 0) continue;
    const positions = [...new Set(own.map(({ position }) => position))].sort();
    // A whole partition that is not begun has no checkpoint yet.
    if (positions[0] !== '' || own.some(({ key }) => key !== partition)) after.set(partition, positions[0]!);
    until.set(partition, positions[1] ?? end);
    keys.set(
      partition,
      own.filter(({ position }) => position === positions[0]).map(({ key }) => key),
    );
  }
  return keys.size === 0 ? null : { after, until, keys };
}

/**
 * Makes whole partitions of the sections once all of them have reached the goal. Any instance may do so.
 * @returns whether the version is whole; false: some units have not reached the goal
 */
export async function joinSections(pool: Pool, { name, version }: Key, partitions: number): Promise<boolean> {
  const schema = schemaOf(name, version);
  return inTransaction(pool, async (tx) => {
    if ((await lockVersion(tx, name, version)) === null) return true; // dropped
    const goal = await loadGoal(tx, { name, version });
    if (goal === null) return true;
    const units = await loadUnits(tx, schema, partitions);
    if (nextStretch(units, goal) !== null) return false;
    if (units.some(({ key }) => key >= MOST_PARTITIONS)) {
      await lockCheckpoints(tx, schema);
      await tx.query(`ALTER TABLE ${schema}.checkpoints DROP CONSTRAINT divided`);
      await tx.query(`DELETE FROM ${schema}.checkpoints`);
      await tx.query(`INSERT INTO ${schema}.checkpoints SELECT * FROM unnest($1::int[], $2::text[])`, [
        [...goal.keys()],
        [...goal.values()],
      ]);
    }
    await tx.query('UPDATE runtime.read_models SET goal = NULL WHERE name = $1 AND version = $2', [name, version]);
    return true;
  });
}

/** A transaction that reads the table for long, such as a dump, must not keep all others waiting behind this one. */
const LOCK_MS = 1000;

/** @throws `lock_not_available` if another transaction has the table for longer: the builder tries again */
async function lockCheckpoints(tx: ClientBase, schema: string): Promise<void> {
  await tx.query(`SET LOCAL lock_timeout = ${LOCK_MS}`);
  await tx.query(`LOCK TABLE ${schema}.checkpoints IN ACCESS EXCLUSIVE MODE`);
}
