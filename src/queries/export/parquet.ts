import { ByteWriter, ParquetWriter, type SchemaElement } from 'hyparquet-writer';
import type { ExportColumn, TextRow } from './columns.ts';

interface ParquetOptions {
  /** Rows of a row group. A group is encoded in one go. */
  readonly groupRows: number;
  /** Further entries of the file's metadata. */
  readonly metadata?: Readonly<Record<string, string>>;
}

/**
 * Formats rows as a Parquet file, a row group at a time. Decimals and JSON are text: a DECIMAL has one scale for all values,
 * and theirs have up to 30 digits after the point.
 */
export async function* parquetParts(
  columns: readonly ExportColumn[],
  pages: AsyncIterable<readonly TextRow[]>,
  { groupRows, metadata = {} }: ParquetOptions,
): AsyncGenerator<Uint8Array> {
  const bytes = new ByteWriter();
  const writer = new ParquetWriter({
    writer: bytes,
    schema: [{ name: 'root', num_children: columns.length }, ...columns.map(elementOf)],
    kvMetadata: Object.entries(metadata).map(([key, value]) => ({ key, value })),
    createdBy: 'botledger',
  });
  let rows: TextRow[] = [];

  function writeGroup(): void {
    const columnData = columns.map((column, index) => ({
      name: column.name,
      data: rows.map((row) => parquetValue(column, row[index]!)),
      offsetIndex: false,
    }));
    // Without `flush` of its writer this is not asynchronous.
    void writer.write({ columnData, rowGroupSize: rows.length });
    rows = [];
  }

  for await (const page of pages) {
    for (const row of page) {
      rows.push(row);
      if (rows.length === groupRows) {
        writeGroup();
        yield taken(bytes);
      }
    }
  }
  if (rows.length > 0) writeGroup();
  void writer.finish();
  yield taken(bytes);
}

/** Takes what has been written. The writer begins again at the start of its buffer; its offsets in the file continue. */
function taken(bytes: ByteWriter): Uint8Array {
  const written = bytes.getBytes().slice();
  bytes.index = 0;
  return written;
}

function elementOf({ name, type }: ExportColumn): SchemaElement {
  const optional = { name, repetition_type: 'OPTIONAL' } as const;
  switch (type) {
    case 'integer':
      return { ...optional, type: 'INT64' };
    case 'date':
      return { ...optional, type: 'INT64', converted_type: 'TIMESTAMP_MILLIS' };
    case 'boolean':
      return { ...optional, type: 'BOOLEAN' };
    default:
      return { ...optional, type: 'BYTE_ARRAY', converted_type: 'UTF8' };
  }
}

function parquetValue({ type }: ExportColumn, cell: string | null): string | bigint | boolean | null {
  if (cell === null) return null;
  if (type === 'integer' || type === 'date') return BigInt(cell);
  return type === 'boolean' ? cell === 't' : cell;
}
