import { createReadStream } from 'node:fs';
import type { Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createBrotliDecompress, createGunzip } from 'node:zlib';
import { CliError } from './command.ts';
import { isJsonDocument, onePerLine } from './json-documents.ts';
import { type OpenBytes, zipMembers } from './zip-members.ts';

const PIECE_BYTES = 1 << 20;
/** Servers compress a file of gzip once more, so there may be two layers. */
const MAX_LAYERS = 3;

/**
 * Reads the text of a file. Gzip is decompressed, and brotli. Only a name that ends in `.br` shows brotli. JSON that is
 * not one value a line is put so. The members of a zip follow each other, each as a separate file.
 * @throws CliError the file is cut off or damaged, or has a form that holds no text
 */
export async function* plainBytes(file: string): AsyncGenerator<Buffer> {
  const open: OpenBytes = () => createReadStream(file, { highWaterMark: PIECE_BYTES });
  if (kindOf(await beginningOf(open)) === 'zip') yield* zipMembers(file, (member, name) => textOf(member, name));
  else yield* textOf(open, file);
}

async function* textOf(open: OpenBytes, name: string, layers = 0): AsyncGenerator<Buffer> {
  const beginning = await beginningOf(open);
  const kind = kindOf(beginning);
  if (kind === 'gzip' && layers < MAX_LAYERS)
    return yield* textOf(() => decompressed(open, name, createGunzip({ chunkSize: PIECE_BYTES })), name, layers + 1);
  if (layers === 0 && name.endsWith('.br'))
    return yield* textOf(() => decompressed(open, name, createBrotliDecompress({ chunkSize: PIECE_BYTES })), name, 1);
  if (kind !== undefined) throw new CliError(`${name} is ${FOREIGN[kind]}`);
  yield* isJsonDocument(beginning) ? onePerLine(open()) : open();
}

async function* decompressed(open: OpenBytes, name: string, plain: Transform): AsyncGenerator<Buffer> {
  const reading = pipeline(open(), plain);
  reading.catch(() => {}); // the loop below also fails
  try {
    yield* plain as AsyncIterable<Buffer>;
  } catch (error) {
    if (!/^Z_|^ERR_/.test((error as NodeJS.ErrnoException).code ?? '')) throw error;
    throw new CliError(`${name}: failed to decompress: ${(error as Error).message}`);
  }
}

async function beginningOf(open: OpenBytes): Promise<Buffer> {
  for await (const chunk of open()) return chunk;
  return Buffer.alloc(0);
}

type Kind = keyof typeof FOREIGN;

/** The words in which a command refuses a file, by its kind. */
const FOREIGN = {
  gzip: 'compressed by gzip more than 3 times: decompress it first',
  zip: 'a zip within a zip: unpack it first',
  zstd: 'compressed by zstd: decompress it first, or use gzip',
  bzip2: 'compressed by bzip2: decompress it first, or use gzip',
  xz: 'compressed by xz: decompress it first, or use gzip',
  lz4: 'compressed by lz4: decompress it first, or use gzip',
  tar: 'a tar archive: unpack it, and import its files',
  parquet: 'a Parquet file: export it as NDJSON or CSV',
  avro: 'an Avro file: export it as NDJSON or CSV',
  utf16: 'UTF-16: save it as UTF-8',
} as const;

/** Where the bytes stand that name the kind, in hex. */
const MAGIC: readonly (readonly [Kind, number, string])[] = [
  ['gzip', 0, '1f8b'],
  ['zip', 0, '504b0304'],
  ['zip', 0, '504b0506'],
  ['zstd', 0, '28b52ffd'],
  ['bzip2', 0, '425a68'],
  ['xz', 0, 'fd377a585a00'],
  ['lz4', 0, '04224d18'],
  ['tar', 257, '7573746172'],
  ['parquet', 0, '50415231'],
  ['avro', 0, '4f626a01'],
  ['utf16', 0, 'fffe'],
  ['utf16', 0, 'feff'],
];

/** @returns undefined: no other kind than text is known to begin so */
function kindOf(beginning: Buffer): Kind | undefined {
  return MAGIC.find(([, at, hex]) => beginning.toString('hex', at, at + hex.length / 2) === hex)?.[0];
}
