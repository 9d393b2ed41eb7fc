import { CHUNK_EVENTS, FIXED_COLUMNS } from '../../../columns/chunk.ts';
import { shardTrigger } from '../../shard-trigger.ts';
import { ARCHIVE_DDL } from './archived-rows.ts';
import { CHANGED_EVENTS, CHANGED_IN_CHUNK, CHANGED_SHARE, NEWEST_EVENTS } from './due.ts';

const bytes = FIXED_COLUMNS.map((name) => `  ${name} bytea`).join(',\n');
const storage = FIXED_COLUMNS.map((name) => `ALTER COLUMN ${name} SET STORAGE EXTERNAL`).join(', ');

/** The tables that packing fills from the others. Rows of `archive` count as rows of `events`. */
export const PACKED_TABLES = ['timelines', 'chunks', 'chunk_properties', 'changed_events', 'archive'] as const;

/** Counts the written events of each bot, and records the events that belong to chunks. */
const NOTE_WRITTEN = shardTrigger(
  'events',
  ['timelines', 'chunks', 'changed_events'],
  { late: 'int[]' },
  ({ table, value, run }) => {
    const added = `
    INSERT INTO ${table('timelines')} AS t (bot_id, loose, writes) SELECT bot_id, count(*), 1 FROM written GROUP BY bot_id
    ON CONFLICT (bot_id) DO UPDATE SET loose = t.loose + EXCLUDED.loose, writes = t.writes + 1`;
    const changed = `
    UPDATE ${table('timelines')} SET writes = writes + 1 WHERE bot_id IN (SELECT bot_id FROM written)`;
    const late = `
    SELECT array_agg(bot_id)
      FROM (SELECT bot_id, min(date) AS first FROM written GROUP BY bot_id) w JOIN ${table('timelines')} t USING (bot_id)
     WHERE first <= until_date`;
    const note = `
    WITH packed AS (
      SELECT w.bot_id, c.id AS chunk, w.user_id, w.date, w.ord
        FROM written w JOIN ${table('timelines')} t USING (bot_id)
       CROSS JOIN LATERAL (
         SELECT id FROM ${table('chunks')} c
          WHERE c.bot_id = w.bot_id AND (c.last_date, c.last_ord) >= (w.date, w.ord)
          ORDER BY c.last_date, c.last_ord LIMIT 1) c
       WHERE w.bot_id = ANY (${value('late')}) AND (w.date, w.ord) <= (t.until_date, t.until_ord)),
    noted AS (
      INSERT INTO ${table('changed_events')} SELECT * FROM packed ON CONFLICT DO NOTHING RETURNING bot_id, chunk),
    counted AS (SELECT bot_id, chunk, count(*)::int FROM noted GROUP BY bot_id, chunk),
    of_chunks AS (
      UPDATE ${table('chunks')} c SET changed = c.changed + coalesce(n.count, 0), last_write = t.writes
        FROM (SELECT DISTINCT bot_id, chunk FROM packed) p JOIN ${table('timelines')} t USING (bot_id)
        LEFT JOIN counted n USING (bot_id, chunk)
       WHERE c.bot_id = p.bot_id AND c.id = p.chunk)
    UPDATE ${table('timelines')} t
       SET changed = t.changed + n.count, loose = t.loose - CASE ${value('TG_OP')} WHEN 'INSERT' THEN n.count ELSE 0 END
      FROM (SELECT bot_id, sum(count) AS count FROM counted GROUP BY bot_id) n
     WHERE n.bot_id = t.bot_id`;
    return `
    IF TG_OP = 'INSERT' THEN ${run(added)}
    ELSE ${run(changed)}
    END IF;
    ${run(late, 'late')}
    IF late IS NOT NULL THEN ${run(note)}
    END IF;`;
  },
);

/**
 * Events packed for reports, which read whole columns. A chunk is never changed: others replace it. Triggers record every
 * write to `events`, so that no statement can forget it. Events after the last chunk are not packed yet and are read from
 * the rows. For packed events that are in `changed_events`, the rows are right and not the chunk.
 */
