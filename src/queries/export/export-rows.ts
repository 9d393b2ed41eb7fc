import type pg from 'pg';
import { cursorRows } from '../../database/cursor-rows.ts';
import { statement } from '../reports/statement.ts';
import { accrualRows } from './accruals.ts';
import type { ExportKind } from './columns.ts';
import { eventRows } from './events.ts';
import type { ExportRequest, ExportRows, ExportSource, ExportTables, ReadPages } from './export-source.ts';
import { recipientRows } from './recipients.ts';
import { userRows } from './users.ts';

/** The read models that each export reads. All leave out erased users, which `users` lists. */
export const TABLES_READ: Readonly<Record<ExportKind, readonly (keyof ExportTables)[]>> = {
  events: ['events', 'users'],
  users: ['users', 'referral'],
  accruals: ['accounts', 'referral', 'catalog', 'users'],
  recipients: ['recipients', 'users'],
};

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
