import type { Migrations } from '../../database/migrate.ts';

/**
 * `log.append`: appends a group of commits in one statement, one transaction, one round trip.
 *
 * It takes an advisory lock per key (a bot) **before** the transaction gets its id and reads a head. With the id first,
 * readers got 4 of 78,758 events of a busy stream in the wrong order; with the lock first, none. The lock also makes `seq`
 * follow the readers' order within a bot, as `ordinal` promises. It locks keys in ascending order, so that two groups cannot
 * deadlock. Under READ COMMITTED each statement below has its own snapshot. So it sees the commits of other writers from
 * before the lock.
 *
 * The bodies arrive as one `bytea` with their lengths. In a `text[]` the sender would escape each quote of their JSON, and the
 * server would remove the escapes.
 *
 * It returns one row per commit: the outcome (`appended`, `repeated` or `conflict`), the transaction id and the sequence
 * number. For a repeat the row has the ids and the body of the earlier commit. For a conflict it has the revision of the
 * stream's head.
 */
const APPEND_FUNCTION = `
CREATE FUNCTION log.append(
  ids uuid[], streams text[], keys text[], revisions integer[], prevs text[], hashes text[],
  command_ids uuid[], ats bigint[], lengths integer[], bodies bytea, memory_ms bigint
) RETURNS TABLE (n integer, outcome text, txid xid8, seq bigint, revision integer, body text)
LANGUAGE plpgsql AS $$
#variable_conflict use_column
DECLARE
  -- Where the body of the commit at hand ends in \`bodies\`.
  start integer := 0;
  head record;
  known record;
  first uuid;
BEGIN
  PERFORM pg_advisory_xact_lock(k)
    FROM (SELECT DISTINCT hashtextextended(key, 0) AS k FROM unnest(keys) AS key ORDER BY 1) AS locks;

  -- Intake: neither head nor command to look at, so all of it goes in at once; a commit id seen before is left alone.
  RETURN QUERY
    WITH given AS (
      SELECT g.n::integer AS n, g.id, g.stream, g.revision, g.command_id, g.length,
             (sum(g.length) OVER (ORDER BY g.n) - g.length)::integer AS start
      FROM unnest(ids, streams, lengths, revisions, command_ids) WITH ORDINALITY AS g(id, stream, length, revision, command_id, n)
    ), intake AS (
      SELECT n, id, stream, convert_from(substring(bodies FROM start + 1 FOR length), 'UTF8') AS body
      FROM given WHERE revision IS NULL AND command_id IS NULL
    ), added AS (
      INSERT INTO log.commits (id, stream, body) SELECT id, stream, body FROM intake ORDER BY n
      ON CONFLICT (id) DO NOTHING
      RETURNING id, txid, seq
    )
    SELECT intake.n, CASE WHEN added.id IS NULL THEN 'repeated' ELSE 'appended' END,
           coalesce(added.txid, c.txid), coalesce(added.seq, c.seq), NULL::integer, c.body
    FROM intake LEFT JOIN added ON added.id = intake.id
         -- The limit keeps it a look-up for each: a join might be planned over the whole log.
         LEFT JOIN LATERAL (
           SELECT c.txid, c.seq, c.body FROM log.commits AS c WHERE added.id IS NULL AND c.id = intake.id LIMIT 1
         ) AS c ON true;

  FOR i IN 1 .. coalesce(array_length(ids, 1), 0) LOOP
    start := start + lengths[i];
    CONTINUE WHEN revisions[i] IS NULL AND command_ids[i] IS NULL;
    n := i;
    txid := NULL; seq := NULL; revision := NULL; body := NULL;

    SELECT c.commit_id, c.at, c.exact INTO known FROM log.commands AS c WHERE c.id = command_ids[i];
    IF FOUND AND (known.exact OR known.at > ats[i] - memory_ms) THEN
      first := known.commit_id;
    ELSE
      first := ids[i];
    END IF;
    SELECT c.txid, c.seq, c.body INTO txid, seq, body FROM log.commits AS c WHERE c.id = first;
    IF FOUND THEN
      outcome := 'repeated';
      RETURN NEXT; CONTINUE;
    END IF;

    IF revisions[i] IS NOT NULL THEN
      SELECT s.revision, s.hash INTO head FROM log.streams AS s WHERE s.stream = streams[i];
      IF coalesce(head.revision, 0) <> revisions[i] - 1 OR coalesce(head.hash, '') <> prevs[i] THEN
        outcome := 'conflict'; revision := coalesce(head.revision, 0);
        RETURN NEXT; CONTINUE;
      END IF;
      INSERT INTO log.streams AS s (stream, revision, hash) VALUES (streams[i], revisions[i], hashes[i])
        ON CONFLICT (stream) DO UPDATE SET revision = excluded.revision, hash = excluded.hash;
    END IF;

    INSERT INTO log.commits AS c (id, stream, revision, body) VALUES
        (ids[i], streams[i], revisions[i],
         convert_from(substring(bodies FROM start - lengths[i] + 1 FOR lengths[i]), 'UTF8'))
      RETURNING c.txid, c.seq INTO txid, seq;
    IF command_ids[i] IS NOT NULL THEN
      INSERT INTO log.commands AS c (id, commit_id, at, exact)
        VALUES (command_ids[i], ids[i], ats[i], revisions[i] IS NOT NULL)
        ON CONFLICT (id) DO UPDATE SET commit_id = excluded.commit_id, at = excluded.at, exact = excluded.exact;
    END IF;
    outcome := 'appended'; revision := revisions[i];
    RETURN NEXT;
  END LOOP;
END $$;`;

