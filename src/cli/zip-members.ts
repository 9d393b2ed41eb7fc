import type { Readable } from 'node:stream';
import { crc32 } from 'node:zlib';
import yauzl from 'yauzl';
import { CliError } from './command.ts';

/** Opens the bytes again, from the first one. */
export type OpenBytes = () => AsyncIterable<Buffer>;

/**
 * Reads the text of the members of a zip, in the order of their names (file 2 before file 10), with a line end after each.
 * @param textOf reads the text of one member
 * @throws CliError the zip is damaged or encrypted, or has several members and one of them is not NDJSON
 */
export async function* zipMembers(
  file: string,
  textOf: (member: OpenBytes, name: string) => AsyncGenerator<Buffer>,
): AsyncGenerator<Buffer> {
  const zip = await yauzl.openPromise(file, { autoClose: false }).catch((error: unknown) => refuse(file, error));
  try {
    const entries = await membersOf(zip, file);
    if (entries.length === 0) throw new CliError(`${file}: the zip is empty`);
    for (const entry of entries) {
      const name = `${file}: ${entry.fileName}`;
      let isFirst = true;
      let last: Buffer | undefined;
      for await (const chunk of textOf(() => bytesOf(zip, entry, name), name)) {
        if (isFirst && entries.length > 1 && !/^\uFEFF?\s*(\{|$)/.test(chunk.toString('utf8')))
          throw new CliError(`${name} is not NDJSON: a zip of several files must have JSON lines in each`);
        isFirst = false;
        yield chunk;
        last = chunk;
      }
      if (last !== undefined && last.at(-1) !== LINE_END) yield Buffer.of(LINE_END);
    }
  } finally {
    zip.close();
  }
}

const LINE_END = 0x0a;
/** Folders, and what macOS and others add. */
const NO_DATA = /\/$|^__MACOSX\/|(?:^|\/)\.[^/]*$/;

async function membersOf(zip: yauzl.ZipFile, file: string): Promise<yauzl.Entry[]> {
  const entries: yauzl.Entry[] = [];
  try {
    for await (const entry of zip.eachEntry()) if (!NO_DATA.test(entry.fileName)) entries.push(entry);
  } catch (error) {
    refuse(file, error);
  }
  return entries.sort((a, b) => a.fileName.localeCompare(b.fileName, 'en', { numeric: true }));
}

/** Reads a member as it is stored in the zip, perhaps a file of gzip. */
async function* bytesOf(zip: yauzl.ZipFile, entry: yauzl.Entry, name: string): AsyncGenerator<Buffer> {
  if (entry.isEncrypted()) throw new CliError(`${name} is encrypted: unpack it first`);
  let sum = 0;
  try {
    const bytes: Readable = await zip.openReadStreamPromise(entry);
    for await (const chunk of bytes as AsyncIterable<Buffer>) {
      sum = crc32(chunk, sum);
      yield chunk;
    }
  } catch (error) {
    refuse(name, error);
  }
  if (sum !== entry.crc32) throw new CliError(`${name}: failed to decompress: its checksum is wrong`);
}

/** yauzl and zlib throw plain errors for damaged files. */
function refuse(name: string, error: unknown): never {
  throw new CliError(`${name}: failed to read the zip: ${(error as Error).message}`);
}
