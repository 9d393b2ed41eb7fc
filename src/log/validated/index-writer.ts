import type pg from 'pg';
import { migrate } from '../../database/migrate.ts';
import { inTransaction } from '../../database/transaction.ts';
import { LogUnfitError, type StreamHead } from '../port.ts';
import type { Index } from './index-schema.ts';
import type { Reading } from './record.ts';
import type { PartitionState, Sighting, Validation, Verdict } from './validity.ts';

/** Another indexer has moved the index, so this one's state is stale. */
export class StaleIndexError extends Error {
  override readonly name = 'StaleIndexError';
}

/** The index in this database is of another log. */
export class ForeignIndexError extends LogUnfitError {
  override readonly name = 'ForeignIndexError';
}

/**
 * Creates the index's schema if it is missing. So a dropped index starts again at the first record.
 * @throws ForeignIndexError
 */
export async function prepareIndex(index: Index): Promise<void> {
  await migrate(index.pool, index.schema, index.migrations);
  await index.pool.query(
    `WITH first AS (INSERT INTO ${index.schema}.source (topic) VALUES ($1) ON CONFLICT DO NOTHING)
     INSERT INTO ${index.schema}.lanes (lane) SELECT generate_series(0, $2 - 1) ON CONFLICT DO NOTHING`,
    [index.source, index.partitions],
  );
  const { rows } = await index.pool.query<{ topic: string }>(`SELECT topic FROM ${index.schema}.source`);
  if (rows[0]?.topic !== index.source)
    throw new ForeignIndexError(
      `the index in this database is of ${rows[0]?.topic}, not of ${index.source}; ` +
        `to move, stop all instances and drop the schema ${index.schema}; it is rebuilt from the log`,
    );
}

/** Records of one partition, and the offsets that they cover. */
export interface PartitionReadings {
  readonly partition: number;
  readonly from: number;
  readonly next: number;
  readonly readings: readonly Reading[];
}

/** Loads the heads and ids that these records refer to, per partition. */
export async function loadPartitionStates(
  index: Index,
  work: readonly PartitionReadings[],
): Promise<Map<number, PartitionState>> {
  const streams = new Set<string>();
  const ids: { partition: number; id: string }[] = [];
  const commandIds: { partition: number; id: string }[] = [];
  for (const { partition, readings } of work) {
    for (const reading of readings) {
      if (!('commit' in reading)) continue;
      const { commit } = reading;
      if (commit.revision !== null) streams.add(commit.stream);
      ids.push({ partition, id: commit.id });
      if (commit.command !== undefined) commandIds.push({ partition, id: commit.command.id });
    }
  }
  const [memoryFrom, heads, commits, commands] = await Promise.all([
    loadMemoryFrom(index),
    loadHeads(index, [...streams]),
    loadSightings(index, seenCommits(index), ids),
    loadSightings(index, seenCommands(index), commandIds),
  ]);
  return new Map(
    work.map(({ partition }) => [
      partition,
      {
        heads,
        commits: commits.get(partition) ?? new Map(),
        commands: commands.get(partition) ?? new Map(),
        memoryFrom: memoryFrom.get(partition) ?? 0,
      },
    ]),
  );
}

async function loadMemoryFrom(index: Index): Promise<Map<number, number>> {
  const { rows } = await index.pool.query<{ lane: number; memory_from: string }>({
    name: 'index_memory',
    text: `SELECT lane, memory_from FROM ${index.schema}.lanes`,
  });
  return new Map(rows.map((row) => [row.lane, Number(row.memory_from)]));
}

async function loadHeads(index: Index, streams: readonly string[]): Promise<Map<string, StreamHead>> {
  if (streams.length === 0) return new Map();
  const { rows } = await index.pool.query<StreamHead & { stream: string }>({
    name: 'index_heads',
    text: `SELECT stream, revision, hash FROM ${index.schema}.streams WHERE stream = ANY ($1)`,
    values: [streams],
  });
  return new Map(rows.map(({ stream, revision, hash }) => [stream, { revision, hash }]));
}

interface Query {
  readonly name: string;
  readonly text: string;
}

