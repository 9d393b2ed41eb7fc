/** Bots that are looked at for a count over all bots. */
const MOST_BOTS = 1000;

/** Events that are looked at for a count, of one bot or of all: an exact count may have to read all events of all bots. */
const MOST_EVENTS = 20_000;

/**
 * Counts the events that await revaluation (revaluations.ts): of one bot or (null) of all, dated from `date_from` to
 * before `date_to`; with `only_units` those that a new unit touches. An event that several changes touch counts once.
 *
 * Looks at `most` events at most. `exact` is false where events were left out: `events` is then a lower bound.
 * `since`: receipt of the oldest change that is not applied everywhere yet; null where no event awaits revaluation.
 *
 * Changes meet bots by what they are of (`scope`) and units by name, never each change each bot: an import of all
 * currencies for 1,000 bots would be hundreds of thousands of pairs. Units are only looked up for events that are there.
 * The planner knows no sizes of these intermediate rows: without `enable_nestloop = off` it compares all with all. Lateral
 * joins are nested loops all the same.
 */
export const DEFERRED_DDL = `
CREATE FUNCTION deferred_events(
  only_bot int DEFAULT NULL, date_from bigint DEFAULT -9223372036854775808, date_to bigint DEFAULT 9223372036854775807,
  only_units boolean DEFAULT false, most int DEFAULT ${MOST_EVENTS})
RETURNS TABLE (events bigint, exact boolean, since bigint)
LANGUAGE sql STABLE SET search_path FROM CURRENT SET enable_nestloop = off AS $$
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
/* the place from which on a bot's events are looked at */
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
      WHERE e.bot_id = s.bot_id AND e.date >= greatest(s.date, date_from) AND e.date < date_to
      ORDER BY e.date, e.ord LIMIT most + 1) e
   LIMIT most + 1),
/* by what each unit of each bot may await revaluation */
sought AS MATERIALIZED (
  SELECT u.bot_id, u.unit, s.scope, CASE WHEN s.any_unit THEN '' ELSE u.unit END AS noted_unit
    FROM (SELECT DISTINCT l.bot_id, l.unit FROM looked_at l WHERE l.unit IS NOT NULL) u
    JOIN scopes s ON s.bot_id = u.bot_id),
/* the place after which a bot's events with this unit await revaluation */
touched AS MATERIALIZED (
  SELECT DISTINCT ON (bot_id, unit) bot_id, unit, date, ord
    FROM (SELECT u.bot_id, u.unit, CASE WHEN n.bot_id = u.bot_id AND n.date IS NOT NULL THEN n.date ELSE n.from_date END AS date,
                 CASE WHEN n.bot_id = u.bot_id AND n.date IS NOT NULL THEN n.ord ELSE -1 END AS ord
            FROM sought u JOIN noted n ON n.scope = u.scope AND n.unit = u.noted_unit AND n.bot_id <= u.bot_id) t
   ORDER BY bot_id, unit, date, ord),
counted AS (
  SELECT count(*) FILTER (WHERE (l.date, l.ord) > (t.date, t.ord)) AS events,
         count(*) <= most AND (SELECT count(*) FROM some_bots) <= ${MOST_BOTS} AS exact
    FROM looked_at l LEFT JOIN touched t ON t.bot_id = l.bot_id AND t.unit = l.unit)
SELECT c.events, c.exact,
       CASE WHEN c.events > 0 OR NOT c.exact
            THEN coalesce((SELECT min(s.noted_at) FROM starts s), (SELECT min(n.noted_at) FROM noted n)) END
  FROM counted c
$$;
`;
