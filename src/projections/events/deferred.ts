/** Bots that are looked at for a count over all bots. */
const MOST_BOTS = 1000;

/**
 * Counts the events that are still to be revalued (revaluations.ts): of one bot or (null) of all, dated from `date_from`
 * to before `date_to`; with `only_units` those that a new unit touches. An event that several changes touch counts once.
 *
 * Looks at `most` events at most, 20,000 of which take some 20 ms, since an exact count may have to read all events of
 * all bots. `exact` is false where events were left out: `events` is then a lower bound.
 * `since`: receipt of the oldest change that is not applied everywhere yet; null where nothing is to be revalued.
 */
export const DEFERRED_DDL = `
CREATE FUNCTION deferred_events(only_bot int, date_from bigint, date_to bigint, only_units boolean, most int)
RETURNS TABLE (events bigint, exact boolean, since bigint)
LANGUAGE sql STABLE SET search_path FROM CURRENT AS $$
WITH some_bots AS MATERIALIZED (
  SELECT b.bot_id, b.owner_id FROM bots b
   WHERE b.bot_id >= (SELECT min(r.bot_id) FROM revaluations r) AND (only_bot IS NULL OR b.bot_id = only_bot)
   ORDER BY b.bot_id LIMIT ${MOST_BOTS} + 1),
/* of each bot the events after this place with this unit, null: with any */
touched AS MATERIALIZED (
  SELECT DISTINCT ON (bot_id, unit) bot_id, unit, date, ord, min(noted_at) OVER (PARTITION BY bot_id, unit) AS noted_at
    FROM (SELECT b.bot_id, r.unit, r.noted_at,
                 CASE WHEN r.bot_id = b.bot_id AND r.date IS NOT NULL THEN r.date ELSE r.from_date END AS date,
                 CASE WHEN r.bot_id = b.bot_id AND r.date IS NOT NULL THEN r.ord ELSE -1 END AS ord
            FROM revaluations r
            JOIN some_bots b ON b.bot_id >= r.bot_id AND (r.owner_id IS NULL OR r.owner_id = b.owner_id)
             AND (r.of_bot IS NULL OR r.of_bot = b.bot_id)
           WHERE (r.of_bot IS NOT NULL OR NOT only_units) AND (r.currency IS NULL OR EXISTS (
             SELECT FROM owner_currencies o WHERE o.owner_id = b.owner_id AND o.currency = r.currency))) t
   ORDER BY bot_id, unit, date, ord),
looked_at AS MATERIALIZED (
  SELECT f.bot_id, e.date, e.ord, e.unit
    FROM (SELECT bot_id, min(date) AS date FROM touched GROUP BY bot_id) f
   CROSS JOIN LATERAL (
     SELECT e.date, e.ord, e.unit FROM events e
      WHERE e.bot_id = f.bot_id AND e.date >= greatest(f.date, date_from) AND e.date < date_to
      ORDER BY e.date, e.ord LIMIT most + 1) e
   LIMIT most + 1),
counted AS (
  SELECT count(*) FILTER (WHERE (e.date, e.ord) > (a.date, a.ord) OR (e.date, e.ord) > (u.date, u.ord)) AS events,
         count(*) <= most AND (SELECT count(*) FROM some_bots) <= ${MOST_BOTS} AS exact
    FROM looked_at e
    LEFT JOIN touched u ON u.bot_id = e.bot_id AND u.unit = e.unit
    LEFT JOIN touched a ON a.bot_id = e.bot_id AND a.unit IS NULL AND e.unit IS NOT NULL)
SELECT c.events, c.exact, CASE WHEN c.events > 0 OR NOT c.exact THEN (SELECT min(noted_at) FROM touched) END
  FROM counted c
$$;
`;
