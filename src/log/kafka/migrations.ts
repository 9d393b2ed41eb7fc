import type { Migrations } from '../../database/migrate.ts';
import { indexTables } from '../validated/index-schema.ts';

/**
 * The schema `kafka_index`: the verdicts on the topic's records, and what they are made from. Written by the indexer with
 * its offsets in one transaction; none of it is truth, and a dropped index is read again from the topic.
 */
export const SCHEMA = 'kafka_index';

export const migrations: Migrations = {
  '0001_index': indexTables(SCHEMA),
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
  '0003_forgotten_keys': `
    -- Ids of keys that must not come back.
    CREATE TABLE kafka_index.forgotten_keys (id uuid PRIMARY KEY);
  `,
};
