import { COLUMN_NAMES } from './chunk.ts';

/** Packing is due with so many events that are not packed; the newest stay so for a while, since others may be late. */
export const CHUNK_EVENTS = 4096;
export const NEWEST_EVENTS = 512;
/**
 * So many events of chunks may have changed since, and of many chunks one of so many: reports read them one by one. Of one
 * chunk fewer may: to pack it anew costs less for each of them, and what is late is mostly not very late.
 */
export const CHANGED_EVENTS = 2000;
export const CHANGED_SHARE = 128;
export const CHANGED_IN_CHUNK = 512;

const bytes = COLUMN_NAMES.map((name) => `  ${name} bytea`).join(',\n');
const storage = COLUMN_NAMES.map((name) => `ALTER COLUMN ${name} SET STORAGE EXTERNAL`).join(', ');

/**
 * Events packed for reports, which read the columns that they need, whole. A chunk is never changed: it is replaced by
 * others. What is written to `events` notes itself, by triggers, so that nothing that changes an event can forget it:
 * what lies behind the last chunk is not packed yet and is read from the rows, and of what was packed before, the rows in
 * `changed_events` are right, not the chunk.
 */
export const PACKED_DDL = `
CREATE TABLE timelines (
  bot_id int PRIMARY KEY,
  /* where the last chunk ends */
  until_date bigint NOT NULL DEFAULT -9007199254740991,
  until_ord bigint NOT NULL DEFAULT 0,
  /* events behind that; in chunks; changed or added since their chunk was packed */
  loose bigint NOT NULL DEFAULT 0,
  packed bigint NOT NULL DEFAULT 0,
  changed bigint NOT NULL DEFAULT 0,
  due boolean NOT NULL GENERATED ALWAYS AS (
    loose >= ${CHUNK_EVENTS + NEWEST_EVENTS} OR changed >= ${CHANGED_EVENTS} + packed / ${CHANGED_SHARE}) STORED
);
CREATE INDEX timelines_due ON timelines (bot_id) WHERE due;

CREATE TABLE chunks (
  bot_id int NOT NULL,
  id uuid NOT NULL UNIQUE DEFAULT gen_random_uuid(),
  /* the events up to this place, from where the chunk before it ends */
  last_date bigint NOT NULL,
  last_ord bigint NOT NULL,
  events int NOT NULL,
  /* of them, or added since it was packed: rows of changed_events */
  changed int NOT NULL DEFAULT 0,
${bytes},
  PRIMARY KEY (bot_id, last_date, last_ord)
);
ALTER TABLE chunks ${storage};
CREATE INDEX chunks_due ON chunks (bot_id) WHERE changed >= ${CHANGED_IN_CHUNK};
CREATE VIEW packing_due AS
  SELECT FROM timelines WHERE due UNION ALL SELECT FROM chunks WHERE changed >= ${CHANGED_IN_CHUNK};

CREATE TABLE changed_events (
  bot_id int NOT NULL,
  /* that the event belongs to */
  chunk uuid NOT NULL,
  user_id bigint NOT NULL,
  date bigint NOT NULL,
  ord bigint NOT NULL,
  PRIMARY KEY (bot_id, chunk, date, ord, user_id)
);

CREATE FUNCTION note_written() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
DECLARE
  late int[];
BEGIN
  IF TG_OP = 'INSERT' THEN
    INSERT INTO timelines AS t (bot_id, loose) SELECT bot_id, count(*) FROM written GROUP BY bot_id
    ON CONFLICT (bot_id) DO UPDATE SET loose = t.loose + EXCLUDED.loose;
  END IF;
  SELECT array_agg(bot_id) INTO late
    FROM (SELECT bot_id, min(date) AS first FROM written GROUP BY bot_id) w JOIN timelines t USING (bot_id)
   WHERE first <= until_date;
  IF late IS NULL THEN
    RETURN NULL;
  END IF;
  WITH noted AS (
    INSERT INTO changed_events
    SELECT w.bot_id, c.id, w.user_id, w.date, w.ord
      FROM written w JOIN timelines t USING (bot_id)
     CROSS JOIN LATERAL (
       SELECT id FROM chunks c
        WHERE c.bot_id = w.bot_id AND (c.last_date, c.last_ord) >= (w.date, w.ord)
        ORDER BY c.last_date, c.last_ord LIMIT 1) c
     WHERE w.bot_id = ANY (late) AND (w.date, w.ord) <= (t.until_date, t.until_ord)
    ON CONFLICT DO NOTHING
    RETURNING bot_id, chunk),
  counted AS (SELECT bot_id, chunk, count(*)::int FROM noted GROUP BY bot_id, chunk),
  of_chunks AS (UPDATE chunks c SET changed = c.changed + n.count FROM counted n WHERE c.id = n.chunk)
  UPDATE timelines t
     SET changed = t.changed + n.count, loose = t.loose - CASE TG_OP WHEN 'INSERT' THEN n.count ELSE 0 END
    FROM (SELECT bot_id, sum(count) AS count FROM counted GROUP BY bot_id) n
   WHERE n.bot_id = t.bot_id;
  RETURN NULL;
END
$$;
CREATE TRIGGER note_added AFTER INSERT ON events
  REFERENCING NEW TABLE AS written FOR EACH STATEMENT EXECUTE FUNCTION note_written();
CREATE TRIGGER note_changed AFTER UPDATE ON events
  REFERENCING NEW TABLE AS written FOR EACH STATEMENT EXECUTE FUNCTION note_written();
`;

/** The tables that packing fills from the others, when it comes to it. */
export const PACKED_TABLES = ['timelines', 'chunks', 'changed_events'] as const;
