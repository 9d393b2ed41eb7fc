import { CODES_DDL, UPDATE_IDS_DDL } from '../intake-state.ts';
import { placed } from '../read-model.ts';
import { CHARGES_DDL } from './charges.ts';
import { ARCHIVING_DDL } from './packed/archive.ts';
import { PACKED_DDL, PACKED_TABLES } from './packed/packed-tables.ts';
import { PROPERTIES_DDL } from './properties.ts';
import { REVALUATIONS_DDL } from './revaluations.ts';
import { REWARDS_DDL } from './rewards.ts';

/** The most bots that a count over all bots reads. */
const MOST_BOTS = 1000;

/** The same on a Citus cluster, where each bot takes some milliseconds. */
const MOST_BOTS_OF_CLUSTER = 100;

/** The most events that a count reads, of one bot or of all: an exact count may have to read all events of all bots. */
const MOST_EVENTS = 20_000;

/**
 * Counts the events that wait for revaluation (revaluations.ts): of one bot or (null) of all, dated from `date_from` to
 * before `date_to`; with `only_units` only events that a new unit touches. An event that several changes touch counts
 * once.
 *
 * Reads `most` events at most. If it leaves events out, `exact` is false and `events` is a lower bound. It leaves out archived
 * events, and looks only at the units of their chunks. `since` is the
 * receipt of the oldest change that is not applied everywhere yet; null if no event waits.
 *
 * Changes and bots are joined by `scope` (an owner, a bot or a currency), and units by name. To compare each change with each
 * bot would make hundreds of thousands of pairs for an import of all currencies and 1,000 bots. Units are only looked up
 * for existing events. The planner does not know the sizes of these intermediate rows: without `enable_nestloop = off` it
 * compares all with all. Lateral joins are nested loops in any case.
 */