export const PACKED_DDL = `
CREATE TABLE timelines (
  bot_id int PRIMARY KEY,
  /* where the last chunk ends */
  until_date bigint NOT NULL DEFAULT -9007199254740991,
  until_ord bigint NOT NULL DEFAULT 0,
  /* events after that; events in chunks; events changed or added since their chunk was packed */
  loose bigint NOT NULL DEFAULT 0,
  packed bigint NOT NULL DEFAULT 0,
  changed bigint NOT NULL DEFAULT 0,
  /* how often events were written, and packed: threads of reports keep what they have read until then */
  writes bigint NOT NULL DEFAULT 0,
  packings bigint NOT NULL DEFAULT 0,
  /* the age in months from which on chunks were archived last; 0: not since the last packing; null: there are no chunks */
  archived_months int,
  /* the date of the last archived event; null: there are none */
  archived_until bigint,
  due boolean NOT NULL GENERATED ALWAYS AS (
    loose >= ${CHUNK_EVENTS + NEWEST_EVENTS} OR changed >= ${CHANGED_EVENTS} + packed / ${CHANGED_SHARE}) STORED
);
CREATE INDEX timelines_due ON timelines (bot_id) WHERE due;
CREATE INDEX timelines_archived ON timelines (archived_months);

CREATE TABLE chunks (
  bot_id int NOT NULL,
  id uuid NOT NULL DEFAULT gen_random_uuid(),
  /* the events up to this one, from the end of the chunk before */
  last_date bigint NOT NULL,
  last_ord bigint NOT NULL,
  events int NOT NULL,
  /* changed or added since it was packed: rows of changed_events */
  changed int NOT NULL DEFAULT 0,
  /* timelines.writes of the last such write; 0: there was none */
  last_write bigint NOT NULL DEFAULT 0,
  /* the latest receipt of its events */
  received bigint NOT NULL,
  /* its rows have left the table events */
  archived boolean NOT NULL DEFAULT false,
${bytes},
  PRIMARY KEY (bot_id, last_date, last_ord),
  UNIQUE (bot_id, id)
);
ALTER TABLE chunks ${storage};
CREATE INDEX chunks_due ON chunks (bot_id) WHERE changed >= ${CHANGED_IN_CHUNK};
CREATE INDEX chunks_changed ON chunks (bot_id, last_write) WHERE last_write > 0;
CREATE INDEX chunks_to_archive ON chunks (bot_id, last_date, last_ord) WHERE NOT archived;
CREATE VIEW packing_due AS
  SELECT bot_id FROM timelines WHERE due UNION ALL SELECT bot_id FROM chunks WHERE changed >= ${CHANGED_IN_CHUNK};

/* the properties that occur in a chunk */
CREATE TABLE chunk_properties (
  bot_id int NOT NULL,
  chunk uuid NOT NULL,
  name text COLLATE "C" NOT NULL,
  bytes bytea NOT NULL,
  PRIMARY KEY (bot_id, chunk, name)
);
ALTER TABLE chunk_properties ALTER COLUMN bytes SET STORAGE EXTERNAL;

CREATE TABLE changed_events (
  bot_id int NOT NULL,
  /* the chunk of the event */
  chunk uuid NOT NULL,
  user_id bigint NOT NULL,
  date bigint NOT NULL,
  ord bigint NOT NULL,
  PRIMARY KEY (bot_id, chunk, date, ord, user_id)
);

CREATE FUNCTION note_written() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$${NOTE_WRITTEN}$$;
CREATE TRIGGER note_added AFTER INSERT ON events
  REFERENCING NEW TABLE AS written FOR EACH STATEMENT EXECUTE FUNCTION note_written();
CREATE TRIGGER note_changed AFTER UPDATE ON events
  REFERENCING NEW TABLE AS written FOR EACH STATEMENT EXECUTE FUNCTION note_written();
${ARCHIVE_DDL}`;
