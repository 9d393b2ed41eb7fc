import { createHash } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import type pg from 'pg';
import { copyRows } from './copy-rows.ts';
import { isDatabaseDown } from './errors.ts';

/**
 * Snapshots of streams, in tables of the schema `runtime`. They are derived and may be dropped at any moment.
 *
 * A snapshot of a million entries has 70 MB. It is written part by part, each in its own transaction: the PostgreSQL
 * log shows its readers nothing newer than the oldest open transaction that writes. The row of the snapshot comes last.
 */
export const SNAPSHOTS_DDL = `
  CREATE SEQUENCE runtime.snapshot_ids;
  CREATE TABLE runtime.snapshots (
    stream text COLLATE "C" NOT NULL,
    -- Of the form of the bytes.
    version integer NOT NULL,
    -- The commit that it ends with, and the hash of the commit before.
    revision integer NOT NULL,
    hash text NOT NULL,
    prev text NOT NULL,
    -- Of its parts.
    id bigint NOT NULL,
    bytes bigint NOT NULL,
    -- SHA-256 of the bytes.
    checksum bytea NOT NULL,
    PRIMARY KEY (stream, version)
  );
  CREATE TABLE runtime.snapshot_parts (
    id bigint NOT NULL,
    part integer NOT NULL,
    bytes bytea NOT NULL,
    written_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    PRIMARY KEY (id, part)
  );
  ALTER TABLE runtime.snapshot_parts ALTER COLUMN bytes SET STORAGE EXTERNAL;`;

const PART_BYTES = 1 << 20;
/** Parts without a snapshot are deleted after this time. Younger ones may be of a save under way. */
const LEFT_OVER = '1 hour';

interface Head {
  readonly revision: number;
  readonly hash: string;
}

interface Snapshot {
  readonly head: Head;
  readonly prev: string;
  readonly bytes: Uint8Array<ArrayBuffer>;
}

interface Row extends Head {
  readonly prev: string;
  readonly id: number;
  readonly bytes: number;
  readonly checksum: Buffer;
}

export interface Snapshots {
  /** The snapshot with the bytes that were saved; null: there is none, it was damaged, or the database does not answer. */
  load(stream: string, version: number): Promise<Snapshot | null>;
  /**
   * Saves a snapshot, unless another instance has saved one of a commit after revision `since`. Resolves also if the database
   * does not answer.
   * @param take makes the snapshot, also of a commit after `since`
   */
  save(stream: string, version: number, since: number, take: () => Snapshot): Promise<void>;
  /** Drops the snapshot with this head. Resolves also if the database does not answer. */
  drop(stream: string, version: number, head: Head): Promise<void>;
}

/** @param onFailure takes the errors of a database that does not answer, and notes about damaged snapshots */
export function openSnapshots(pool: pg.Pool, onFailure: (error: Error) => void): Snapshots {
  /** Snapshots are never needed, so a failure ends nothing else. */
  async function attempt<T>(work: () => Promise<T>, otherwise: T): Promise<T> {
    try {
      return await work();
    } catch (error) {
      if (!isDatabaseDown(error)) onFailure(new Error('failed to use a snapshot', { cause: error }));
      return otherwise;
    }
  }

  async function drop(stream: string, version: number, { revision, hash }: Head): Promise<void> {
    const { rows } = await pool.query<{ id: string }>(
      `DELETE FROM runtime.snapshots WHERE stream = $1 AND version = $2 AND revision = $3 AND hash = $4 RETURNING id`,
      [stream, version, revision, hash],
    );
    for (const { id } of rows) await deleteParts(pool, id);
  }

  return {
    load: (stream, version) =>
      attempt(async () => {
        const found = await read(pool, stream, version);
        if (found === null) return null;
        const { revision, hash, prev, bytes } = found;
        if (bytes !== null) return { head: { revision, hash }, prev, bytes };
        onFailure(new Error(`the snapshot of ${stream} at revision ${revision} was damaged, and is dropped`));
        await drop(stream, version, found);
        return null;
      }, null),

    save: (stream, version, since, take) =>
      attempt(async () => {
        const client = await pool.connect();
        let broken = true;
        try {
          await client.query('SET synchronous_commit = off');
          if (!(await hasLater(client, stream, version, since))) await write(client, stream, version, take());
          await client.query('RESET synchronous_commit');
          broken = false;
        } finally {
          client.release(broken);
        }
      }, undefined),

    drop: (stream, version, head) => attempt(() => drop(stream, version, head), undefined),
  };
}

