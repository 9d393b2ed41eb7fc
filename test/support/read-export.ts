import { parse as parseCsv } from 'csv-parse/sync';
import { parquetReadObjects } from 'hyparquet';
import { parse, stringify } from 'lossless-json';

/** Cells of an export as texts; null: no value. */
export type ExportedRow = Readonly<Record<string, string | null>>;

/** Reads an export in any format to the same rows: dates as ISO 8601, JSON without white space, numbers with their digits. */
export async function readExport(format: string, bytes: Buffer): Promise<ExportedRow[]> {
  switch (format) {
    case 'ndjson':
      return bytes
        .toString()
        .split('\n')
        .slice(0, -1)
        .map((line) => rowOf(parse(line) as Record<string, unknown>));
    case 'csv':
      return parseCsv(bytes, { columns: true }).map((row) =>
        rowOf(
          Object.fromEntries(
            Object.entries(row as Record<string, string>).map(([key, text]) => [key, text === '' ? null : text]),
          ),
        ),
      );
    default: {
      const file = bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength) as ArrayBuffer;
      return (await parquetReadObjects({ file })).map(rowOf);
    }
  }
}

function rowOf(row: Readonly<Record<string, unknown>>): ExportedRow {
  return Object.fromEntries(Object.entries(row).map(([key, value]) => [key, textOf(value)]));
}

function textOf(value: unknown): string | null {
  if (value === null || value === undefined) return null;
  if (value instanceof Date) return value.toISOString();
  if (typeof value === 'string') return /^[{[]/.test(value) ? stringify(parse(value))! : value;
  if (typeof value === 'bigint' || typeof value === 'boolean') return String(value);
  return stringify(value)!;
}
