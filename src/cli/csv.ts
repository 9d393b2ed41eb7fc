import { isUtf8 } from 'node:buffer';
import { pipeline } from 'node:stream/promises';
import { CsvError, parse } from 'csv-parse';
import { CliError } from './errors.ts';
import { linesIn, MAX_LINE, wholeLines } from './whole-lines.ts';

export interface CsvRecord {
  /** Where it ends, from 1. */
  readonly line: number;
  /** By column; empty cells are left out. */
  readonly cells: ReadonlyMap<string, string>;
}

/** The records of a CSV file (RFC 4180, UTF-8) with a header that has at least these columns. @throws CliError */
export async function* csvRecords(file: string, required: readonly string[]): AsyncGenerator<CsvRecord> {
  const parser = parse({
    bom: true,
    info: true,
    skip_empty_lines: true,
    relax_column_count: true,
    max_record_size: MAX_LINE,
  });
  const reading = pipeline(utf8(file), parser);
  // It fails together with the loop below, which tells; unheard, it would end the process.
  reading.catch(() => {});
  let header: readonly string[] | undefined;
  try {
    for await (const row of parser) {
      const { record, info } = row as { record: string[]; info: { lines: number } };
      const line = info.lines;
      if (header === undefined) {
        header = checkedHeader(file, record, required);
        continue;
      }
      if (record.length !== header.length)
        throw new CliError(`${file}: line ${line} has ${record.length} cells, the header ${header.length}`);
      yield {
        line,
        cells: new Map(header.map((name, index) => [name, record[index]!] as const).filter(([, text]) => text !== '')),
      };
    }
  } catch (error) {
    if (error instanceof CsvError) throw new CliError(`${file}: ${error.message}`);
    throw error;
  }
  if (header === undefined) throw new CliError(`${file}: the file is empty`);
}

/** The bytes of the file. Others would be taken for U+FFFD each, in silence. @throws CliError */
async function* utf8(file: string): AsyncGenerator<Buffer> {
  for await (const { line, bytes } of wholeLines(file)) {
    if (!isUtf8(bytes)) {
      const wrong = linesIn(bytes).findIndex((each) => !isUtf8(each));
      throw new CliError(`${file}: line ${line + wrong} is not UTF-8`);
    }
    yield bytes;
  }
}

function checkedHeader(file: string, record: readonly string[], required: readonly string[]): readonly string[] {
  const header = record.map((name) => name.trim());
  const missing = required.filter((name) => !header.includes(name));
  if (missing.length > 0) throw new CliError(`${file}: the header lacks ${missing.join(', ')}`);
  if (header.includes('')) throw new CliError(`${file}: a column has no name`);
  if (new Set(header).size < header.length) throw new CliError(`${file}: a column stands twice in the header`);
  return header;
}
