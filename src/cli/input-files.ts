import { isUtf8 } from 'node:buffer';
import { pipeline } from 'node:stream/promises';
import { CsvError, parse } from 'csv-parse';
import { parse as parseLossless } from 'lossless-json';
import { isJsonObject, type JsonObject } from '../domain/storable-json.ts';
import { counted } from '../util/counted.ts';
import { unguarded } from '../util/csv.ts';
import { CliError } from './command.ts';
import { plainBytes } from './plain-bytes.ts';

/** Reads CSV files, and the lines of other files, in pieces of a bounded size. A file may be compressed (plain-bytes.ts). */

export interface CsvRecord {
  /** The line in which the record ends, from 1. */
  readonly line: number;
  /** The cells by column, without empty ones, and without the apostrophe of our files (decisions.md#csv-formulas). */
  readonly cells: ReadonlyMap<string, string>;
  /** The record as the file has it. */
  readonly text: string;
}

/**
 * Reads the records of a CSV file (RFC 4180, UTF-8) whose header has at least the required columns.
 * @param onBad is called with a record that has not as many cells as the header. Default: throws
 * @throws CliError
 */
export async function* csvRecords(
  file: string,
  required: readonly string[],
  onBad = (line: number, problem: string, _text: string): void => {
    throw new CliError(`${file}: line ${line} has ${problem}`);
  },
): AsyncGenerator<CsvRecord> {
  const parser = parse({
    bom: true,
    info: true,
    raw: true,
    skip_empty_lines: true,
    relax_column_count: true,
    max_record_size: MAX_LINE_BYTES,
  });
  const reading = pipeline(utf8(file), parser);
  // If it fails, the loop below fails too and reports it. An unhandled rejection would end the OS process.
  reading.catch(() => {});
  let header: readonly string[] | undefined;
  try {
    for await (const row of parser) {
      const { record: cells, info, raw } = row as { record: string[]; info: { lines: number }; raw: string };
      const text = raw.replace(/\r?\n$/, '');
      const record = cells.map(unguarded);
      const line = info.lines;
      if (header === undefined) {
        header = checkedHeader(file, record, required);
        continue;
      }
      if (record.length !== header.length) {
        onBad(line, `${counted(record.length, 'cell')}, the header ${header.length}`, text);
        continue;
      }
      yield {
        line,
        text,
        cells: new Map(header.map((name, index) => [name, record[index]!] as const).filter(([, text]) => text !== '')),
      };
    }
  } catch (error) {
    if (error instanceof CsvError) throw new CliError(`${file}: ${error.message}`);
    throw error;
  }
  if (header === undefined) throw new CliError(`${file}: the file is empty`);
}

/**
 * Reads the bytes of a UTF-8 file. Without this check the parser would replace wrong bytes with U+FFFD. @throws
 * CliError
 */
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
  /** Number of the first line, from 1. */
  readonly line: number;
  readonly bytes: Buffer;
}

/** Longest accepted line. */
const MAX_LINE_BYTES = 1 << 20;
const LINE_END = 0x0a;

/** Reads a file in bounded pieces of whole lines. @throws CliError for a line that is too long */
export async function* wholeLines(file: string): AsyncGenerator<WholeLines> {
  let line = 1;
  let partOfLine: Buffer = Buffer.alloc(0);
  for await (const chunk of plainBytes(file)) {
    const bytes: Buffer = Buffer.concat([partOfLine, chunk]);
    const end = bytes.lastIndexOf(LINE_END) + 1;
    partOfLine = bytes.subarray(end);
    const lines = linesIn(bytes.subarray(0, end));
    const long = [...lines, partOfLine].findIndex(({ length }) => length > MAX_LINE_BYTES);
    if (long !== -1) throw new CliError(`${file}: line ${line + long} is longer than ${MAX_LINE_BYTES} bytes`);
    if (end > 0) yield { line, bytes: bytes.subarray(0, end) };
    line += lines.length;
  }
  if (partOfLine.length > 0) yield { line, bytes: partOfLine };
}

/** Whether the first character of the file, after white space, is a brace. */
export async function isNdjson(file: string): Promise<boolean> {
  for await (const chunk of plainBytes(file)) {
    const start = chunk
      .toString('utf8')
      .replace(/^\uFEFF/, '')
      .trimStart();
    if (start !== '') return start.startsWith('{');
  }
  return false;
}

/** A line of a file of JSON objects: the parsed object, or the problem of the line. */
export type JsonLine = { readonly line: number; readonly text: string } & (
  | { readonly object: JsonObject }
  | { readonly problem: string }
);

/** Reads a file with a JSON object on each line. Empty lines are left out. */
export async function* jsonLines(file: string): AsyncGenerator<JsonLine> {
  for await (const { line, bytes } of wholeLines(file))
    for (const [index, each] of linesIn(bytes).entries()) {
      const text = each
        .toString('utf8')
        .replace(/^\uFEFF/, '')
        .trim();
      if (text !== '') yield { line: line + index, text, ...(isUtf8(each) ? parsed(text) : { problem: 'not UTF-8' }) };
    }
}

function parsed(text: string): { object: JsonObject } | { problem: string } {
  let value: unknown;
  try {
    value = parseLossless(text); // refuses a key that appears twice
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    return { problem: `not JSON: ${error.message}` };
  }
  return isJsonObject(value) ? { object: value } : { problem: 'not a JSON object' };
}

/** Splits a piece into its lines, without their ends. */
function linesIn(bytes: Buffer): Buffer[] {
  const lines: Buffer[] = [];
  for (let start = 0; start < bytes.length; ) {
    const end = bytes.indexOf(LINE_END, start);
    lines.push(bytes.subarray(start, end === -1 ? bytes.length : end));
    start = end === -1 ? bytes.length : end + 1;
  }
  return lines;
}
