import type pg from 'pg';
import { type Migrations, migrate } from '../../database/migrate.ts';

const migrations: Migrations = {
  '0001_trees': `
    -- The tree of each partition of the log.
    CREATE TABLE proof.trees (
      tree integer PRIMARY KEY,
      size bigint NOT NULL,
      -- Of the last leaf.
      position text COLLATE "C"
    );
    -- The leaves, 256 a row. A hash of a leaf is computed when it is asked for.
    CREATE TABLE proof.bundles (
      tree integer NOT NULL,
      n bigint NOT NULL,
      last_position text COLLATE "C" NOT NULL,
      leaves bytea NOT NULL,
      PRIMARY KEY (tree, n)
    );
    -- The roots of full subtrees of 256 ^ level leaves. Tree -1: the output log, whose leaves are the checkpoints.
    CREATE TABLE proof.nodes (
      tree integer NOT NULL,
      level smallint NOT NULL,
      n bigint NOT NULL,
      hash bytea NOT NULL,
      PRIMARY KEY (tree, level, n)
    );
    CREATE TABLE proof.accounts (
      stream text COLLATE "C" PRIMARY KEY,
      key bytea NOT NULL,
      revision bigint NOT NULL,
      leaves bigint NOT NULL,
      is_mapped boolean NOT NULL
    );
    CREATE INDEX accounts_to_map ON proof.accounts (stream) WHERE NOT is_mapped;
    -- The map of accounts at the last checkpoint.
    CREATE TABLE proof.map (
      key bytea PRIMARY KEY,
      revision bigint NOT NULL,
      leaves bigint NOT NULL
    );
    -- The hash over all keys that begin with the same 12 bits, and one of the keys.
    CREATE TABLE proof.map_parts (
      part integer PRIMARY KEY,
      key bytea NOT NULL,
      hash bytea NOT NULL
    );
    -- A copy of the stream of checkpoints. The last row may have no note yet: then its commit is not known to be in the log.
    CREATE TABLE proof.checkpoints (
      n bigint PRIMARY KEY,
      entry text NOT NULL,
      note text,
      -- Of the commit.
      hash text
    );
    -- The number of checkpoints that the map and the trees have passed.
    CREATE TABLE proof.state (
      one boolean PRIMARY KEY DEFAULT true CHECK (one),
      mapped bigint NOT NULL DEFAULT 0
    );
    INSERT INTO proof.state DEFAULT VALUES;`,
  // Finds the leaf of a commit.
  '0002_positions': 'CREATE INDEX bundles_by_position ON proof.bundles (tree, last_position);',
  '0003_cosignatures': `
    -- A copy of the stream of cosignatures.
    CREATE TABLE proof.cosignatures (
      revision bigint PRIMARY KEY,
      -- Of the checkpoint.
      size bigint NOT NULL,
      lines text NOT NULL,
      at bigint NOT NULL,
      -- Of the commit.
      hash text NOT NULL
    );
    CREATE INDEX cosignatures_by_size ON proof.cosignatures (size);
    ALTER TABLE proof.state
      ADD asks_quorum boolean NOT NULL DEFAULT false,
      -- The last checkpoint that a quorum has cosigned, and when.
      ADD quorum_size bigint,
      ADD quorum_at bigint;`,
};

export const PROOF_SCHEMA = { schema: 'proof', migrations } as const;

/** The schema `proof`: trees of hashes over the log. It is derived from the log and may be dropped. */
export function migrateProofSchema(pool: pg.Pool): Promise<void> {
  return migrate(pool, PROOF_SCHEMA.schema, PROOF_SCHEMA.migrations);
}
