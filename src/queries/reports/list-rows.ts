import { type RawBuilder, sql } from 'kysely';
import { parse } from 'lossless-json';
import type { Query } from '../../database/snapshot.ts';
import type { FieldType } from '../../domain/condition/condition.ts';
import type { FieldValue } from '../../domain/condition/predicate.ts';
import { preciseIsoWithOffset } from '../../domain/local-time.ts';
import { type ReportField, reportFields } from '../../domain/reports/fields.ts';
import { fieldsNamed, type ListOrder, type ListReport, type TrendsReport } from '../../domain/reports/report.ts';
import {
  ARCHIVED_COLUMNS,
  archivedFrom,
  EVENT_COLUMNS,
  isNotReplaced,
} from '../../projections/events/packed/archived-rows.ts';
import { type Cell, type Column, measureCell, type Row, type Rows } from './answer.ts';
import { cellOf } from './breakdown-cells.ts';
import { conditionSql } from './condition-sql.ts';
import { columnSql, eventsSql, NO_MEMBERS, type ReportTables, type SavedSegmentMembers } from './field-sql.ts';
import { openScan, type ScanOptions } from './scan.ts';
import type { Span } from './stored-events.ts';
import { trendsRows } from './trends.ts';

/** Runs a list report. The report's own limit decides its rows; the answer has at most `limit` of them. */
export async function listRows(report: ListReport, options: ScanOptions, limit: number): Promise<Rows> {
  const { columns, period, offset } = report;
  const records = await options.snapshot.query(listSql(report, await sourceOf(report, options)));
  // A page that is neither empty nor full is the last one.
  const isLast = records.length > 0 && records.length < report.limit;
  const matching = isLast ? offset + records.length : await countRecords(report, options);
  const rows = records.slice(0, limit).map((record): Row => {
    const cells = columns.map(({ name, field }, index) => {
      return [name, recordCell(record[`c${index}`]!, field.type, period.timezone)] as const;
    });
    return Object.fromEntries(cells);
  });
  return { columns: columns.map(columnOf), rows, total: records.length, matching };
}

function columnOf({ name, field }: ListReport['columns'][number]): Column {
  return { key: name, label: name, type: field.type === 'dynamic' ? 'string' : field.type };
}

/** A cell from a value of {@link listSql}; a date has milliseconds (decisions.md#report-rows). */
function recordCell(value: string | boolean | null, type: FieldType, timezone: string): Cell {
  if (typeof value !== 'string') return value;
  switch (type) {
    case 'date':
      return preciseIsoWithOffset(Number(value), timezone);
    case 'number':
      return measureCell(value);
    case 'dynamic':
      return cellOf(parse(value) as FieldValue, type, timezone);
    default:
      return value;
  }
}

/**
 * Counts the records of a list without its limit and offset. A trends table counts the events by a scan of packed
 * columns; SQL would read each row.
 */
async function countRecords(report: ListReport, options: ScanOptions): Promise<number> {
  if (report.table === 'users') {
    const [row] = await options.snapshot.query(listCountSql(report, wholeSource(report, options)));
    return row!.records;
  }
  const { period, filter } = report;
  const metric = { eventId: null, filter: null, label: '', measure: { type: 'count' } } as const;
  const table: TrendsReport = {
    type: 'trends',
    period,
    axis: null,
    metrics: [metric],
    filter,
    separators: [],
    utm: null,
  };
  const counted = await trendsRows(table, await openScan(options, fieldsNamed(table)), 1);
  return counted.rows[0]!['value'] as number;
}

/** The users of a list's rows, each once. Events have a user, so have records of users. */
export async function listUsers(report: ListReport, options: ScanOptions): Promise<readonly number[]> {
  const name = report.table === 'events' ? 'events.user_id' : 'user.user_id';
  const columns = [{ name, field: reportFields.find(name)! }];
  const records = await options.snapshot.query(listSql({ ...report, columns }, await sourceOf(report, options)));
  return [...new Set(records.map(({ c0 }) => Number(c0)))];
}

