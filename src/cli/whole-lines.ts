import { createReadStream } from 'node:fs';
import { CliError } from './errors.ts';

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