/** Commits of exact streams come last, so that they win: they are never forgotten. */
const seenCommits = (index: Index): Query => ({
  name: 'index_seen_commits',
  text: `SELECT r.lane, r.id, r.id AS commit_id, r.at_offset, r.at, false AS exact
         FROM unnest($1::integer[], $2::uuid[]) AS k(lane, id) JOIN ${index.schema}.recent_commits AS r USING (lane, id)
         UNION ALL
         SELECT c.lane, c.id, c.id, c.at_offset, 0, true
         FROM unnest($1::integer[], $2::uuid[]) AS k(lane, id) JOIN ${index.schema}.commits AS c USING (lane, id)
         ORDER BY exact`,
});
const seenCommands = (index: Index): Query => ({
  name: 'index_seen_commands',
  text: `SELECT r.lane, r.id, r.commit_id, r.at_offset, r.at, false AS exact
         FROM unnest($1::integer[], $2::uuid[]) AS k(lane, id) JOIN ${index.schema}.recent_commands AS r USING (lane, id)
         UNION ALL
         SELECT c.lane, c.command_id, c.id, c.at_offset, 0, true
         FROM unnest($1::integer[], $2::uuid[]) AS k(lane, id)
         JOIN ${index.schema}.commits AS c ON c.lane = k.lane AND c.command_id = k.id
         ORDER BY exact`,
});

async function loadSightings(
  index: Index,
  query: Query,
  keys: readonly { partition: number; id: string }[],
): Promise<Map<number, Map<string, Sighting>>> {
  const found = new Map<number, Map<string, Sighting>>();
  if (keys.length === 0) return found;
  const { rows } = await index.pool.query<{
    lane: number;
    id: string;
    commit_id: string;
    at_offset: string;
    at: string;
    exact: boolean;
  }>({ ...query, values: [keys.map(({ partition }) => partition), keys.map(({ id }) => id)] });
  for (const row of rows) {
    const partition = found.get(row.lane) ?? new Map<string, Sighting>();
    partition.set(row.id, {
      commitId: row.commit_id,
      offset: Number(row.at_offset),
      at: Number(row.at),
      exact: row.exact,
    });
    found.set(row.lane, partition);
  }
  return found;
}

/**
 * Writes verdicts and moves the offsets, in one transaction.
 * @throws StaleIndexError another indexer has moved the offsets first
 */
export async function writeVerdicts(
  index: Index,
  work: readonly { readonly readings: PartitionReadings; readonly validation: Validation }[],
): Promise<void> {
  await inTransaction(index.pool, async (tx) => {
    // No wait for the disk: a crash loses offsets and verdicts together, and the indexer validates those records again.
    await tx.query('SET LOCAL synchronous_commit TO off');
    await moveOffsets(tx, index, work);
    for (const { readings, validation } of work)
      if (validation.forget !== null) await forget(tx, index, readings.partition, validation.forget);
    const verdicts = work.flatMap(({ readings: { partition }, validation }) =>
      validation.verdicts.map((verdict) => ({ partition, verdict })),
    );
    await insertVoids(tx, index, verdicts);
    await insertExact(tx, index, verdicts);
    for (const { readings, validation } of work) await insertRecent(tx, index, readings, validation);
  });
}

async function moveOffsets(
  tx: pg.PoolClient,
  index: Index,
  work: readonly { readonly readings: PartitionReadings; readonly validation: Validation }[],
): Promise<void> {
  const { rowCount } = await tx.query({
    name: 'index_move',
    text: `UPDATE ${index.schema}.lanes AS l SET next_offset = m.next, memory_from = m.memory_from
           FROM unnest($1::integer[], $2::bigint[], $3::bigint[], $4::bigint[]) AS m(lane, from_offset, next, memory_from)
           WHERE l.lane = m.lane AND l.next_offset = m.from_offset`,
    values: [
      work.map(({ readings }) => readings.partition),
      work.map(({ readings }) => readings.from),
      work.map(({ readings }) => readings.next),
      work.map(({ validation }) => validation.state.memoryFrom),
    ],
  });
  if (rowCount !== work.length) throw new StaleIndexError('another indexer has moved the index');
}

async function forget(tx: pg.PoolClient, index: Index, partition: number, before: number): Promise<void> {
  await tx.query(`DELETE FROM ${index.schema}.recent_commits WHERE lane = $1 AND at < $2`, [partition, before]);
  await tx.query(`DELETE FROM ${index.schema}.recent_commands WHERE lane = $1 AND at < $2`, [partition, before]);
}

interface PartitionVerdict {
  readonly partition: number;
  readonly verdict: Verdict;
}

