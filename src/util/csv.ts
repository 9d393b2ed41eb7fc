import { stringify } from 'csv-stringify/sync';

/** A number with all its digits. A spreadsheet reads it as a number. */
interface CsvNumber {
  readonly digits: string;
}

/** Text, or a number. */
export type CsvCell = string | number | CsvNumber;

export interface CsvForm {
  /** Write texts as they are, for programs. Default: a spreadsheet takes no text for a formula. */
  readonly raw?: boolean | null | undefined;
}

/**
 * Writes lines of CSV (RFC 4180, but lines end in LF). A text that a spreadsheet would take for a formula gets an apostrophe
 * (decisions.md#csv-formulas).
 */
export function csvLines(rows: readonly (readonly CsvCell[])[], { raw }: CsvForm): string {
  const cells = rows.map((row) =>
    row.map((cell) => {
      if (typeof cell === 'string') return raw === true ? cell : guarded(cell);
      return typeof cell === 'number' ? String(cell) : cell.digits;
    }),
  );
  // Some readers take a carriage return for the end of a line.
  return stringify(cells, { quoted_match: /\r/ });
}

/**
 * The beginning of a formula (OWASP, "CSV Injection"), also in the full-width forms of some locales. Apostrophes before
 * it count, so that the reader removes exactly one.
 */
const FORMULA = /^'*[=+\-@\t\r\uFF1D\uFF0B\uFF0D\uFF20]/;

const guarded = (text: string): string => (FORMULA.test(text) ? `'${text}` : text);

/** Returns the text of a cell of {@link csvLines}, without its apostrophe. */
export const unguarded = (cell: string): string => (cell.startsWith("'") && FORMULA.test(cell) ? cell.slice(1) : cell);
