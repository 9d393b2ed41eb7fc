import { placed } from '../read-model.ts';

/**
 * Tables of the read model `catalog`. No foreign keys: owners, bots and rates are in different partitions of the log, so a bot
 * can be applied before its owner. Times are milliseconds since 1970 UTC.
 */
export const CATALOG_DDL = `
  CREATE TABLE owners (
    owner_id bigint PRIMARY KEY,
    public_key text NOT NULL,
    name text NOT NULL,
    currency text NOT NULL,
    plan text NOT NULL,
    broadcasts_per_month bigint NOT NULL,
    demo boolean NOT NULL,
    created_at bigint NOT NULL
  );
  CREATE TABLE bots (
    bot_id integer PRIMARY KEY,
    public_key text NOT NULL UNIQUE,
    owner_id bigint NOT NULL,
    name text NOT NULL,
    username text,
    token text,
    timezone text NOT NULL,
    pair_separator text NOT NULL,
    value_separator text NOT NULL,
    referral_new_users_only boolean NOT NULL,
    auto_payout text NOT NULL,
    paid_broadcasts boolean NOT NULL,
    webhook_secret_hash text NOT NULL,
    created_at bigint NOT NULL
  );
  CREATE INDEX bots_owner ON bots (owner_id);
  CREATE TABLE keys (
    key_id bigint PRIMARY KEY,
    owner_id bigint NOT NULL,
    public_part text NOT NULL,
    secret_hash text NOT NULL UNIQUE,
    -- Public keys; null: all bots of the owner.
    bots text[],
    kind text NOT NULL,
    name text,
    expires_at bigint,
    revoked_at bigint,
    is_revoked boolean NOT NULL,
    rotates bigint,
    issued_at bigint NOT NULL
  );
  CREATE INDEX keys_owner ON keys (owner_id);
  CREATE TABLE goals (
    bot_id integer,
    target_id bigint,
    event_id bigint NOT NULL,
    name text NOT NULL,
    PRIMARY KEY (bot_id, target_id)
  );
  CREATE TABLE event_words (
    bot_id integer,
    event_id bigint,
    title text,
    description text,
    hidden boolean NOT NULL,
    PRIMARY KEY (bot_id, event_id)
  );
  CREATE TABLE units (
    bot_id integer,
    unit_id bigint,
    code text NOT NULL,
    name text,
    scale smallint NOT NULL,
    PRIMARY KEY (bot_id, unit_id)
  );
  CREATE TABLE exchange_rates (
    from_code text COLLATE "C",
    to_code text COLLATE "C",
    date date,
    rate numeric NOT NULL,
    PRIMARY KEY (from_code, to_code, date)
  );
  CREATE TABLE operators (
    operator_id bigint PRIMARY KEY,
    name text NOT NULL,
    can text NOT NULL,
    secret_hash text NOT NULL UNIQUE,
    issued_at bigint NOT NULL,
    revoked_at bigint
  );
  CREATE TABLE jobs (
    job_id uuid PRIMARY KEY,
    kind text NOT NULL,
    projection text,
    bot text,
    user_id bigint,
    reason text NOT NULL,
    operator_id bigint NOT NULL,
    requested_at bigint NOT NULL,
    -- Null: it has not ended.
    outcome text,
    summary text,
    findings jsonb,
    findings_count bigint,
    finished_at bigint
  );
  CREATE INDEX jobs_requested ON jobs (requested_at);
  -- Audits of the whole ledger by the command line.
  CREATE TABLE command_audits (
    at bigint NOT NULL,
    outcome text NOT NULL,
    commit_id uuid PRIMARY KEY
  );`;

/** Units and rates are joined to the events that earn rewards. */
export const CATALOG_PLACEMENT = {
  ...placed('reference', ['bots', 'units', 'exchange_rates']),
  ...placed('local', ['owners', 'keys', 'goals', 'event_words', 'operators', 'jobs', 'command_audits']),
};
