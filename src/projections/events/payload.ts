/**
 * SQL: what an event was sent with, in the names of the API, from an event `e` (a row, or a draft as a record) and its
 * type `t`. The date is the one that it counts under.
 */
export const PAYLOAD = `
jsonb_strip_nulls(jsonb_build_object(
  'event', CASE WHEN t.target_id IS NULL THEN t.name END,
  'target_id', t.target_id,
  'user_id', e.user_id,
  'date', to_char(to_timestamp(e.date / 1000.0) AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'),
  'value_num', CASE WHEN t.target_id IS NULL THEN e.value_int END,
  'value', CASE WHEN t.target_id IS NOT NULL THEN coalesce(e.value_norm, e.value_int) END,
  'unit', e.unit,
  'value_str', e.value_str,
  'category', e.category,
  'webapp_name', e.webapp_name,
  'event_key', e.event_key))`;

/** SQL: the method that events of a type come by. */
export const SOURCE = `
CASE t.kind WHEN 'system' THEN 'send-update' WHEN 'target' THEN 'send-target' ELSE 'send-event' END`;