const DEFERRED_DDL = `
CREATE FUNCTION deferred_events(
  only_bot int DEFAULT NULL, date_from bigint DEFAULT -9223372036854775808, date_to bigint DEFAULT 9223372036854775807,
  only_units boolean DEFAULT false, most int DEFAULT ${MOST_EVENTS})
RETURNS TABLE (events bigint, exact boolean, since bigint)
LANGUAGE plpgsql STABLE SET search_path FROM CURRENT SET enable_nestloop = off AS $$
DECLARE
  one int;
  counted_bots int := 0;
BEGIN
IF NOT EXISTS (SELECT FROM revaluations) THEN
  RETURN QUERY SELECT 0::bigint, true, NULL::bigint;
  RETURN;
END IF;
/* the bots of a Citus cluster are on several nodes: each is counted where it is */
IF only_bot IS NULL AND EXISTS (SELECT FROM pg_extension WHERE extname = 'citus') THEN
  events := 0;
  exact := true;
  FOR one IN SELECT b.bot_id FROM bots b WHERE b.bot_id >= (SELECT min(r.bot_id) FROM revaluations r)
              ORDER BY b.bot_id LIMIT ${MOST_BOTS_OF_CLUSTER} + 1 LOOP
    exact := exact AND counted_bots < ${MOST_BOTS_OF_CLUSTER};
    EXIT WHEN NOT exact;
    SELECT deferred_events.events + d.events, d.exact, least(deferred_events.since, d.since) INTO events, exact, since
      FROM deferred_events(one, date_from, date_to, only_units, most - deferred_events.events::int) d;
    counted_bots := counted_bots + 1;
  END LOOP;
  IF NOT exact THEN
    SELECT min(r.noted_at) INTO since FROM revaluations r;
  END IF;
  RETURN NEXT;
  RETURN;
END IF;
RETURN QUERY
WITH noted AS MATERIALIZED (
  SELECT coalesce('bot ' || of_bot, 'owner ' || owner_id, 'in ' || currency) AS scope, coalesce(unit, '') AS unit,
         from_date, noted_at, bot_id, date, ord
    FROM revaluations WHERE of_bot IS NOT NULL OR NOT only_units),
some_bots AS MATERIALIZED (
  SELECT b.bot_id, b.owner_id FROM bots b
   WHERE b.bot_id >= (SELECT min(n.bot_id) FROM noted n) AND (only_bot IS NULL OR b.bot_id = only_bot)
   ORDER BY b.bot_id LIMIT ${MOST_BOTS} + 1),
scopes AS MATERIALIZED (
  SELECT b.bot_id, 'bot ' || b.bot_id AS scope, false AS any_unit FROM some_bots b
  UNION ALL SELECT b.bot_id, 'owner ' || b.owner_id, true FROM some_bots b
  UNION ALL SELECT b.bot_id, 'in ' || o.currency, false FROM some_bots b CROSS JOIN LATERAL (
    SELECT DISTINCT o.currency FROM owner_currencies o WHERE o.owner_id = b.owner_id) o),
/* the first event of a bot that is read */
starts AS MATERIALIZED (
  SELECT s.bot_id, min(CASE WHEN n.bot_id = s.bot_id THEN coalesce(n.date, n.from_date) ELSE n.from_date END) AS date,
         min(n.noted_at) AS noted_at
    FROM (SELECT n.scope, n.bot_id, n.date, min(n.from_date) AS from_date, min(n.noted_at) AS noted_at
            FROM noted n GROUP BY n.scope, n.bot_id, n.date) n
    JOIN scopes s ON s.scope = n.scope AND s.bot_id >= n.bot_id
   GROUP BY s.bot_id),
looked_at AS MATERIALIZED (
  SELECT s.bot_id, e.date, e.ord, e.unit
    FROM starts s
   CROSS JOIN LATERAL (
     SELECT e.date, e.ord, e.unit FROM events e
      WHERE e.bot_id = s.bot_id AND (only_bot IS NULL OR e.bot_id = only_bot) AND e.date >= greatest(s.date, date_from) AND e.date < date_to
      ORDER BY e.date, e.ord LIMIT most + 1) e
   LIMIT most + 1),
archived AS MATERIALIZED (
  SELECT a.bot_id, a.units, a.last_date, a.last_ord FROM starts s JOIN archive a ON a.bot_id = s.bot_id AND (only_bot IS NULL OR a.bot_id = only_bot)
   WHERE a.last_date >= greatest(s.date, date_from) AND a.first_date < date_to AND a.units <> '{}'),
/* the changes that each unit of each bot may wait for */
sought AS MATERIALIZED (
  SELECT u.bot_id, u.unit, s.scope, CASE WHEN s.any_unit THEN '' ELSE u.unit END AS noted_unit
    FROM (SELECT l.bot_id, l.unit FROM looked_at l WHERE l.unit IS NOT NULL
          UNION SELECT a.bot_id, unnest(a.units) FROM archived a) u
    JOIN scopes s ON s.bot_id = u.bot_id),
/* a bot's events with this unit wait from this event on */
touched AS MATERIALIZED (
  SELECT DISTINCT ON (bot_id, unit) bot_id, unit, date, ord
    FROM (SELECT u.bot_id, u.unit, CASE WHEN n.bot_id = u.bot_id AND n.date IS NOT NULL THEN n.date ELSE n.from_date END AS date,
                 CASE WHEN n.bot_id = u.bot_id AND n.date IS NOT NULL THEN n.ord ELSE -1 END AS ord
            FROM sought u JOIN noted n ON n.scope = u.scope AND n.unit = u.noted_unit AND n.bot_id <= u.bot_id) t
   ORDER BY bot_id, unit, date, ord),
counted AS (
  SELECT count(*) FILTER (WHERE (l.date, l.ord) > (t.date, t.ord)) AS events,
         count(*) <= most AND (SELECT count(*) FROM some_bots) <= ${MOST_BOTS}
         AND NOT EXISTS (SELECT FROM touched t JOIN archived a ON a.bot_id = t.bot_id AND a.units @> ARRAY[t.unit]
                          WHERE (a.last_date, a.last_ord) > (t.date, t.ord)) AS exact
    FROM looked_at l LEFT JOIN touched t ON t.bot_id = l.bot_id AND t.unit = l.unit)
SELECT c.events, c.exact,
       CASE WHEN c.events > 0 OR NOT c.exact
            THEN coalesce((SELECT min(s.noted_at) FROM starts s), (SELECT min(n.noted_at) FROM noted n)) END
  FROM counted c;
END
$$;
`;

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
