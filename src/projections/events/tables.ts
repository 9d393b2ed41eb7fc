import { CODES_DDL, UPDATE_IDS_DDL } from '../intake-state.ts';
import { placed } from '../read-model.ts';
import { CHARGES_DDL } from './charges.ts';
import { DEFERRED_DDL } from './deferred-events.ts';
import { ARCHIVING_DDL } from './packed/archive-slice.ts';
import { PACKED_DDL, PACKED_TABLES } from './packed/packed-tables.ts';
import { PROPERTIES_DDL } from './property-rows.ts';
import { REVALUATIONS_DDL } from './revaluations.ts';
import { REWARDS_DDL } from './rewards.ts';

/**
 * Tables of the read model `events`. Times are milliseconds since 1970 UTC. `ord` is the event's place in the bot's log
 * (commit.ordinal * 1024 + index of the item). It orders events of one millisecond. It differs between log engines, so no
 * value that a client sees depends on it; (commit_id, idx) names an event on every engine.
 *
 * 8-byte columns come first, so that no byte is lost to alignment: 1 M events without text take 150 MB, indexes included.
 */
export const EVENTS_DDL = `${UPDATE_IDS_DDL}${CODES_DDL}${REVALUATIONS_DDL}${REWARDS_DDL}${CHARGES_DDL}${PROPERTIES_DDL}
CREATE TABLE bots (
  bot_id int PRIMARY KEY,
  public_key text NOT NULL,
  owner_id bigint NOT NULL,
  pair_separator text NOT NULL,
  value_separator text NOT NULL,
  /* the bot's own units: code -> scale, at and ord, as the type Unit has them */
  units jsonb NOT NULL,
  /* id -> name and trigger of the rules of the referral program */
  rules jsonb NOT NULL,
  /* the latest receipt so far, which time limits are measured by */
  clock bigint NOT NULL,
  utm_count int NOT NULL,
  user_count int NOT NULL,
  /* names of custom properties */
  property_count int NOT NULL,
  UNIQUE (public_key, bot_id)
);
CREATE INDEX bots_owner ON bots (owner_id);

CREATE TABLE events (
  user_id bigint NOT NULL,
  date bigint NOT NULL,
  ord bigint NOT NULL,
  /* ord of the earliest event of the session, and of the session in its mini app */
  session bigint NOT NULL,
  app_session bigint,
  date_received bigint NOT NULL,
  commit_id uuid NOT NULL,
  bot_id int NOT NULL,
  event_id int NOT NULL,
  utm_id int,
  user_idx int NOT NULL,
  idx smallint NOT NULL,
  /* while the unit is unknown, the value as it was sent */
  value_int numeric,
  /* of a value with a unit, in normal units of it; null: the unit is unknown */
  value_norm numeric,
  value_amount numeric,
  unit text,
  value_str text,
  category text,
  webapp_name text,
  event_key text,
  /* custom properties, or the fields of a platform update that have no column */
  properties jsonb,
  PRIMARY KEY (bot_id, user_id, date, ord)
);
/* ord: many events may have one date, and a revaluation must be able to continue between them */
CREATE INDEX events_date ON events (bot_id, date, ord);

CREATE TABLE known_users (
  bot_id int NOT NULL,
  user_id bigint NOT NULL,
  /* receipt of the item by which the user appeared */
  since bigint NOT NULL,
  /* index among the bot's known users, from 0, for arrays in memory; events have it as user_idx */
  idx int NOT NULL,
  PRIMARY KEY (bot_id, user_id)
);

/* every /start with a payload by a known user */
CREATE TABLE visits (
  bot_id int NOT NULL,
  user_id bigint NOT NULL,
  date bigint NOT NULL,
  ord bigint NOT NULL,
  commit_id uuid NOT NULL,
  idx smallint NOT NULL,
  code text NOT NULL,
  /* null: the visit has no UTM */
  utm_id int,
  /* the user became known by this visit */
  first_seen boolean NOT NULL,
  PRIMARY KEY (bot_id, user_id, date, ord)
);

CREATE TABLE utms (
  bot_id int NOT NULL,
  utm_id int NOT NULL,
  source text,
  medium text,
  campaign text,
  term text,
  content text,
  PRIMARY KEY (bot_id, utm_id),
  UNIQUE NULLS NOT DISTINCT (bot_id, source, medium, campaign, term, content)
);

CREATE TABLE event_keys (
  bot_id int NOT NULL,
  event_key text COLLATE "C" NOT NULL,
  PRIMARY KEY (bot_id, event_key)
);

/* events that wait for their users */
CREATE TABLE pending_events (
  bot_id int NOT NULL,
  user_id bigint NOT NULL,
  ord bigint NOT NULL,
  received bigint NOT NULL,
  draft jsonb NOT NULL,
  PRIMARY KEY (bot_id, user_id, ord)
);
CREATE INDEX pending_events_received ON pending_events (bot_id, received);

CREATE TABLE event_types (
  bot_id int NOT NULL,
  event_id int NOT NULL,
  kind text NOT NULL,
  name text NOT NULL,
  target_id bigint,
  first_seen bigint,
  last_seen bigint,
  count bigint NOT NULL DEFAULT 0,
  PRIMARY KEY (bot_id, event_id)
);

CREATE TABLE bot_errors (
  bot_id int NOT NULL,
  commit_id uuid NOT NULL,
  idx smallint NOT NULL,
  kind text NOT NULL,
  date bigint NOT NULL,
  source text NOT NULL,
  message text NOT NULL,
  payload jsonb NOT NULL,
  resolved_at bigint,
  PRIMARY KEY (bot_id, commit_id, idx, kind)
);
CREATE INDEX bot_errors_date ON bot_errors (bot_id, date);

/* the currencies of an owner, each from one receipt to another; the last one has no end */
CREATE TABLE owner_currencies (
  owner_id bigint NOT NULL,
  seq int NOT NULL,
  currency text NOT NULL,
  from_at bigint NOT NULL,
  to_at bigint NOT NULL,
  PRIMARY KEY (owner_id, seq)
);
CREATE INDEX owner_currencies_currency ON owner_currencies (currency);

CREATE TABLE rates (
  unit text NOT NULL,
  currency text NOT NULL,
  /* days since 1970 */
  day int NOT NULL,
  rate numeric NOT NULL,
  /* receipt of the first rate of this day */
  set_at bigint NOT NULL,
  /* receipt of the first rate of this day or an earlier one: since then an event of this day can be converted */
  available_from bigint NOT NULL,
  PRIMARY KEY (unit, currency, day)
);
${PACKED_DDL}${DEFERRED_DDL}
/* deferred work: see the read model */
CREATE VIEW put_off AS
  SELECT bot_id FROM revaluations UNION ALL SELECT bot_id FROM packing_due;
${ARCHIVING_DDL}`;

/** Rates and currencies convert the events of all bots, and a changed one revalues them. */
export const EVENTS_PLACEMENT = {
  ...placed('bot_id', [
    'bots',
    'events',
    'known_users',
    'visits',
    'utms',
    'codes',
    'update_ids',
    'event_keys',
    'pending_events',
    'event_properties',
    'event_types',
    'bot_errors',
    'rewardable_events',
    'charges',
    'refunded_payments',
    ...PACKED_TABLES,
  ]),
  ...placed('reference', ['owner_currencies', 'rates', 'revaluations']),
};
