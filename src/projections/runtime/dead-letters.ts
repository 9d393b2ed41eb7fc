import type { ClientBase, Pool } from 'pg';
import { inTransaction } from '../../database/transaction.ts';
import type { Position, RecordedCommit } from '../../log/port.ts';
import { schemaOf } from '../read-model.ts';

/** Commits that a version of a read model cannot apply, in the version's own schema. */
export const DEAD_LETTERS_DDL = `
  CREATE TABLE dead_letters (
    commit_id uuid PRIMARY KEY,
    -- JSON text, as the log returned it.
    commit text NOT NULL,
    error text NOT NULL,
    -- Whether the version stopped at the commit; else it skipped it.
    blocking boolean NOT NULL,
    -- An operator asked to apply the commit again.
    retry boolean NOT NULL DEFAULT false,
    at timestamptz NOT NULL DEFAULT clock_timestamp()
  );`;

/** The commit as `json`. PostgreSQL's functions refuse the escapes of NUL and of half a surrogate pair. */
const AS_JSON = String.raw`
  CASE WHEN strpos(commit, '\u0000') = 0 AND strpos(commit, '\ud') = 0 THEN commit
       ELSE regexp_replace(commit, '\\u(0000|d[89a-f][0-9a-f]{2})', '\\ufffd', 'g') END::json`;

/** Needs the search path on the version's schema. */
export async function addDeadLetter(
  tx: ClientBase,
  commit: RecordedCommit,
  error: string,
  blocking: boolean,
): Promise<void> {
  await tx.query(
    `INSERT INTO dead_letters (commit_id, commit, error, blocking) VALUES ($1, $2, $3, $4)
     ON CONFLICT (commit_id) DO UPDATE SET error = excluded.error, blocking = excluded.blocking, retry = false`,
    [commit.id, JSON.stringify(commit), error, blocking],
  );
}

/**
 * Records that a retry of a skipped commit failed. Compare-and-set: if another projector has applied the commit, its letter is
 * gone, and none is written again.
 */
export async function setRetryFailed(pool: Pool, schema: string, commitId: string, error: string): Promise<void> {
  await pool.query(
    `UPDATE ${schema}.dead_letters SET error = $2, retry = false WHERE commit_id = $1 AND retry AND NOT blocking`,
    [commitId, error],
  );
}

export interface DeadLettersSummary {
  readonly count: number;
  /** Of the oldest; null if there is none. */
  readonly firstError: string | null;
  /** Id of the commit that the version waits at, if any. */
  readonly blocking: string | null;
}

export async function summarizeDeadLetters(pool: Pool, schema: string): Promise<DeadLettersSummary> {
  const { rows } = await pool.query<DeadLettersSummary>(
    `SELECT count(*)::int AS count, (array_agg(error ORDER BY at, commit_id))[1] AS "firstError",
            (array_agg(commit_id ORDER BY at, commit_id) FILTER (WHERE blocking))[1] AS blocking
     FROM ${schema}.dead_letters`,
  );
  return rows[0]!;
}

/** The start of an event's data, so that a commit of megabytes is neither sent nor parsed. */
export interface EventExcerpt {
  readonly type: string;
  readonly v: number;
  /** The first characters of the data's JSON text. */
  readonly text: string;
  /** Of the whole text. */
  readonly bytes: number;
}

export interface ListedLetter {
  readonly commitId: string;
  readonly stream: string;
  readonly position: Position;
  /** When the commit was recorded, milliseconds since 1970 UTC. */
  readonly recordedAt: number;
  readonly error: string;
  readonly blocking: boolean;
  /** Whether the bot of the commit waits at it. */
  readonly quarantined: boolean;
  readonly at: Date;
  /** The first events of the commit. */
  readonly events: readonly EventExcerpt[];
  readonly eventsCount: number;
}

export interface LettersPage {
  readonly limit: number;
  readonly offset: number;
  /** How many events of a commit are listed, and how many characters of each. */
  readonly events: number;
  readonly characters: number;
}

/** A page of the dead letters of a version, oldest first. */
export async function listDeadLetters(
  pool: Pool,
  schema: string,
  { limit, offset, events, characters }: LettersPage,
): Promise<ListedLetter[]> {
  const { rows } = await pool.query<ListedLetter>(
    `SELECT commit_id AS "commitId", c.stream, c."position", c.recorded_at AS "recordedAt", error, blocking, l.at,
            EXISTS (SELECT FROM runtime.quarantines q WHERE q.schema = $5 AND q.commit_id = l.commit_id) AS quarantined,
            json_array_length(c.events) AS "eventsCount",
            (SELECT coalesce(json_agg(json_build_object('type', e.type, 'v', e.v, 'bytes', octet_length(e.data::text),
                                                        'text', left(e.data::text, $4)) ORDER BY n), '[]')
               FROM (SELECT * FROM json_array_elements(c.events) WITH ORDINALITY AS a (event, n) LIMIT $3) AS first,
                    json_to_record(event) AS e (type text, v int, data json)) AS events
       FROM (SELECT * FROM ${schema}.dead_letters ORDER BY at, commit_id LIMIT $1 OFFSET $2) AS l,
            LATERAL (SELECT ${AS_JSON} AS commit_json) AS j,
            LATERAL (SELECT r.stream, r."position", r.at AS recorded_at, r.events
                       FROM json_to_record(commit_json) AS r (stream text, "position" text, at float8, events json)) AS c
      ORDER BY l.at, commit_id`,
    [limit, offset, events, characters, schema],
  );
  return rows;
}

