import { createHash } from 'node:crypto';
import { once } from 'node:events';
import type { WriteStream } from 'node:fs';
import { open } from 'node:fs/promises';
import { finished } from 'node:stream/promises';
import type { RefusedLine } from '../../commands/intake/import-events.ts';
import type { WaitForReadModels } from '../../commands/intake/import-pace.ts';
import { type CliContext, CliError } from '../command.ts';
import { csvRecords, isNdjson, wholeLines } from '../input-files.ts';

/** The parts that imports of files share. */

export function appliedIn(context: CliContext, category: string): WaitForReadModels {
  return (position) => context.applied({ category, position });
}

/** Refused lines that the answer names; --refused has all. */
const MAX_NAMED = 5;

/** A refused line, or a problem that was found after its line was taken: without a number. */
type Refusal = Omit<RefusedLine, 'line'> & { readonly line: number | null };

export interface Refusals {
  /** The first refused lines, for a person. */
  readonly named: readonly string[];
  readonly add: (refusal: Refusal) => Promise<void>;
  readonly close: () => Promise<void>;
}

/** @throws CliError a file of this name exists: it may be the input itself, or the refusals of an earlier call */
export async function openRefusals(path: string | undefined): Promise<Refusals> {
  const named: string[] = [];
  const report = path === undefined ? null : await newFile(path);
  return {
    named,
    async add({ line, problem, text }) {
      if (named.length < MAX_NAMED) named.push(line === null ? problem : `line ${line}: ${problem}`);
      if (report?.write(`${JSON.stringify({ line, problem, text })}\n`) === false) await once(report, 'drain');
    },
    async close() {
      if (report === null) return;
      report.end();
      await finished(report);
    },
  };
}

async function newFile(path: string): Promise<WriteStream> {
  try {
    return (await open(path, 'wx', 0o600)).createWriteStream();
  } catch (error) {
    const exists = (error as NodeJS.ErrnoException).code === 'EEXIST';
    throw new CliError(
      `--refused ${path}: ${exists ? 'the file exists, and is not overwritten' : (error as Error).message}`,
    );
  }
}

/**
 * Names the content of a file, compressed or not, and how it is read. Reads the whole file: a file that cannot be read to its
 * end is refused before anything of it is imported.
 * @throws CliError
 */
export async function fingerprint(path: string, reading: string): Promise<string> {
  const hash = createHash('sha256').update(reading);
  for await (const { bytes } of wholeLines(path)) hash.update(bytes);
  return hash.digest('hex').slice(0, 32);
}

/** @param required columns of a CSV file @throws CliError the file is no CSV after all */
export async function checkCsv(path: string, required: readonly string[]): Promise<void> {
  if (!(await isNdjson(path))) for await (const _ of csvRecords(path, required, () => {}));
}
