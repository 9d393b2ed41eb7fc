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
export const DEFERRED_DDL = `
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
