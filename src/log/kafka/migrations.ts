import type { Migrations } from '../../database/migrate.ts';

/**
 * The schema `kafka_index`: the verdicts on the topic's records, and what they are made from. Written by the indexer with
 * its offsets in one transaction; nothing of it is truth, and whoever drops it gets it back from the topic.
 */
export const INDEX_SCHEMA = 'kafka_index';

export const migrations: Migrations = {
  '0001_index': `
    -- Which log this is the index of.
    CREATE TABLE kafka_index.source (
      one boolean PRIMARY KEY DEFAULT true CHECK (one),
      topic text NOT NULL
    );

    CREATE TABLE kafka_index.lanes (
      lane integer PRIMARY KEY,
      -- The first offset without a verdict; moved by compare-and-set.
      next_offset bigint NOT NULL DEFAULT 0,
      -- What was seen on streams of any order before this time (ms) is forgotten.
      memory_from bigint NOT NULL DEFAULT 0
    );

    -- Records that do not count.
    CREATE TABLE kafka_index.voids (
      lane integer NOT NULL,
      at_offset bigint NOT NULL,
      reason text NOT NULL,
      detail text NOT NULL,
      PRIMARY KEY (lane, at_offset)
    );

    CREATE TABLE kafka_index.streams (
      stream text COLLATE "C" PRIMARY KEY,
      revision integer NOT NULL,
      hash text NOT NULL
    );

    -- The commits of exact streams; their ids and command ids are remembered for ever.
    CREATE TABLE kafka_index.commits (
      lane integer NOT NULL,
      at_offset bigint NOT NULL,
      stream text COLLATE "C" NOT NULL,
      revision integer NOT NULL,
      id uuid NOT NULL,
      command_id uuid,
      body text NOT NULL,
      PRIMARY KEY (lane, at_offset)
    );
    CREATE UNIQUE INDEX commits_stream_revision ON kafka_index.commits (stream, revision);
    CREATE UNIQUE INDEX commits_id ON kafka_index.commits (lane, id);
    CREATE UNIQUE INDEX commits_command ON kafka_index.commits (lane, command_id) WHERE command_id IS NOT NULL;

    -- Ids lately seen on streams of any order; the body only with a command, whose repeat is answered with it.
    CREATE TABLE kafka_index.recent_commits (
      lane integer NOT NULL,
      id uuid NOT NULL,
      at_offset bigint NOT NULL,
      at bigint NOT NULL,
      PRIMARY KEY (lane, id)
    );
    CREATE INDEX recent_commits_at ON kafka_index.recent_commits (lane, at);
    CREATE TABLE kafka_index.recent_commands (
      lane integer NOT NULL,
      id uuid NOT NULL,
      at_offset bigint NOT NULL,
      at bigint NOT NULL,
      commit_id uuid NOT NULL,
      body text NOT NULL,
      PRIMARY KEY (lane, id)
    );
    CREATE INDEX recent_commands_at ON kafka_index.recent_commands (lane, at);
  `,
  '0002_keys': `
    -- The keyring as the topic of keys has it.
    CREATE TABLE kafka_index.keys (
      id uuid PRIMARY KEY,
      subject text COLLATE "C" NOT NULL,
      secret bytea NOT NULL
    );
    CREATE INDEX keys_subject ON kafka_index.keys (subject);
    -- The first offset of that topic that is not in it yet; moved by compare-and-set.
    CREATE TABLE kafka_index.keys_progress (
      one boolean PRIMARY KEY DEFAULT true CHECK (one),
      next_offset bigint NOT NULL DEFAULT 0
    );
    INSERT INTO kafka_index.keys_progress DEFAULT VALUES;
  `,
};
