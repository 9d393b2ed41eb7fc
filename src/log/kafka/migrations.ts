import type { Migrations } from '../../database/migrate.ts';
import { indexTables } from '../validated/index-schema.ts';

/** The schema of the index of a Kafka log, and of its keyring (validated/index-schema.ts). */
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
