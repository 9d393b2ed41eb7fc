/** SQL: the number of events that a recorded change has still to reach. Compares each event with each change. */
export function deferredPlainly(events: string): string {
  // Materialized rows: a Citus cluster joins them in any way.
  const tables = ['bots', 'revaluations', 'owner_currencies'].map(
    (table) => `${table} AS MATERIALIZED (SELECT * FROM ${table})`,
  );
  return `
  WITH whole AS MATERIALIZED (SELECT * FROM ${events} w), ${tables.join()}
  SELECT count(*) AS events FROM whole e JOIN bots b USING (bot_id)
   WHERE EXISTS (
     SELECT FROM revaluations r
      WHERE (r.owner_id IS NULL OR r.owner_id = b.owner_id) AND (r.of_bot IS NULL OR r.of_bot = b.bot_id)
        AND e.unit = coalesce(r.unit, e.unit)
        AND (r.currency IS NULL OR r.currency IN (SELECT o.currency FROM owner_currencies o WHERE o.owner_id = b.owner_id))
        AND (b.bot_id > r.bot_id AND e.date >= r.from_date
             OR b.bot_id = r.bot_id AND (e.date, e.ord) > (coalesce(r.date, r.from_date), coalesce(r.ord, -1))))`;
}
