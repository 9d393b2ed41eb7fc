import { open, rename, rm, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { Readable, type Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { CliError, OutputClosedError } from './command.ts';

/** @throws OutputClosedError */
export async function writeAll(
  parts: AsyncIterable<Uint8Array>,
  output: Writable,
  standardOutput: Writable,
): Promise<void> {
  let failure: unknown;
  output.once('error', (error) => {
    failure = error;
  });
  try {
    await pipeline(Readable.from(parts, { objectMode: false }), output, { end: output !== standardOutput });
  } catch (error) {
    const isClosed = error === failure && (error as NodeJS.ErrnoException).code === 'EPIPE';
    throw isClosed ? new OutputClosedError() : error;
  }
}

/**
 * Writes a temporary file (mode 0600) and renames it, so the target is complete or absent. What cannot be written fails
 * first.
 */
export async function intoFile<T>(file: string, fill: (output: Writable) => Promise<T>): Promise<T> {
  if (file === '') throw new CliError('--output names no file');
  const there = await stat(file).catch(() => null); // whatever is wrong with the name, opening it tells
  if (there !== null && !there.isFile()) throw new CliError(`--output ${file} is not a file`);
  const partial = `${file}.partial`;
  await rm(partial, { force: true });
  const handle = await open(partial, 'wx', 0o600).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') throw new CliError(`--output ${file}: there is no folder ${dirname(file)}`);
    throw error;
  });
  try {
    const filled = await fill(handle.createWriteStream({ flush: true }));
    await rename(partial, file);
    return filled;
  } catch (error) {
    await handle.close();
    await rm(partial, { force: true });
    throw error;
  }
}
