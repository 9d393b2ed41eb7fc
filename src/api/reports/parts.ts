import type { ReportAnswer, Row } from '../../queries/reports/answer.ts';

/** Cells that become text at once, which takes some 10 ms: for so long all other requests wait. */
export const CELLS_AT_ONCE = 10_000;

/** What of a report becomes text row by row. */
export type Table = Pick<ReportAnswer, 'columns' | 'rows'>;

/** The rows of a report, in parts of which each may become text at once; a row is never cut. */
export function* partsOf({ columns, rows }: Table): Generator<readonly Row[]> {
  const size = Math.max(1, Math.floor(CELLS_AT_ONCE / columns.length));
  for (let from = 0; from < rows.length; from += size) yield rows.slice(from, from + size);
}
