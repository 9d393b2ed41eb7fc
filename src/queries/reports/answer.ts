import { LosslessNumber } from 'lossless-json';
import type { Warning } from '../../domain/problem.ts';

/** The answer of a report (decisions.md#report-answers). */
export interface ReportAnswer {
  readonly columns: readonly Column[];
  /** Each row has exactly the keys of the columns. */
  readonly rows: readonly Row[];
  readonly meta: ReportMeta;
}

export type Row = Readonly<Record<string, Cell>>;

/** A number that a double may not hold exactly is a LosslessNumber. JSON writes it with exactly its digits. */
export type Cell = string | number | boolean | LosslessNumber | null;

export interface Column {
  readonly key: string;
  readonly label: string;
  readonly type: 'date' | 'number' | 'string' | 'boolean';
  /** The index of a chart line's request. */
  readonly metric?: number;
  /** The measure of a chart line over the whole period. */
  readonly total?: Cell;
  /** The combination of a chart line, if the chart is broken down; all null for the line of other combinations. */
  readonly breakdown?: Row;
  /** Whether the line stands for all combinations without a line. */
  readonly other?: boolean;
}

/** Dates are ISO 8601 with the offset of the time zone. */
interface ReportMeta {
  readonly timezone: string;
  readonly date_from: string;
  readonly date_to: string;
  /** Rows of the whole report. */
  readonly rows_total: number;
  /** Rows that a list would have without limit and offset. */
  readonly rows_matching?: number;
  /** Whether this answer has fewer rows than the report. */
  readonly truncated: boolean;
  /** All events that were received until then are counted. */
  readonly data_as_of: string;
  readonly lag_ms: number;
  readonly warnings: readonly Warning[];
}

/** The columns and rows of an answer. */
export interface Rows {
  readonly columns: readonly Column[];
  /** At most as many as the limit of the request. */
  readonly rows: readonly Row[];
  /** Rows of the whole report. */
  readonly total: number;
  /** Rows that a list would have without limit and offset. */
  readonly matching?: number;
}

/** A measure from its decimal text: a plain number if it is an integer that a double holds exactly. */
export function measureCell(decimal: string | null): number | LosslessNumber | null {
  if (decimal === null) return null;
  const integer = /^-?\d+$/.test(decimal) ? Number(decimal) : Number.NaN;
  return Number.isSafeInteger(integer) ? integer : new LosslessNumber(decimal);
}

/** Most numbers of a report (decisions.md#report-bounds). The report's thread and the API each hold all of them in memory. */
const MAX_CELLS = 1_000_000;

/** A report would have more than {@link MAX_CELLS} numbers. */
export class ReportTooLargeError extends Error {
  override readonly name = 'ReportTooLargeError';
  constructor() {
    super(`more than ${MAX_CELLS} numbers: narrow the period, or ask for wider buckets or for less in each`);
  }
}

/** @throws ReportTooLargeError */
export function checkCells(cells: number): void {
  if (cells > MAX_CELLS) throw new ReportTooLargeError();
}