/** Null: there is no snapshot. Its bytes are null if they differ from the saved ones. */
async function read(
  pool: pg.Pool,
  stream: string,
  version: number,
): Promise<(Omit<Row, 'bytes'> & { readonly bytes: Uint8Array<ArrayBuffer> | null }) | null> {
  const select = {
    name: 'snapshot',
    text: `SELECT revision, hash, prev, id::float8, bytes::float8, checksum FROM runtime.snapshots
           WHERE stream = $1 AND version = $2`,
    values: [stream, version],
  };
  // Most streams are short and have none: for them it is one statement without a transaction.
  if ((await pool.query<Row>(select)).rows.length === 0) return null;
  const client = await pool.connect();
  let broken = true;
  try {
    await client.query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY');
    const row = (await client.query<Row>(select)).rows[0];
    const bytes = row === undefined ? null : await readParts(client, row);
    await client.query('COMMIT');
    broken = false;
    return row === undefined ? null : { ...row, bytes };
  } finally {
    client.release(broken);
  }
}

async function readParts(client: pg.PoolClient, row: Row): Promise<Uint8Array<ArrayBuffer> | null> {
  const bytes = new Uint8Array(row.bytes);
  const checksum = createHash('sha256');
  let at = 0;
  let fits = true;
  await copyRows(
    client,
    `SELECT bytes FROM runtime.snapshot_parts WHERE id = ${row.id} ORDER BY part`,
    1,
    (from, starts, lengths) => {
      const part = from.subarray(starts[0]!, starts[0]! + lengths[0]!);
      fits &&= at + part.length <= bytes.length;
      if (fits) bytes.set(part, at);
      at += part.length;
      checksum.update(part);
    },
  );
  return fits && at === bytes.length && checksum.digest().equals(row.checksum) ? bytes : null;
}

async function hasLater(client: pg.PoolClient, stream: string, version: number, since: number): Promise<boolean> {
  const { rowCount } = await client.query(
    'SELECT FROM runtime.snapshots WHERE stream = $1 AND version = $2 AND revision > $3',
    [stream, version, since],
  );
  return rowCount !== 0;
}

async function write(
  client: pg.PoolClient,
  stream: string,
  version: number,
  { head, prev, bytes }: Snapshot,
): Promise<void> {
  const ids = await client.query<{ id: string }>(`SELECT nextval('runtime.snapshot_ids') AS id`);
  const { id } = ids.rows[0]!;
  const checksum = createHash('sha256');
  for (let at = 0, part = 0; at < bytes.length; at += PART_BYTES, part++) {
    const cut = Buffer.from(bytes.buffer, at, Math.min(PART_BYTES, bytes.length - at));
    checksum.update(cut);
    await client.query('INSERT INTO runtime.snapshot_parts (id, part, bytes) VALUES ($1, $2, $3)', [id, part, cut]);
    await setImmediate();
  }
  const { rows: former } = await client.query<{ id: string }>(
    'SELECT id FROM runtime.snapshots WHERE stream = $1 AND version <= $2',
    [stream, version],
  );
  const { rowCount: stored } = await client.query(
    `INSERT INTO runtime.snapshots AS s (stream, version, revision, hash, prev, id, bytes, checksum)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
     ON CONFLICT (stream, version) DO UPDATE SET revision = excluded.revision, hash = excluded.hash, prev = excluded.prev,
       id = excluded.id, bytes = excluded.bytes, checksum = excluded.checksum
     WHERE s.revision < excluded.revision`,
    [stream, version, head.revision, head.hash, prev, id, bytes.length, checksum.digest()],
  );
  await client.query('DELETE FROM runtime.snapshots WHERE stream = $1 AND version < $2', [stream, version]);
  for (const unused of stored === 0 ? [id] : former.map((each) => each.id)) await deleteParts(client, unused);
  await deleteLeftOvers(client);
}

/** Readers of these parts still see them, since they read one snapshot of the database. */
async function deleteParts(db: pg.Pool | pg.PoolClient, id: string): Promise<void> {
  await db.query('DELETE FROM runtime.snapshot_parts WHERE id = $1', [id]);
}

/** Deletes the parts that a kill has left, a few in a transaction. */
async function deleteLeftOvers(client: pg.PoolClient): Promise<void> {
  for (let deleted = 1; deleted > 0; ) {
    const { rowCount } = await client.query(
      `DELETE FROM runtime.snapshot_parts WHERE (id, part) IN (
         SELECT p.id, p.part FROM runtime.snapshot_parts AS p
         WHERE NOT EXISTS (SELECT FROM runtime.snapshots AS s WHERE s.id = p.id)
           AND p.written_at < clock_timestamp() - interval '${LEFT_OVER}'
         LIMIT 8)`,
    );
    deleted = rowCount ?? 0;
  }
}