/** The columns of a record in their order: `c0`, `c1`, … Numbers are decimal text, dates ms, dynamic fields JSON. */
type RecordRow = Readonly<Record<string, string | boolean | null>>;

async function sourceOf(report: ListReport, options: ScanOptions): Promise<ListSource> {
  if (report.table === 'users') return wholeSource(report, options);
  const { botId, tables, snapshot, members = NO_MEMBERS } = options;
  return listSource(report, {
    ...{ botId, tables, members },
    query: snapshot.query,
    async hasMatching(source, count) {
      const [row] = await snapshot.query(listCountSql(report, source, count));
      return row!.records === count;
    },
  });
}

function wholeSource(
  { period: span }: ListReport,
  { botId, tables, members = NO_MEMBERS }: Pick<ScanOptions, 'botId' | 'tables' | 'members'>,
): ListSource {
  return { botId, tables, members, span, isArchived: false };
}

/** Selects the records of a list report in their order, at most as many as its limit. */
export function listSql(report: ListReport, source: ListSource): RawBuilder<RecordRow> {
  const { columns, order, limit, offset } = report;
  const record = RECORDS[report.table];
  const values = columns.map(({ field }, index) => sql`${valueSql(field, source)} AS ${sql.id(`c${index}`)}`);
  const by = [...order.flatMap((each) => orderSql(each, report.table, source)), ...record.id];
  return sql`SELECT ${sql.join(values)} FROM ${record.from(source)} WHERE ${whereSql(report, source)}
    ORDER BY ${sql.join(by)} LIMIT ${limit}::bigint OFFSET ${offset}::bigint`;
}

/** Counts the records without limit and offset, up to `most`. */
function listCountSql(
  report: ListReport,
  source: ListSource,
  most: number | null = null,
): RawBuilder<{ readonly records: number }> {
  const { from } = RECORDS[report.table];
  return sql`SELECT count(*)::float8 AS records
    FROM (SELECT 1 FROM ${from(source)} WHERE ${whereSql(report, source)} LIMIT ${most}::bigint) AS found`;
}

function whereSql({ table, filter }: ListReport, { botId, tables, members, span }: ListSource): RawBuilder<unknown> {
  const record = RECORDS[table];
  const where = [
    sql`${sql.ref(`${record.alias}.bot_id`)} = ${botId}`,
    sql`${record.date} >= ${span.from}::bigint`,
    sql`${record.date} < ${span.to}::bigint`,
  ];
  if (filter !== null) where.push(conditionSql(filter, (field) => columnSql(field, tables, members)));
  return sql.join(where, sql` AND `);
}

/**
 * For each table of lists: its source, the date that must be in the period, and the id that orders equal records. An
 * event's id is its commit and its index in it. Both are the same on every engine.
 */
const RECORDS = {
  events: {
    alias: 'e',
    from: (source: ListSource) => eventsSql(source.tables, source.isArchived ? eventsWithArchived(source) : undefined),
    date: sql.ref('e.date'),
    dated: 'events.date',
    id: [sql.ref('e.commit_id'), sql.ref('e.idx')],
  },
  users: {
    alias: 'u',
    from: ({ tables: { users } }: ListSource) => sql`${sql.id(users, 'users')} AS u`,
    date: sql.ref('u.date_create'),
    dated: 'user.date_create',
    id: [sql.ref('u.user_id')],
  },
} as const;

function valueSql(field: ReportField, { tables, members }: ListSource): RawBuilder<unknown> {
  const column = columnSql(field, tables, members);
  if (field.type === 'boolean') return column;
  return field.type === 'number' ? sql`trim_scale((${column})::numeric)::text` : sql`(${column})::text`;
}

/** Orders text by code points, and a dynamic field by its type first, because values of different types have no order. */
function orderSql(
  { field, direction }: ListOrder,
  table: ListReport['table'],
  { tables, members }: ListSource,
): RawBuilder<unknown>[] {
  const column = columnSql(field, tables, members);
  const way = direction === 'asc' ? sql`ASC` : sql`DESC`;
  // A record always has a date. Without NULLS LAST PostgreSQL can use the index by date.
  if (field.name === RECORDS[table].dated) return [sql`${column} ${way}`];
  return termsSql(field, column).map((term) => sql`${term} ${way} NULLS LAST`);
}

