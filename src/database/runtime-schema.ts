import type pg from 'pg';
import { LEASE_DDL } from './lease-rows.ts';
import { type Migrations, migrate } from './migrate.ts';

const migrations: Migrations = {
  '0001_leases': LEASE_DDL,
  // The versions of each read model, and which of them is live: projections/runtime/versions.ts.
  '0002_read_models': `
    CREATE TABLE runtime.read_models (
      name text COLLATE "C" NOT NULL,
      version integer NOT NULL,
      shape integer NOT NULL,
      state text NOT NULL CHECK (state IN ('building', 'ready', 'live')),
      verified boolean NOT NULL DEFAULT false,
      error text,
      PRIMARY KEY (name, version)
    );
    CREATE UNIQUE INDEX read_models_live ON runtime.read_models (name) WHERE state = 'live';`,
  // The engine of the log that the read models follow: projections/runtime/source-log.ts.
  '0003_source_log': `
    CREATE TABLE runtime.source_log (
      one boolean PRIMARY KEY DEFAULT true CHECK (one),
      engine text NOT NULL
    );`,
  '0004_dropped': `
    ALTER TABLE runtime.read_models DROP CONSTRAINT read_models_state_check;
    ALTER TABLE runtime.read_models ADD CHECK (state IN ('building', 'ready', 'live', 'dropped'));`,
  // Counts requests to apply the version's dead letters, so that one query of this table finds them all.
  '0005_retries': 'ALTER TABLE runtime.read_models ADD COLUMN retries integer NOT NULL DEFAULT 0;',
  // Sessions of the console: api/console/session-store.ts.
  '0006_sessions': `
    CREATE TABLE runtime.sessions (
      id_hash text PRIMARY KEY,
      public_part text NOT NULL,
      secret_hash text NOT NULL,
      begun_at bigint NOT NULL,
      used_at bigint NOT NULL
    );`,
  // The last use of each API key, cut to the minute: api/key-uses.ts.
  '0007_key_uses': `
    CREATE TABLE runtime.key_uses (
      key_id bigint PRIMARY KEY,
      used_at bigint NOT NULL
    );`,
  // The progress of operators' jobs: processes/jobs/jobs.ts.
  '0008_jobs': `
    CREATE TABLE runtime.jobs (
      job_id uuid PRIMARY KEY,
      -- How often an instance began it.
      starts integer NOT NULL,
      what text,
      done double precision,
      total double precision,
      unit text,
      begun_at timestamptz NOT NULL,
      seen_at timestamptz NOT NULL
    );`,
  // Folded states of long streams. No program reads them any more.
  '0009_snapshots': `
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
    ALTER TABLE runtime.snapshot_parts ALTER COLUMN bytes SET STORAGE EXTERNAL;`,
  // Accounts close their books in the log instead.
  '0010_no_snapshots': `
    DROP TABLE runtime.snapshots, runtime.snapshot_parts;
    DROP SEQUENCE runtime.snapshot_ids;`,
  // Whether the version was live before: a step back to it needs no comparison.
  '0011_expand_served': 'ALTER TABLE runtime.read_models ADD COLUMN served boolean NOT NULL DEFAULT false;',
  // Bots whose commits a version does not apply now: projections/runtime/quarantines.ts.
  '0012_expand_quarantines': `
    CREATE TABLE runtime.quarantines (
      name text COLLATE "C" NOT NULL,
      version integer NOT NULL,
      schema text COLLATE "C" NOT NULL GENERATED ALWAYS AS (name || '_v' || version::text) STORED,
      -- Public key of the bot.
      key text COLLATE "C" NOT NULL,
      lane integer NOT NULL,
      -- The version has the bot's commits up to here; '': none.
      position text COLLATE "C" NOT NULL,
      -- The commit that could not be applied, and why.
      commit_id uuid,
      error text,
      attempts integer NOT NULL DEFAULT 0,
      at timestamptz NOT NULL DEFAULT clock_timestamp(),
      PRIMARY KEY (name, version, key),
      FOREIGN KEY (name, version) REFERENCES runtime.read_models ON DELETE CASCADE
    );`,
  // How a version is built: projections/runtime/build-control.ts.
  '0014_expand_build_control': `
    ALTER TABLE runtime.read_models
      ADD COLUMN paused boolean NOT NULL DEFAULT false,
      -- The most events a second; null: no limit.
      ADD COLUMN max_rate double precision CHECK (max_rate > 0),
      -- Measured by the builder.
      ADD COLUMN events_per_second double precision,
      ADD COLUMN seconds_left double precision,
      ADD COLUMN measured_at timestamptz;`,
  // The reports that clients asked for in the last day: queries/reports/asked-reports.ts.
  '0015_expand_asked_reports': `
    CREATE TABLE runtime.asked_reports (
      -- Public key of the bot.
      bot text COLLATE "C" NOT NULL,
      -- SHA-256 of the configuration.
      digest bytea NOT NULL,
      -- The type of the report.
      kind text NOT NULL,
      -- The report_config, as JSON text with sorted keys.
      config text NOT NULL,
      asked bigint NOT NULL,
      -- Milliseconds since 1970 UTC.
      asked_at bigint NOT NULL,
      PRIMARY KEY (bot, digest)
    );`,
  // Times of answers, and builds that back off: projections/runtime/back-off-reasons.ts.
  '0016_expand_back_off': `
    ALTER TABLE runtime.read_models ADD COLUMN backs_off boolean NOT NULL DEFAULT false;
    CREATE UNLOGGED TABLE runtime.answer_times (
      instance text COLLATE "C" PRIMARY KEY,
      -- Of the answers of its last slot, and of those while nothing was being built; in milliseconds.
      p99 double precision NOT NULL,
      quiet_p99 double precision NOT NULL,
      measured_at timestamptz NOT NULL
    );`,
  // How often rows of some bots were built again: projections/runtime/part-rebuilds.ts.
  '0017_expand_part_rebuilds': 'ALTER TABLE runtime.read_models ADD COLUMN part_rebuilds integer NOT NULL DEFAULT 0;',
  // The inspections that operators asked for: administration/inspection/inspection-store.ts.
  '0018_expand_inspections': `
    CREATE TABLE runtime.inspections (
      inspection_id uuid PRIMARY KEY,
      kind text NOT NULL,
      -- Of a comparison of versions: the read model, and the request as JSON text.
      projection text COLLATE "C",
      request text NOT NULL,
      operator_id bigint NOT NULL,
      operator text NOT NULL,
      requested_at timestamptz NOT NULL DEFAULT clock_timestamp(),
      -- How often an instance began it. Only the last one may end it.
      starts integer NOT NULL DEFAULT 0,
      what text,
      done double precision,
      total double precision,
      unit text,
      begun_at timestamptz,
      seen_at timestamptz,
      -- Null: it has not ended.
      finished_at timestamptz,
      error text,
      -- JSON text, and the parts of it that were left out.
      result text,
      cut text[] NOT NULL DEFAULT '{}'
    );
    CREATE UNIQUE INDEX inspections_open ON runtime.inspections (kind, coalesce(projection, '')) WHERE finished_at IS NULL;`,
  // Instances share a build: projections/runtime/sections.ts.
  '0019_expand_builders': `
    -- By partition, the position up to which instances share the build; null: it is built as a whole.
    ALTER TABLE runtime.read_models ADD COLUMN goal jsonb;
    CREATE TABLE runtime.builders (
      name text COLLATE "C" NOT NULL,
      version integer NOT NULL,
      -- The first of the builder's units.
      unit integer NOT NULL,
      -- Measured by the builder.
      events_per_second double precision,
      seconds_left double precision,
      backs_off boolean NOT NULL,
      measured_at timestamptz NOT NULL,
      PRIMARY KEY (name, version, unit),
      FOREIGN KEY (name, version) REFERENCES runtime.read_models ON DELETE CASCADE
    );`,
};

export const RUNTIME_SCHEMA = { schema: 'runtime', migrations } as const;

/**
 * Brings the schema `runtime` to its newest migration. Running instances share it. Nothing in it must outlive them, so it may
 * be dropped like every schema but `log`.
 */
export function migrateRuntimeSchema(pool: pg.Pool): Promise<void> {
  return migrate(pool, RUNTIME_SCHEMA.schema, RUNTIME_SCHEMA.migrations);
}