async function insertVoids(tx: pg.PoolClient, index: Index, verdicts: readonly PartitionVerdict[]): Promise<void> {
  const rows = verdicts.flatMap(({ partition, verdict }) => (verdict.void === null ? [] : [{ partition, ...verdict }]));
  if (rows.length === 0) return;
  await tx.query({
    name: 'index_voids',
    text: `INSERT INTO ${index.schema}.voids (lane, at_offset, reason, detail)
           SELECT * FROM unnest($1::integer[], $2::bigint[], $3::text[], $4::text[])`,
    values: [
      rows.map(({ partition }) => partition),
      rows.map(({ offset }) => offset),
      rows.map((row) => row.void),
      rows.map(({ detail }) => detail),
    ],
  });
}

async function insertExact(tx: pg.PoolClient, index: Index, verdicts: readonly PartitionVerdict[]): Promise<void> {
  const rows = verdicts.flatMap(({ partition, verdict }) =>
    verdict.void === null && verdict.commit.revision !== null ? [{ partition, ...verdict }] : [],
  );
  if (rows.length === 0) return;
  await tx.query({
    name: 'index_commits',
    text: `INSERT INTO ${index.schema}.commits (lane, at_offset, stream, revision, id, command_id, body)
           SELECT * FROM unnest($1::integer[], $2::bigint[], $3::text[], $4::integer[], $5::uuid[], $6::uuid[], $7::text[])`,
    values: [
      rows.map(({ partition }) => partition),
      rows.map(({ offset }) => offset),
      rows.map(({ commit }) => commit.stream),
      rows.map(({ commit }) => commit.revision),
      rows.map(({ commit }) => commit.id),
      rows.map(({ commit }) => commit.command?.id ?? null),
      rows.map(({ body }) => body),
    ],
  });
  const heads = new Map(rows.map(({ commit }) => [commit.stream, commit]));
  await tx.query({
    name: 'index_streams',
    text: `INSERT INTO ${index.schema}.streams AS s (stream, revision, hash)
           SELECT * FROM unnest($1::text[], $2::integer[], $3::text[])
           ON CONFLICT (stream) DO UPDATE SET revision = excluded.revision, hash = excluded.hash`,
    values: [[...heads.keys()], [...heads.values()].map((c) => c.revision), [...heads.values()].map((c) => c.hash)],
  });
}

/** Inserts the new ids of *any* streams, except ids that the partition forgets by later records of the same batch. */
async function insertRecent(
  tx: pg.PoolClient,
  index: Index,
  { partition, from }: PartitionReadings,
  validation: Validation,
): Promise<void> {
  const added = (ids: ReadonlyMap<string, Sighting>): [string, Sighting][] =>
    [...ids].filter(([, { exact, offset }]) => !exact && offset >= from);
  const commits = added(validation.state.commits);
  if (commits.length > 0)
    await tx.query({
      name: 'index_recent_commits',
      text: `INSERT INTO ${index.schema}.recent_commits AS r (lane, id, at_offset, at)
             SELECT $1, * FROM unnest($2::uuid[], $3::bigint[], $4::bigint[])
             ON CONFLICT (lane, id) DO UPDATE SET at_offset = excluded.at_offset, at = excluded.at`,
      values: [partition, commits.map(([id]) => id), commits.map(([, s]) => s.offset), commits.map(([, s]) => s.at)],
    });
  const commands = added(validation.state.commands);
  if (commands.length === 0) return;
  const bodies = new Map(validation.verdicts.flatMap((v) => (v.void === null ? [[v.offset, v.body] as const] : [])));
  await tx.query({
    name: 'index_recent_commands',
    text: `INSERT INTO ${index.schema}.recent_commands AS r (lane, id, at_offset, at, commit_id, body)
           SELECT $1, * FROM unnest($2::uuid[], $3::bigint[], $4::bigint[], $5::uuid[], $6::text[])
           ON CONFLICT (lane, id) DO UPDATE
           SET at_offset = excluded.at_offset, at = excluded.at, commit_id = excluded.commit_id, body = excluded.body`,
    values: [
      partition,
      commands.map(([id]) => id),
      commands.map(([, s]) => s.offset),
      commands.map(([, s]) => s.at),
      commands.map(([, s]) => s.commitId),
      commands.map(([, s]) => bodies.get(s.offset)),
    ],
  });
}
