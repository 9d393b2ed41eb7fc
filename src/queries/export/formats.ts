import { type CsvCell, type CsvForm, csvLines } from '../../util/csv.ts';
import type { ExportColumn, TextRow } from './columns.ts';
import type { ExportRows } from './export-source.ts';
import { parquetParts } from './parquet.ts';

export const EXPORT_FORMATS = ['ndjson', 'csv', 'parquet'] as const;
export type ExportFormat = (typeof EXPORT_FORMATS)[number];

/** Media types (RFC 4180; the others are in common use, and not registered). */
export const MEDIA_TYPES: Readonly<Record<ExportFormat, string>> = {
  ndjson: 'application/x-ndjson; charset=utf-8',
  csv: 'text/csv; charset=utf-8',
  parquet: 'application/vnd.apache.parquet',
};

/**
 * Rows of a row group of Parquet. Encoding it takes about 10 µs a row. The thread does nothing else during this time.
 */
const PARQUET_ROWS = 4000;

/** Formats rows, a part at a time. */
export function formatted(
  format: ExportFormat,
  { columns, pages }: ExportRows,
  form: CsvForm,
): AsyncGenerator<Uint8Array> {
  switch (format) {
    case 'ndjson':
      return ndjsonParts(columns, pages);
    case 'csv':
      return csvParts(columns, pages, form);
    case 'parquet':
      return parquetParts(columns, pages, { groupRows: PARQUET_ROWS });
  }
}

async function* ndjsonParts(
  columns: readonly ExportColumn[],
  pages: AsyncIterable<readonly TextRow[]>,
): AsyncGenerator<Uint8Array> {
  const keys = columns.map(({ name }, index) => `${index === 0 ? '{' : ','}${JSON.stringify(name)}:`);
  for await (const page of pages) {
    const lines = page.map((row) => {
      let line = '';
      for (const [index, cell] of row.entries())
        line += keys[index]! + (cell === null ? 'null' : jsonOf(columns[index]!, cell));
      return `${line}}\n`;
    });
    yield Buffer.from(lines.join(''));
  }
}

function jsonOf({ type }: ExportColumn, cell: string): string {
  switch (type) {
    case 'text':
      return JSON.stringify(cell);
    case 'date':
      return `"${isoOf(cell)}"`;
    case 'boolean':
      return booleanOf(cell);
    default:
      return cell;
  }
}

async function* csvParts(
  columns: readonly ExportColumn[],
  pages: AsyncIterable<readonly TextRow[]>,
  form: CsvForm,
): AsyncGenerator<Uint8Array> {
  const lines = (rows: CsvCell[][]): Buffer => Buffer.from(csvLines(rows, form));
  yield lines([columns.map(({ name }) => name)]);
  for await (const page of pages)
    yield lines(page.map((row) => row.map((cell, index) => (cell === null ? '' : csvCell(columns[index]!, cell)))));
}

function csvCell({ type }: ExportColumn, cell: string): CsvCell {
  switch (type) {
    case 'integer':
    case 'decimal':
      return { digits: cell };
    case 'date':
      return isoOf(cell);
    case 'boolean':
      return booleanOf(cell);
    default:
      return cell;
  }
}

const booleanOf = (cell: string): string => (cell === 't' ? 'true' : 'false');
const isoOf = (cell: string): string => new Date(Number(cell)).toISOString();
