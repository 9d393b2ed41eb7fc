/**
 * The columns of the table `events` in their order, with their types. The bot is the same for all rows of a chunk, and has no
 * array.
 */
const COLUMNS = {
  user_id: 'bigint',
  date: 'bigint',
  ord: 'bigint',
  session: 'bigint',
  app_session: 'bigint',
  date_received: 'bigint',
  commit_id: 'uuid',
  bot_id: null,
  event_id: 'int',
  utm_id: 'int',
  user_idx: 'int',
  idx: 'smallint',
  value_int: 'numeric',
  value_norm: 'numeric',
  value_amount: 'numeric',
  unit: 'text',
  value_str: 'text',
  category: 'text',
  webapp_name: 'text',
  event_key: 'text',
  properties: 'jsonb',
} as const;

const NAMES = Object.keys(COLUMNS) as readonly (keyof typeof COLUMNS)[];
const arrays = Object.entries(COLUMNS).filter(([, type]) => type !== null);

/** The columns of a row of `events`, for an INSERT. */
export const EVENT_COLUMNS = NAMES.join(', ');

/**
 * Rows of chunks that have left the table `events`, one array for each of its columns, in the order of (date, ord). An array
 * is null if no row has a value. PostgreSQL compresses arrays well, and makes rows of them again with every digit of a
 * number.
 *
 * A row of `events` replaces the archived row with its key. Events that are read or changed again come back as such rows
 * (restore.ts), and the last event of each user never leaves.
 */
export const ARCHIVE_DDL = `
CREATE TABLE archive (
  bot_id int NOT NULL,
  chunk uuid NOT NULL,
  /* of the rows */
  first_date bigint NOT NULL,
  last_date bigint NOT NULL,
  last_ord bigint NOT NULL,
  /* each unit once */
  units text[] NOT NULL,
${arrays.map(([name, type]) => `  ${name} ${type}[]`).join(',\n')},
  PRIMARY KEY (bot_id, chunk)
);
CREATE INDEX archive_date ON archive (bot_id, last_date, last_ord);
/* the chunks of a user, for late events */
CREATE INDEX archive_user ON archive USING gin (user_id) WITH (fastupdate = off);
`;

/** A FROM item: the table as `a`, and its rows as `r`. Each row costs about 3 µs. */
export function archivedFrom(table = 'archive'): string {
  return `${table} AS a CROSS JOIN LATERAL unnest(${arrays.map(([name]) => `a.${name}`).join()}) AS r (${arrays.map(([name]) => name).join()})`;
}

/** The columns of a row, from {@link archivedFrom}, in the order of the table `events`. */
export const ARCHIVED_COLUMNS = NAMES.map((name) => (COLUMNS[name] === null ? `a.${name}` : `r.${name}`)).join();

/** A condition on {@link archivedFrom}: no row of `events` replaces the archived one. */
export function isNotReplaced(events = 'events'): string {
  return `NOT EXISTS (SELECT FROM ${events} x
    WHERE x.bot_id = a.bot_id AND x.user_id = r.user_id AND x.date = r.date AND x.ord = r.ord)`;
}

/** A FROM item: all events, also archived ones, in rows like the rows of the table `events`. */
export function allEvents(schema: string): string {
  return `(SELECT ${EVENT_COLUMNS} FROM ${schema}.events UNION ALL
    SELECT ${ARCHIVED_COLUMNS} FROM ${archivedFrom(`${schema}.archive`)} WHERE ${isNotReplaced(`${schema}.events`)})`;
}

/** The values of an INSERT into `archive` after the chunk's key, as aggregates of rows `e`. */
export const ARCHIVE_VALUES = [
  'coalesce(array_agg(DISTINCT e.unit) FILTER (WHERE e.unit IS NOT NULL), ARRAY[]::text[])',
  ...arrays.map(([name]) => `CASE WHEN count(e.${name}) > 0 THEN array_agg(e.${name} ORDER BY e.date, e.ord) END`),
].join();
/** The columns of {@link ARCHIVE_VALUES}. */
export const ARCHIVE_COLUMNS = ['units', ...arrays.map(([name]) => name)].join();
