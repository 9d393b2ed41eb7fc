import type { Migrations } from '../../database/migrate.ts';
import { APPEND_FUNCTION } from './append-function.ts';

/**
 * The schema `log`: the only part of the database that cannot be rebuilt. Append-only is the database's own rule: a
 * trigger refuses updates, deletes and truncation even to the owner of the table, and the grants are gone too.
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
  // Whatever form of it is there: the function holds no data. A change of it moves this line to a migration of its own.
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

    -- The subjects' keys: the first by id of those that a subject has, else the one given for it. The transaction does not
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
};
