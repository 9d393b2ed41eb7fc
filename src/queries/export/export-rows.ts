import type { RawBuilder } from 'kysely';
import type pg from 'pg';
import { cursorRows, type TextRow } from '../../database/cursor-rows.ts';
import { statement } from '../reports/statement.ts';
import { accrualRows } from './accruals.ts';
import type { ExportColumn, ExportKind, ExportPeriod } from './columns.ts';
import { eventRows } from './events.ts';
import { recipientRows } from './recipients.ts';
import { userRows } from './users.ts';

/** The schemas of the read models that exports read. */
export interface ExportTables {
  readonly catalog: string;
  readonly events: string;
  readonly users: string;
  readonly referral: string;
  readonly accounts: string;
  readonly recipients: string;
}

/** The read models that each export reads. All leave out erased users, which `users` lists. */
export const TABLES_READ: Readonly<Record<ExportKind, readonly (keyof ExportTables)[]>> = {
  events: ['events', 'users'],
  users: ['users', 'referral'],
  accruals: ['accounts', 'referral', 'catalog', 'users'],
  recipients: ['recipients', 'users'],
};

export interface ExportRequest {
  readonly bot: { readonly bot_id: number; readonly public_key: string };
  readonly period: ExportPeriod;
  readonly tables: ExportTables;
}

/** Reads the rows of a SELECT page by page. */
export type ReadPages = (select: RawBuilder<unknown>) => AsyncGenerator<readonly TextRow[]>;

export interface ExportSource extends ExportRequest {
  readonly tx: pg.ClientBase;
  readonly pages: ReadPages;
}

export interface ExportRows {
  readonly columns: readonly ExportColumn[];
  /** In a stable order, each row once. */
  readonly pages: AsyncGenerator<readonly TextRow[]>;
}

const ROWS_OF: Readonly<Record<ExportKind, (source: ExportSource) => ExportRows>> = {
  events: eventRows,
  users: userRows,
  accruals: accrualRows,
  recipients: recipientRows,
};

/** The rows of an export, in the snapshot of a transaction that the caller has begun. The memory is that of a page. */
export function exportRows(kind: ExportKind, tx: pg.ClientBase, request: ExportRequest, pageRows: number): ExportRows {
  const pages: ReadPages = (select) => cursorRows(tx, statement(select), pageRows);
  return ROWS_OF[kind]({ ...request, tx, pages });
}
