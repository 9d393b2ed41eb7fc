import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { createGunzip } from 'node:zlib';
import { z } from 'zod';
import { decodeCommit } from './commit-codec.ts';
import type { DataKey, RecordedCommit } from './port.ts';

/**
 * The format of a backup: gzip over lines of JSON. First a {@link Header}; then every commit as it is stored, in the log's
 * order; then every key of personal data; last an {@link End} with totals and hashes.
 */
export const FORMAT = 'botledger-backup';
export const VERSION = 1;

/** The file is no backup, is incomplete or altered, or cannot be written or restored. */
export class BackupError extends Error {
  override readonly name = 'BackupError';
}

const Header = z.object({
  format: z.literal(FORMAT),
  version: z.literal(VERSION),
  engine: z.string(),
  /** When it was made, RFC 3339. */
  made: z.string(),
});
export type Header = z.infer<typeof Header>;

const Key = z.object({ id: z.string(), subject: z.string(), secret: z.base64() });

const End = z.object({
  commits: z.number().int(),
  events: z.number().int(),
  keys: z.number().int(),
  /** As in {@link Copied} (copy.ts). */
  hash: z.string(),
  /** Hex SHA-256 of all lines before this one, line feeds included. */
  lines: z.string(),
});
export type End = z.infer<typeof End>;

// A line of a commit begins with its id, so these beginnings tell the three kinds of lines apart.
const KEY = '{"key":';
const END = '{"end":';

export function keyLine({ id, subject, secret }: DataKey): string {
  return `${JSON.stringify({ key: { id, subject, secret: secret.toString('base64') } })}\n`;
}

export function endLine(end: End): string {
  return `${JSON.stringify({ end })}\n`;
}

/** The content of a line. */
export type Entry = { readonly commit: RecordedCommit } | { readonly key: DataKey } | { readonly end: End };

/**
 * Reads a backup's lines after the header. Checks the header, that the last line is the end, and that the end has the hash
 * of the lines before it.
 * @throws BackupError
 */
export async function* entriesOf(file: string): AsyncGenerator<Entry> {
  const lines = createHash('sha256');
  let number = 0;
  let ended = false;
  for await (const line of linesOf(file)) {
    number++;
    if (ended) throw new BackupError(`${file} continues after its end`);
    const entry = number === 1 ? null : parsed(file, number, () => read(line, number));
    if (number === 1) parsed(file, number, () => Header.parse(JSON.parse(line)));
    if (entry !== null && 'end' in entry) {
      ended = true;
      if (lines.digest('hex') !== entry.end.lines)
        throw new BackupError(`${file} was altered: its lines have another hash`);
    } else lines.update(`${line}\n`);
    if (entry !== null) yield entry;
  }
  if (!ended) throw new BackupError(`${file} is not whole: it has no end`);
}

function read(line: string, number: number): Entry {
  if (line.startsWith(KEY)) {
    const { id, subject, secret } = Key.parse(JSON.parse(line).key);
    return { key: { id, subject, secret: Buffer.from(secret, 'base64') } };
  }
  if (line.startsWith(END)) return { end: End.parse(JSON.parse(line).end) };
  return { commit: decodeCommit(line, positionOf(number), number) };
}

/** The position of the commit in this line. A file has one partition. */
export function positionOf(line: number): string {
  return `0:${String(line).padStart(16, '0')}`;
}

function parsed<T>(file: string, line: number, parse: () => T): T {
  try {
    return parse();
  } catch (error) {
    const what = line === 1 ? `is no backup of version ${VERSION}` : `has no commit and no key in line ${line}`;
    throw new BackupError(`${file} ${what}`, { cause: error });
  }
}

const LINE_END = 0x0a;

/** Reads lines, without their line feeds. No other character ends a line: JSON may hold other separators unescaped. */
async function* linesOf(file: string): AsyncGenerator<string> {
  let begun: Buffer[] = [];
  for await (const chunk of unpacked(file)) {
    let start = 0;
    for (let end = chunk.indexOf(LINE_END); end !== -1; end = chunk.indexOf(LINE_END, start)) {
      yield Buffer.concat([...begun, chunk.subarray(start, end)]).toString('utf8');
      begun = [];
      start = end + 1;
    }
    begun.push(chunk.subarray(start));
  }
  if (begun.some(({ length }) => length > 0)) throw new BackupError(`${file} is not whole: it ends within a line`);
}

async function* unpacked(file: string): AsyncGenerator<Buffer> {
  const packed = createReadStream(file);
  const stream = createGunzip();
  packed.on('error', (error) => stream.destroy(error));
  try {
    for await (const chunk of packed.pipe(stream)) yield chunk as Buffer;
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException;
    if (!code.startsWith('Z_')) throw error;
    throw new BackupError(`${file} is no gzip file, was altered or is not whole: ${(error as Error).message}`, {
      cause: error,
    });
  } finally {
    packed.destroy();
  }
}
