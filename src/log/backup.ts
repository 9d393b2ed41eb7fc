import { createHash, randomUUID } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { lstat, open, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import { BackupError, endLine, entriesOf, FORMAT, type Header, keyLine, positionOf, VERSION } from './backup-file.ts';
import { textOf } from './commit-codec.ts';
import { type CopySource, copyLog, digestOf, StreamDigests, upToEnd } from './copy.ts';
import type { EventLog, RecordedCommit } from './port.ts';

/** The totals of a backup. */
export interface BackedUp {
  readonly commits: number;
  readonly events: number;
  /** Keys of personal data. */
  readonly keys: number;
  /** The same as {@link Copied.hash} of a copy of the log. */
  readonly hash: string;
}

export interface BackupOptions {
  readonly from: CopySource;
  /** A file with this name must not exist. */
  readonly file: string;
  /** Every category of stream there is. */
  readonly categories: readonly string[];
  /** Milliseconds since 1970 UTC. */
  readonly now: number;
  readonly signal: AbortSignal;
  /** Called with the number of commits written so far, and about how many there are. */
  readonly onProgress: (done: number, total: number) => void;
}

/**
 * Writes the log and its keys into a file. The log is read up to its end at the start of the backup, or a little farther.
 * The file gets its name once it is complete and on the disk; until then it has another. Only its owner may read it.
 * @throws BackupError the file exists, or the log is empty, most likely by a wrong database or topic
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
    const digests = new StreamDigests();
    for await (const { commits } of upToEnd(from, categories, signal)) {
      for (const commit of commits) {
        digests.add(commit);
        done.events += commit.events.length;
        yield hashed(`${textOf(commit)}\n`);
      }
      onProgress(digests.commits, Math.max(total, digests.commits));
    }
    // Keys come after the commits: the key of every commit above was stored before the commit.
    for await (const key of from.keys.all()) {
      done.keys++;
      yield hashed(keyLine(key));
    }
    Object.assign(done, { commits: digests.commits, hash: digests.hash() });
    yield endLine({ ...done, lines: written.digest('hex') });
  }

  try {
    const output = createWriteStream(part, { flags: 'wx', mode: 0o600, flush: true });
    await pipeline(Readable.from(lines()), createGzip(), output, { signal });
    if (done.commits === 0) throw new BackupError(`the log is empty: ${file} was not written`);
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
  const existing = await lstat(file).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return null;
    throw error;
  });
  if (existing !== null) throw new BackupError(`${file} exists, and is not overwritten`);
}

/** Reads the totals at the end of a backup. @throws BackupError */
export async function totalsOf(file: string): Promise<BackedUp> {
  for await (const entry of entriesOf(file)) {
    if (!('end' in entry)) continue;
    const { commits, events, keys, hash } = entry.end;
    return { commits, events, keys, hash };
  }
  throw new BackupError(`${file} has no end`);
}

export interface RestoreOptions {
  readonly file: string;
  /** An empty log, or one with the beginning of the same backup. */
  readonly to: EventLog;
  /** Every category of stream there is. */
  readonly categories: readonly string[];
  readonly signal: AbortSignal;
  /** Called with the number of commits restored so far, and of all. */
  readonly onProgress: (done: number, total: number) => void;
}

/**
 * Restores the log from a backup. Checks the whole file before it writes. Resumes an interrupted restore.
 * @throws BackupError before it writes: the file is incomplete or altered, or the log holds commits or keys that the file
 * does not have
 */
export async function restore({ file, to, categories, signal, onProgress }: RestoreOptions): Promise<BackedUp> {
  const before = await digestOf(to, categories, signal);
  const checked = await check(file, before, signal);
  const foreign = [...before.names()].some((stream) => !checked.begun.has(stream));
  if (foreign || (await hasOtherKeys(to, checked.keys)))
    throw new BackupError(
      `the log has commits that ${file} lacks: restore into an installation that was never started (the first start of a service makes a demo owner, and that counts)`,
    );
  const { commits, events, hash } = checked;
  const copied = await copyLog({ from: sourceOf(file, checked), to, categories, signal, onProgress });
  if (copied.hash !== hash || copied.commits !== commits || copied.keys !== checked.keys.size)
    throw new BackupError(`the log differs from ${file}: the file was changed while it was read`);
  return { commits, events, keys: checked.keys.size, hash };
}

interface Checked {
  readonly commits: number;
  readonly events: number;
  readonly hash: string;
  /** The ids of the keys. */
  readonly keys: ReadonlySet<string>;
  /** Streams of the log that are the beginning of the file's stream of that name. */
  readonly begun: ReadonlySet<string>;
}

async function check(file: string, log: StreamDigests, signal: AbortSignal): Promise<Checked> {
  const digests = new StreamDigests();
  const keys = new Set<string>();
  const begun = new Set<string>();
  let events = 0;
  for await (const entry of entriesOf(file)) {
    signal.throwIfAborted();
    if ('commit' in entry) {
      if (log.endsAt(entry.commit.stream, digests.add(entry.commit))) begun.add(entry.commit.stream);
      events += entry.commit.events.length;
    } else if ('key' in entry) keys.add(entry.key.id);
    else {
      const declared = [entry.end.commits, entry.end.events, entry.end.keys, entry.end.hash];
      const found = [digests.commits, events, keys.size, digests.hash()];
      if (declared.join() !== found.join())
        throw new BackupError(`${file} does not hold what its end says: was it altered?`);
    }
  }
  return { commits: digests.commits, events, keys, begun, hash: digests.hash() };
}

async function hasOtherKeys(to: EventLog, ids: ReadonlySet<string>): Promise<boolean> {
  for await (const { id } of to.keys.all()) if (!ids.has(id)) return true;
  return false;
}

const BATCH = 1000;

/** Reads the file as a log of one partition. */
function sourceOf(file: string, { commits }: Checked): CopySource {
  async function* batches(): AsyncGenerator<RecordedCommit[]> {
    let batch: RecordedCommit[] = [];
    for await (const entry of entriesOf(file)) {
      if (!('commit' in entry)) continue;
      batch.push(entry.commit);
      if (batch.length < BATCH) continue;
      yield batch;
      batch = [];
    }
    if (batch.length > 0) yield batch;
  }
  return {
    engine: file,
    keys: {
      async *all() {
        for await (const entry of entriesOf(file)) if ('key' in entry) yield entry.key;
      },
    },
    // The header is the first line, so the last commit is in line `commits + 1`.
    endCursor: async () => new Map(commits === 0 ? [] : [[0, positionOf(commits + 1)]]),
    lag: async () => ({ commits, seconds: 0 }),
    async *subscribe({ signal }) {
      for await (const batch of batches()) {
        if (signal.aborted) return;
        yield { partition: 0, commits: batch, last: batch.at(-1)!.position };
      }
    },
  };
}