/** A dead letter without its commit. */
export interface DeadLetter {
  readonly error: string;
  readonly blocking: boolean;
  readonly retry: boolean;
}

export async function findDeadLetter(
  db: Pool | ClientBase,
  schema: string,
  commitId: string,
): Promise<DeadLetter | undefined> {
  const { rows } = await db.query<DeadLetter>(
    `SELECT error, blocking, retry FROM ${schema}.dead_letters WHERE commit_id = $1`,
    [commitId],
  );
  return rows[0];
}

/** The position and the stream of a commit. */
export type PlaceOfCommit = Pick<RecordedCommit, 'position' | 'stream'>;

/** Where the commit of a dead letter is in the log. */
export async function placeOfLetter(
  db: Pool | ClientBase,
  schema: string,
  commitId: string,
): Promise<PlaceOfCommit | undefined> {
  const { rows } = await db.query<PlaceOfCommit>(
    `SELECT (${AS_JSON})->>'position' AS position, (${AS_JSON})->>'stream' AS stream
       FROM ${schema}.dead_letters WHERE commit_id = $1`,
    [commitId],
  );
  return rows[0];
}

/** The commits that operators asked to apply again, oldest first. */
export async function commitsToRetry(
  pool: Pool,
  schema: string,
  isOwn: (commit: RecordedCommit) => boolean,
): Promise<RecordedCommit[]> {
  const { rows } = await pool.query<{ commit: string }>(
    `SELECT commit FROM ${schema}.dead_letters WHERE retry AND NOT blocking ORDER BY at, commit_id`,
  );
  const commits = rows.map(({ commit }) => JSON.parse(commit) as RecordedCommit);
  return commits.filter(isOwn);
}

/** The log positions of the commits that versions have skipped, by `letterId`. */
export async function deadLetteredIn(pool: Pool, schemas: readonly string[]): Promise<Map<string, Position>> {
  const found = await Promise.all(
    schemas.map(async (schema) => {
      const { rows } = await pool.query<{ commit_id: string; position: Position }>(
        `SELECT commit_id, (${AS_JSON})->>'position' AS position FROM ${schema}.dead_letters WHERE NOT blocking`,
      );
      return rows.map(({ commit_id, position }) => [letterId(schema, commit_id), position] as const);
    }),
  );
  return new Map(found.flat());
}

/** A commit that a version has passed without applying it. */
export interface PassedLetter {
  readonly commitId: string;
  readonly stream: string;
}

export async function lettersPassed(db: Pool | ClientBase, schema: string): Promise<PassedLetter[]> {
  const { rows } = await db.query<PassedLetter>(
    `SELECT commit_id AS "commitId", (${AS_JSON})->>'stream' AS stream FROM ${schema}.dead_letters WHERE NOT blocking`,
  );
  return rows;
}

/** Removes letters whose commits the version has now applied. */
export async function removeLetters(tx: ClientBase, schema: string, letters: readonly PassedLetter[]): Promise<void> {
  if (letters.length === 0) return;
  const ids = letters.map(({ commitId }) => commitId);
  await tx.query(`DELETE FROM ${schema}.dead_letters WHERE NOT blocking AND commit_id = ANY ($1)`, [ids]);
}

/** Asks the version's projector to apply the commit again. */
export async function askRetry(pool: Pool, name: string, version: number, commitId: string): Promise<void> {
  await inTransaction(pool, async (tx) => {
    await tx.query(`UPDATE ${schemaOf(name, version)}.dead_letters SET retry = true WHERE commit_id = $1`, [commitId]);
    await askProjectors(tx, name, version);
  });
}

/** Makes the version's projectors look at its dead letters and for deferred work. */
export async function askProjectors(tx: ClientBase, name: string, version: number): Promise<void> {
  await tx.query('UPDATE runtime.read_models SET retries = retries + 1 WHERE name = $1 AND version = $2', [
    name,
    version,
  ]);
}

/**
 * Removes the dead letters that the version stopped at.
 * @param isOwn whether the commit at a position of a stream is the projector's to apply
 */
export async function removeBlocking(
  pool: Pool,
  schema: string,
  isOwn: (commit: PlaceOfCommit) => boolean,
): Promise<void> {
  const { rows } = await pool.query<PlaceOfCommit & { commit_id: string }>(
    `SELECT commit_id, (${AS_JSON})->>'position' AS position, (${AS_JSON})->>'stream' AS stream
       FROM ${schema}.dead_letters WHERE blocking`,
  );
  const own = rows.filter(isOwn).map(({ commit_id }) => commit_id);
  if (own.length > 0)
    await pool.query(`DELETE FROM ${schema}.dead_letters WHERE blocking AND commit_id = ANY ($1)`, [own]);
}

/** @returns whether there was such a letter */
export async function removeDeadLetter(db: Pool | ClientBase, schema: string, commitId: string): Promise<boolean> {
  const { rowCount } = await db.query(`DELETE FROM ${schema}.dead_letters WHERE commit_id = $1`, [commitId]);
  return rowCount === 1;
}

/** The name of a dead letter for operators: the schema of the version, and the commit. */
export function letterId(schema: string, commitId: string): string {
  return `${schema}.${commitId}`;
}

export interface LetterName {
  readonly name: string;
  readonly version: number;
  readonly commitId: string;
}

/** Null if the text is no such name. */
export function parseLetterId(text: string): LetterName | null {
  const match = /^([a-z]+)_v(\d{1,9})\.([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/.exec(text);
  return match === null ? null : { name: match[1]!, version: Number(match[2]), commitId: match[3]! };
}
