import type { Value } from '../api.ts';

/** The beginning of a formula of a spreadsheet, as the service's own CSV guards it (docs/decisions.md#csv-formulas). */
const FORMULA = /^'*[=+\-@\t\r\uFF1D\uFF0B\uFF0D\uFF20]/;

/** A text of a cell, which no spreadsheet takes for a formula. Digits of numbers stay as they are. */
function text(value: Value | undefined, isNumber: boolean): string {
  if (value === null || value === undefined) return '';
  const written = String(value);
  const guarded = !isNumber && typeof value === 'string' && FORMULA.test(written) ? `'${written}` : written;
  return /[",\r\n]/.test(guarded) ? `"${guarded.replaceAll('"', '""')}"` : guarded;
}

export interface CsvColumn {
  readonly label: string;
  /** Numbers may be texts, which have more digits than a float. */
  readonly isNumber: boolean;
}

/** CSV with a header (RFC 4180, lines end in LF). */
export function csvOf(columns: readonly CsvColumn[], rows: readonly (readonly (Value | undefined)[])[]): string {
  const lines = [
    columns.map(({ label }) => text(label, false)),
    ...rows.map((row) => row.map((value, index) => text(value, columns[index]!.isNumber))),
  ];
  return `${lines.map((line) => line.join(',')).join('\n')}\n`;
}

const LONGEST_NAME = 120;

/** A name of a file: letters, digits, spaces and a few signs. */
export function fileName(name: string): string {
  const plain = name.replace(/[^\p{L}\p{N} ._,()-]+/gu, ' ').replace(/\s+/g, ' ');
  return (
    [...plain]
      .slice(0, LONGEST_NAME)
      .join('')
      .replace(/^[ .]+|[ .]+$/g, '') || 'report'
  );
}
