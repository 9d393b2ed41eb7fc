import { isUtf8 } from 'node:buffer';
import { createReadStream } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import { CsvError, parse } from 'csv-parse';
import { CliError } from './command.ts';

/** Reads CSV files and lines of other files in pieces of a bounded size. */

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

/** Consecutive lines of a file, with their ends. */
export interface WholeLines {
  /** Of the first of them, from 1. */
  readonly line: number;
  readonly bytes: Buffer;
}

/** Longest line that is read, in bytes. */
export const MAX_LINE = 1 << 20;
const LINE_END = 0x0a;

/** A file, cut between lines, a bounded piece at a time. @throws CliError for a line that is too long */
export async function* wholeLines(file: string): AsyncGenerator<WholeLines> {
  let line = 1;
  let begun: Buffer = Buffer.alloc(0);
  for await (const chunk of createReadStream(file, { highWaterMark: MAX_LINE })) {
    const bytes: Buffer = Buffer.concat([begun, chunk as Buffer]);
    const end = bytes.lastIndexOf(LINE_END) + 1;
    begun = bytes.subarray(end);
    if (end > 0) {
      yield { line, bytes: bytes.subarray(0, end) };
      line += linesIn(bytes.subarray(0, end)).length;
    }
    if (begun.length > MAX_LINE) throw new CliError(`${file}: line ${line} is longer than ${MAX_LINE} bytes`);
  }
  if (begun.length > 0) yield { line, bytes: begun };
}

/** The lines of a piece, without their ends. */
export function linesIn(bytes: Buffer): Buffer[] {
  const lines: Buffer[] = [];
  for (let start = 0; start < bytes.length; ) {
    const end = bytes.indexOf(LINE_END, start);
    lines.push(bytes.subarray(start, end === -1 ? bytes.length : end));
    start = end === -1 ? bytes.length : end + 1;
  }
  return lines;
}
