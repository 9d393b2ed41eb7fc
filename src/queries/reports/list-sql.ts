import { type RawBuilder, sql } from 'kysely';
import type { ReportField } from '../../domain/reports/fields.ts';
import type { ListOrder, ListReport } from '../../domain/reports/report.ts';
import { columnSql, eventsSql, type ReportTables } from './columns.ts';
import { conditionSql } from './condition-sql.ts';

/** A record: its columns, in their order, as `c0`, `c1`, …; numbers exact decimals, dates ms, dynamic fields JSON. */
export type RecordRow = Readonly<Record<string, string | boolean | null>>;

interface ListSource {
  readonly botId: number;
  readonly tables: ReportTables;
}

/** The records of a list report, in their order, no more than its limit. */
export function listSql(report: ListReport, { botId, tables }: ListSource): RawBuilder<RecordRow> {
  const { columns, order, limit, offset } = report;
  const record = RECORDS[report.table];
  const values = columns.map(({ field }, index) => sql`${valueSql(field, tables)} AS ${sql.id(`c${index}`)}`);
  const by = [...order.flatMap((each) => orderSql(each, report.table, tables)), ...record.id];
  return sql`SELECT ${sql.join(values)} FROM ${record.from(tables)} WHERE ${whereSql(report, { botId, tables })}
    ORDER BY ${sql.join(by)} LIMIT ${limit}::bigint OFFSET ${offset}::bigint`;
}

/** How many records there are without limit and offset. */
export function listCountSql(report: ListReport, source: ListSource): RawBuilder<{ readonly records: number }> {
  const { from } = RECORDS[report.table];
  return sql`SELECT count(*)::float8 AS records FROM ${from(source.tables)} WHERE ${whereSql(report, source)}`;
}

function whereSql({ table, period, filter }: ListReport, { botId, tables }: ListSource): RawBuilder<unknown> {
  const record = RECORDS[table];
  const where = [
    sql`${sql.ref(`${record.alias}.bot_id`)} = ${botId}`,
    sql`${record.date} >= ${period.from}::bigint`,
    sql`${record.date} < ${period.to}::bigint`,
  ];
  if (filter !== null) where.push(conditionSql(filter, (field) => columnSql(field, tables)));
  return sql.join(where, sql` AND `);
}

/**
 * Where records come from, the date by which they are in the period, and what they are known by: of an event its place in
 * its commit, which is the same on every engine.
 */
const RECORDS = {
  events: {
    alias: 'e',
    from: eventsSql,
    date: sql.ref('e.date'),
    dated: 'events.date',
    id: [sql.ref('e.commit_id'), sql.ref('e.idx')],
  },
  users: {
    alias: 'u',
    from: ({ users }: ReportTables) => sql`${sql.id(users, 'users')} AS u`,
    date: sql.ref('u.date_create'),
    dated: 'user.date_create',
    id: [sql.ref('u.user_id')],
  },
} as const;

function valueSql(field: ReportField, tables: ReportTables): RawBuilder<unknown> {
  const column = columnSql(field, tables);
  if (field.type === 'boolean') return column;
  return field.type === 'number' ? sql`trim_scale((${column})::numeric)::text` : sql`(${column})::text`;
}

/** Text by code points; a dynamic field by its type first, as values of two types have no order. */
function orderSql(
  { field, direction }: ListOrder,
  table: ListReport['table'],
  tables: ReportTables,
): RawBuilder<unknown>[] {
  const column = columnSql(field, tables);
  const way = direction === 'asc' ? sql`ASC` : sql`DESC`;
  // A record always has a date, and only so the index that has them in order is of use.
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
