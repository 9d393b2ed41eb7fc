import type pg from 'pg';
import type { Migrations } from '../../database/migrate.ts';

/**
 * The index of a validated log, in a separate schema: the verdicts on its records, and the heads and ids that the next
 * verdicts need. The indexer writes both with its offsets in one transaction. A dropped index is rebuilt from the
 * records.
 */
export interface Index {
  readonly pool: pg.Pool;
  readonly schema: string;
  readonly migrations: Migrations;
  /** The indexed log, by the name of its topic or stream. */
  readonly source: string;
  readonly partitions: number;
}

/** The first migration of every index. Databases have it: a change needs another migration. */
export function indexTables(schema: string): string {
  return `
    -- Which log this is the index of.
    CREATE TABLE ${schema}.source (
      one boolean PRIMARY KEY DEFAULT true CHECK (one),
      topic text NOT NULL
    );

    CREATE TABLE ${schema}.lanes (
      lane integer PRIMARY KEY,
      -- The first offset without a verdict; moved by compare-and-set.
      next_offset bigint NOT NULL DEFAULT 0,
      -- What was seen on streams of any order before this time (ms) is forgotten.
      memory_from bigint NOT NULL DEFAULT 0
    );

    -- Records that do not count.
    CREATE TABLE ${schema}.voids (
      lane integer NOT NULL,
      at_offset bigint NOT NULL,
      reason text NOT NULL,
      detail text NOT NULL,
      PRIMARY KEY (lane, at_offset)
    );

    CREATE TABLE ${schema}.streams (
      stream text COLLATE "C" PRIMARY KEY,
      revision integer NOT NULL,
      hash text NOT NULL
    );

    -- The commits of exact streams; their ids and command ids are remembered forever.
    CREATE TABLE ${schema}.commits (
      lane integer NOT NULL,
      at_offset bigint NOT NULL,
      stream text COLLATE "C" NOT NULL,
      revision integer NOT NULL,
      id uuid NOT NULL,
      command_id uuid,
      body text NOT NULL,
      PRIMARY KEY (lane, at_offset)
    );
    CREATE UNIQUE INDEX commits_stream_revision ON ${schema}.commits (stream, revision);
    CREATE UNIQUE INDEX commits_id ON ${schema}.commits (lane, id);
    CREATE UNIQUE INDEX commits_command ON ${schema}.commits (lane, command_id) WHERE command_id IS NOT NULL;

    -- Ids lately seen on streams of any order; the body only with a command, whose repeat is answered with it.
    CREATE TABLE ${schema}.recent_commits (
      lane integer NOT NULL,
      id uuid NOT NULL,
      at_offset bigint NOT NULL,
      at bigint NOT NULL,
      PRIMARY KEY (lane, id)
    );
    CREATE INDEX recent_commits_at ON ${schema}.recent_commits (lane, at);
    CREATE TABLE ${schema}.recent_commands (
      lane integer NOT NULL,
      id uuid NOT NULL,
      at_offset bigint NOT NULL,
      at bigint NOT NULL,
      commit_id uuid NOT NULL,
      body text NOT NULL,
      PRIMARY KEY (lane, id)
    );
    CREATE INDEX recent_commands_at ON ${schema}.recent_commands (lane, at);
  `;
}
