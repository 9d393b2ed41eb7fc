import { stringify } from 'csv-stringify/sync';
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

/** Rows of a row group of Parquet. Encoding it takes some 10 µs a row, during which a thread does nothing else. */
const PARQUET_ROWS = 4000;

/** Formats rows, a part at a time. */
export function formatted(format: ExportFormat, { columns, pages }: ExportRows): AsyncGenerator<Uint8Array> {
  switch (format) {
    case 'ndjson':
      return ndjsonParts(columns, pages);
    case 'csv':
      return csvParts(columns, pages);
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

/** RFC 4180, but lines end in LF. Text is unchanged, even if a spreadsheet would take the cell for a formula. */
async function* csvParts(
  columns: readonly ExportColumn[],
  pages: AsyncIterable<readonly TextRow[]>,
): AsyncGenerator<Uint8Array> {
  yield lines([columns.map(({ name }) => name)]);
  for await (const page of pages)
    yield lines(page.map((row) => row.map((cell, index) => (cell === null ? '' : plainOf(columns[index]!, cell)))));
}

/** Quotes cells with a carriage return: some readers take it for the end of a line. */
const lines = (cells: string[][]): Buffer => Buffer.from(stringify(cells, { quoted_match: /\r/ }));

function plainOf({ type }: ExportColumn, cell: string): string {
  if (type === 'date') return isoOf(cell);
  return type === 'boolean' ? booleanOf(cell) : cell;
}

const booleanOf = (cell: string): string => (cell === 't' ? 'true' : 'false');
const isoOf = (cell: string): string => new Date(Number(cell)).toISOString();
