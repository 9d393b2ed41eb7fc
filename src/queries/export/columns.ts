import { type RawBuilder, sql } from 'kysely';

export type { TextRow } from '../../database/cursor-rows.ts';

/** The tables that can be exported (decisions.md#export). */
export const EXPORT_KINDS = ['events', 'users', 'accruals', 'recipients'] as const;
export type ExportKind = (typeof EXPORT_KINDS)[number];

/**
 * The type of a column. Values are texts: `decimal` exact decimal text, `date` milliseconds since 1970 UTC, `boolean` `t` or `f`,
 * `json` JSON text.
 */
type ColumnType = 'text' | 'integer' | 'decimal' | 'boolean' | 'date' | 'json';

export interface ExportColumn {
  readonly name: string;
  readonly type: ColumnType;
}

/** A column and the SQL of its value. */
export interface SelectedColumn extends ExportColumn {
  readonly value: RawBuilder<unknown>;
}

export function selected(name: string, type: ColumnType, value: RawBuilder<unknown>): SelectedColumn {
  return { name, type, value };
}

/** The SELECT list of the columns. */
export function selectList(columns: readonly SelectedColumn[]): RawBuilder<unknown> {
  return sql.join(columns.map(({ type, value }) => (type === 'decimal' ? sql`trim_scale(${value})` : value)));
}

/** A period of dates, in milliseconds since 1970 UTC, without its end. Null: no bound. */
export interface ExportPeriod {
  readonly from: number | null;
  readonly to: number | null;
}

/** SQL: the date is in the period. */
export function isWithin(date: RawBuilder<unknown>, { from, to }: ExportPeriod): RawBuilder<unknown> {
  const bounds = [
    ...(from === null ? [] : [sql`${date} >= ${from}::bigint`]),
    ...(to === null ? [] : [sql`${date} < ${to}::bigint`]),
  ];
  return bounds.length === 0 ? sql`true` : sql.join(bounds, sql` AND `);
}

/** SQL: the user was not erased (decisions.md#erased-users). @param users the schema of the read model `users` */
export function isNotErased(users: string, botId: number, userId: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`NOT EXISTS (SELECT FROM ${sql.id(users, 'erased_users')} AS erased
    WHERE erased.bot_id = ${botId} AND erased.user_id = ${userId})`;
}