function termsSql({ type }: ReportField, column: RawBuilder<unknown>): RawBuilder<unknown>[] {
  if (type === 'string') return [sql`(${column}) COLLATE "C"`];
  if (type !== 'dynamic') return [column];
  const kind = sql`jsonb_typeof(${column})`;
  return [
    sql`nullif(${kind}, 'null') COLLATE "C"`,
    sql`(CASE ${kind} WHEN 'number' THEN ${column} #>> '{}' END)::numeric`,
    sql`(CASE ${kind} WHEN 'number' THEN NULL ELSE ${column} #>> '{}' END) COLLATE "C"`,
  ];
}

/** The events that a list is selected from. */
export interface ListSource {
  readonly botId: number;
  readonly tables: ReportTables;
  /** Their dates. */
  readonly span: Span;
  /** Whether archived events are among them. */
  readonly isArchived: boolean;
  readonly members: SavedSegmentMembers;
}

/** SQL: rows like the rows of the table `events`, for the bot and the span, from this table and the archive. */
export function eventsWithArchived({
  botId,
  tables: { events },
  span: { from, to },
}: Omit<ListSource, 'members'>): RawBuilder<unknown> {
  return sql.raw(`(
    SELECT ${EVENT_COLUMNS} FROM ${events}.events WHERE bot_id = ${botId} AND date >= ${from} AND date < ${to}
    UNION ALL
    SELECT ${ARCHIVED_COLUMNS} FROM ${archivedFrom(`${events}.archive`)}
     WHERE a.bot_id = ${botId} AND a.last_date >= ${from} AND a.first_date < ${to}
       AND r.date >= ${from} AND r.date < ${to} AND ${isNotReplaced(`${events}.events`)})`);
}

interface ListOptions extends Pick<ListSource, 'botId' | 'tables' | 'members'> {
  readonly query: Query;
  /** Whether a source has so many matching events. */
  readonly hasMatching: (source: ListSource, count: number) => Promise<boolean>;
}

/**
 * Finds the source of a list's rows. A list in the order of dates reads archived chunks from its beginning on until there are
 * enough rows, each time as many as before and three times as many more. Any other order reads all of the period.
 */
async function listSource(
  { period, order, limit, offset }: ListReport,
  { query, hasMatching, ...of }: ListOptions,
): Promise<ListSource> {
  const source = (span: Span, isArchived: boolean): ListSource => ({ ...of, span, isArchived });
  const chunks = await query(sql<Chunk>`
    SELECT first_date::float8 AS first, last_date::float8 AS last FROM ${sql.id(of.tables.events, 'archive')}
     WHERE bot_id = ${of.botId} AND last_date >= ${period.from}::bigint AND first_date < ${period.to}::bigint
     ORDER BY last_date, last_ord`);
  const all = source(period, chunks.length > 0);
  if (chunks.length === 0 || order[0]?.field.name !== 'events.date') return all;
  const isDescending = order[0].direction === 'desc';
  if (isDescending) chunks.reverse();
  for (let taken = 0; taken < chunks.length; taken = Math.max(1, 4 * taken)) {
    const part = source(withoutChunks(period, chunks, taken, isDescending), taken > 0);
    if (part.span.from < part.span.to && (await hasMatching(part, offset + limit))) return part;
  }
  return all;
}

/** Dates of the first and the last event. */
interface Chunk {
  readonly first: number;
  readonly last: number;
}

/** The part of the period that begins where the list begins, and ends with so many of the chunks. */
function withoutChunks({ from, to }: Span, chunks: readonly Chunk[], taken: number, isDescending: boolean): Span {
  if (isDescending) {
    const end = taken === 0 ? chunks[0]!.last + 1 : chunks[taken - 1]!.first;
    return { from: Math.max(from, end), to };
  }
  const end = taken === 0 ? chunks[0]!.first : chunks[taken - 1]!.last + 1;
  return { from, to: Math.min(to, end) };
}
