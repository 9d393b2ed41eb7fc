import type { RawBuilder } from 'kysely';
import type pg from 'pg';
import type { Schemas } from '../../database/tables.ts';
import type { ExportColumn, ExportPeriod, TextRow } from './columns.ts';

/** The schemas of the read models that exports read. */
export type ExportTables = Schemas<'catalog' | 'events' | 'users' | 'referral' | 'accounts' | 'recipients'>;

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