/**
 * `log.append_new`: as `log.append`, for commits of *any* streams without command ids, none of which is in the log: the usual
 * intake. It needs no look-up and no decision, so it is one insert that answers with one row, in half of the time. If
 * the log has a commit id already, it fails (23505) and appends no commit.
 *
 * `seqs` are in the order of the commits, since PostgreSQL draws them in the order of the select. Takes the lock like
 * `log.append`.
 */
const APPEND_NEW_FUNCTION = `
CREATE FUNCTION log.append_new(keys text[], ids uuid[], streams text[], starts integer[], lengths integer[], bodies bytea)
RETURNS TABLE (txid xid8, seqs bigint[])
LANGUAGE plpgsql AS $$
#variable_conflict use_column
BEGIN
  PERFORM pg_advisory_xact_lock(k)
    FROM (SELECT DISTINCT hashtextextended(key, 0) AS k FROM unnest(keys) AS key ORDER BY 1) AS locks;
  RETURN QUERY
    WITH added AS (
      INSERT INTO log.commits (id, stream, body)
      SELECT id, stream, convert_from(substring(bodies FROM start FOR length), 'UTF8')
      FROM unnest(ids, streams, starts, lengths) WITH ORDINALITY AS g(id, stream, start, length, n) ORDER BY n
      RETURNING seq
    )
    SELECT pg_current_xact_id(), array_agg(seq ORDER BY seq) FROM added;
END $$;`;

/**
 * The schema `log`: the only part of the database that cannot be rebuilt. The database itself keeps it append-only. A trigger
 * refuses updates, deletes and truncation, even to the owner of the table. The migration also revokes the grants for them.
 */
export const SCHEMA = 'log';

export const migrations: Migrations = {
  '0001_commits': `
    CREATE TABLE log.commits (
      -- Readers go by (txid, seq) and stop below the oldest transaction still open: see reader.ts.
      txid xid8 NOT NULL DEFAULT pg_current_xact_id(),
      seq bigint NOT NULL GENERATED ALWAYS AS IDENTITY,
      id uuid NOT NULL,
      stream text COLLATE "C" NOT NULL,
      revision integer CHECK (revision > 0),
      body text NOT NULL,
      PRIMARY KEY (txid, seq)
    );
    -- Not compressed: pglz costs more time than the bytes it saves are worth on the intake path.
    ALTER TABLE log.commits ALTER COLUMN body SET STORAGE EXTERNAL;
    CREATE UNIQUE INDEX commits_id ON log.commits (id);
    CREATE UNIQUE INDEX commits_stream_revision ON log.commits (stream, revision) WHERE revision IS NOT NULL;
    -- The catalog's share of the log is small: who does not read intake finds its commits here.
    CREATE INDEX commits_exact ON log.commits (txid, seq) WHERE revision IS NOT NULL;

    -- Where each exact stream ends. An anchor for the hash chain: without it the loss of the last commit would not show.
    CREATE TABLE log.streams (
      stream text COLLATE "C" PRIMARY KEY,
      revision integer NOT NULL,
      hash text NOT NULL
    );

    -- Command ids, so that a repeat is recognised.
    CREATE TABLE log.commands (
      id uuid PRIMARY KEY,
      commit_id uuid NOT NULL,
      at bigint NOT NULL,
      exact boolean NOT NULL
    );

    CREATE FUNCTION log.refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      RAISE EXCEPTION 'the log is append-only: % on %.% refused', TG_OP, TG_TABLE_SCHEMA, TG_TABLE_NAME
        USING ERRCODE = 'insufficient_privilege';
    END $$;
    CREATE TRIGGER append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON log.commits
      FOR EACH STATEMENT EXECUTE FUNCTION log.refuse_change();
    REVOKE UPDATE, DELETE, TRUNCATE ON log.commits FROM PUBLIC, CURRENT_USER;
  `,
  // Replaces any earlier form of the function. It holds no data. To change the function, move this line to a new
  // migration.
  '0002_append': `
    DROP FUNCTION IF EXISTS log.append;
    ${APPEND_FUNCTION}
  `,
  '0003_keys': `
    -- What personal data in the commits is sealed with. A subject may have several; deleting them erases the data.
    CREATE TABLE log.keys (
      id uuid PRIMARY KEY,
      subject text COLLATE "C" NOT NULL,
      secret bytea NOT NULL
    );
    CREATE INDEX keys_subject ON log.keys (subject);

    -- The subjects' keys: the first by id of a subject's stored keys, else the given key. The transaction does not
    -- wait for the disk: whatever is sealed with a new key is appended after it, to the same write-ahead log, and is
    -- acknowledged only when that has been flushed up to there, the key included.
    CREATE FUNCTION log.keys_for(ids uuid[], subjects text[], secrets bytea[])
    RETURNS TABLE (id uuid, subject text, secret bytea) LANGUAGE plpgsql AS $$
    #variable_conflict use_column
    BEGIN
      PERFORM set_config('synchronous_commit', 'off', true);
      RETURN QUERY
        WITH given AS (SELECT g.id, g.subject, g.secret FROM unnest(ids, subjects, secrets) AS g(id, subject, secret)),
        known AS (
          SELECT k.id, k.subject, k.secret
          -- The limit keeps it a look-up for each: a join might be planned over all keys.
          FROM given CROSS JOIN LATERAL (
            SELECT k.id, k.subject, k.secret FROM log.keys AS k WHERE k.subject = given.subject ORDER BY k.id LIMIT 1
          ) AS k
        ), made AS (
          INSERT INTO log.keys (id, subject, secret)
          SELECT id, subject, secret FROM given
          WHERE NOT EXISTS (SELECT FROM known WHERE known.subject = given.subject)
          RETURNING id, subject, secret
        )
        SELECT id, subject, secret FROM known UNION ALL SELECT id, subject, secret FROM made;
    END $$;
  `,
  '0004_append_new': APPEND_NEW_FUNCTION,
};
