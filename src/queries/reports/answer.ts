import { LosslessNumber } from 'lossless-json';
import type { Warning } from '../../domain/problem.ts';

/** What a report answers with (decisions.md#report-answers). */
export interface ReportAnswer {
  readonly columns: readonly Column[];
  /** Each row has exactly the keys of the columns. */
  readonly rows: readonly Row[];
  readonly meta: ReportMeta;
}

export type Row = Readonly<Record<string, Cell>>;

/** Numbers that a double may not hold exactly are LosslessNumber: written to JSON with just their digits. */
export type Cell = string | number | boolean | LosslessNumber | null;

export interface Column {
  readonly key: string;
  readonly label: string;
  readonly type: 'date' | 'number' | 'string' | 'boolean';
  /** Of a chart's line: the index of its request. */
  readonly metric?: number;
  /** Of a chart's line: the measure over the whole period. */
  readonly total?: Cell;
  /** Of a line of a chart that is broken down: its combination, all null for the others'. */
  readonly breakdown?: Row;
  /** Whether the line is of all combinations that have none of their own. */
  readonly other?: boolean;
}

/** Dates are ISO 8601 with the offset of the zone. */
export interface ReportMeta {
  readonly timezone: string;
  readonly date_from: string;
  readonly date_to: string;
  /** Rows that the whole report has. */
  readonly rows_total: number;
  /** Of a list: rows that there would be without limit and offset. */
  readonly rows_matching?: number;
  /** Whether this answer has fewer. */
  readonly truncated: boolean;
  /** Up to when what was received has been counted. */
  readonly data_as_of: string;
  readonly lag_ms: number;
  readonly warnings: readonly Warning[];
}

/** The rows of an answer, and the columns whose keys they have. */
export interface Rows {
  readonly columns: readonly Column[];
  /** At most as many as were asked for. */
  readonly rows: readonly Row[];
  /** How many there are. */
  readonly total: number;
  /** Of a list: how many there would be without limit and offset. */
  readonly matching?: number;
}

/** A measure from its decimal text, as a plain number where that is an integer that a double holds. */
export function measureCell(decimal: string | null): number | LosslessNumber | null {
  if (decimal === null) return null;
  const integer = /^-?\d+$/.test(decimal) ? Number(decimal) : Number.NaN;
  return Number.isSafeInteger(integer) ? integer : new LosslessNumber(decimal);
}
