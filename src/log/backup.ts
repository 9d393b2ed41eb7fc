import { createHash, randomUUID } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { lstat, open, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import { BackupError, endLine, FORMAT, type Header, keyLine, VERSION } from './backup-file.ts';
import { type CopySource, Digests, textOf, upToHead } from './copy.ts';

/** What a backup holds. */
export interface BackedUp {
  readonly commits: number;
  readonly events: number;
  /** Keys of personal data. */
  readonly keys: number;
  /** As a copy of the log has it (copy.ts). */
  readonly hash: string;
}

export interface BackupOptions {
  readonly from: CopySource;
  /** Must not exist. */
  readonly file: string;
  /** Every category of stream there is. */
  readonly categories: readonly string[];
  /** Milliseconds since 1970 UTC. */
  readonly now: number;
  readonly signal: AbortSignal;
  /** Commits that the file has so far, of about how many. */
  readonly onProgress: (done: number, total: number) => void;
}

/**
 * Writes the log, up to its end at the start or a little farther, and its keys into a file. The file is written under another
 * name and renamed when it is whole and on the disk. Only its owner may read it.
 * @throws BackupError the file exists
 */
export async function backUp({ from, file, categories, now, signal, onProgress }: BackupOptions): Promise<BackedUp> {
  await refuseExisting(file);
  const part = `${file}.${randomUUID()}.part`;
  const done = { commits: 0, events: 0, keys: 0, hash: '' };
  const written = createHash('sha256');
  const hashed = (line: string): string => {
    written.update(line);
    return line;
  };

  async function* lines(): AsyncGenerator<string> {
    const header: Header = { format: FORMAT, version: VERSION, engine: from.engine, made: new Date(now).toISOString() };
    yield hashed(`${JSON.stringify(header)}\n`);
    const total = (await from.lag(new Map())).commits;
    const digests = new Digests();
    for await (const { commits } of upToHead(from, categories, signal)) {
      for (const commit of commits) {
        digests.add(commit);
        done.events += commit.events.length;
        yield hashed(`${textOf(commit)}\n`);
      }
      onProgress(digests.commits, Math.max(total, digests.commits));
    }
    // After the commits: what seals one was there before it.
    for await (const key of from.keys.all()) {
      done.keys++;
      yield hashed(keyLine(key));
    }
    Object.assign(done, { commits: digests.commits, hash: digests.hash() });
    yield endLine({ ...done, lines: written.digest('hex') });
  }

  try {
    const place = createWriteStream(part, { flags: 'wx', mode: 0o600, flush: true });
    await pipeline(Readable.from(lines()), createGzip(), place, { signal });
    await refuseExisting(file);
    await rename(part, file);
  } finally {
    await rm(part, { force: true });
  }
  const folder = await open(dirname(file));
  await folder.sync().finally(() => folder.close());
  return done;
}

async function refuseExisting(file: string): Promise<void> {
  const there = await lstat(file).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return null;
    throw error;
  });
  if (there !== null) throw new BackupError(`${file} exists, and is not overwritten`);
}
