import { createHash } from 'node:crypto';
import { encodeCommit } from './commit-codec.ts';
import {
  type Batch,
  type DataKey,
  type EventLog,
  hasPassedAll,
  type Keyring,
  type Position,
  type RecordedCommit,
} from './port.ts';

/** What was copied. */
export interface Copied {
  readonly commits: number;
  readonly streams: number;
  /** Keys of personal data. */
  readonly keys: number;
  /** Hex SHA-256 over every stream's name and commits: the same of both logs. */
  readonly hash: string;
}

/** The other log cannot be, or has not become, a copy of the first. */
export class CopyError extends Error {
  override readonly name = 'CopyError';
}

/** What a copy needs of the log that is copied: another engine's, or one in a file. */
export interface CopySource extends Pick<EventLog, 'engine' | 'endCursor' | 'lag' | 'subscribe'> {
  readonly keys: Pick<Keyring, 'all'>;
}

export interface CopyOptions {
  readonly from: CopySource;
  readonly to: EventLog;
  /** Every category of stream there is. */
  readonly categories: readonly string[];
  readonly signal: AbortSignal;
  /** Commits that the copy has so far, of about how many. */
  readonly onProgress: (done: number, total: number) => void;
}

/** Commits that are appended at once: one group on every engine, and a group keeps their order. */
const WINDOW = 200;
const WINDOW_BYTES = 512 << 10;
const KEYS_AT_ONCE = 1000;

/**
 * Copies a log into another that is empty, or holds the beginning of the same: commit by commit in the order of each
 * partition, the stored text unchanged, so that hash chains stay as they were. The commits of the other log are compared before
 * anything is written. So a copy resumes after an interruption or after the log has grown, and a copy in the wrong direction
 * changes nothing. Then the other log is read from its beginning and compared stream by stream. Keys are copied
 * before the commits, which no reader could open without them, and after them once more: users may have come, or been forgotten.
 * @throws CopyError
 */
export async function copyLog(options: CopyOptions): Promise<Copied> {
  const { from, to, categories, signal, onProgress } = options;
  const there = await digestOf(to, categories, signal);
  await refuseOther(options, there);
  const put = await putKeys(from, to, new Set());
  const own = new StreamDigests();
  const total = (await from.lag(new Map())).commits;
  for await (const batch of upToHead(from, categories, signal)) {
    const missing = batch.commits.filter((commit) => own.add(commit).commits > (there.of(commit.stream)?.commits ?? 0));
    for (const window of windows(missing)) await append(to, window);
    onProgress(own.commits, Math.max(total, own.commits));
  }
  const copied = await digestOf(to, categories, signal);
  const differing = own.differences(copied);
  if (differing.length > 0)
    throw new CopyError(`${to.engine} does not hold what ${from.engine} does in ${differing.slice(0, 5).join(', ')}`);
  const ids = await putKeys(from, to, put);
  await forgetOthers(from, to, ids);
  return { commits: own.commits, streams: own.streams, keys: ids.size, hash: own.hash() };
}

/** @throws CopyError the log has what the one that is copied has not, or has otherwise */
async function refuseOther({ from, to, categories, signal }: CopyOptions, there: StreamDigests): Promise<void> {
  if (there.commits === 0) return;
  const own = new StreamDigests();
  const begun = new Set<string>();
  for await (const { commits } of upToHead(from, categories, signal))
    for (const commit of commits) if (there.endsAt(commit.stream, own.add(commit))) begun.add(commit.stream);
  const other = [...there.names()].filter((stream) => !begun.has(stream)).sort();
  if (other.length === 0) return;
  const which = other.slice(0, 5).join(', ');
  throw new CopyError(
    `${to.engine} is not a copy of ${from.engine}, which has not, or has otherwise, ${which}; nothing was changed`,
  );
}

/** A stream as far as it was read. */
interface Digest {
  commits: number;
  hash: string;
}

/** Every stream's commits, hashed one after the other. */
export class StreamDigests {
  readonly #streams = new Map<string, Digest>();
  commits = 0;

  add(commit: RecordedCommit): Digest {
    const digest = this.#streams.get(commit.stream) ?? { commits: 0, hash: '' };
    this.#streams.set(commit.stream, digest);
    digest.commits++;
    digest.hash = createHash('sha256').update(digest.hash).update(textOf(commit)).digest('hex');
    this.commits++;
    return digest;
  }

  names(): Iterable<string> {
    return this.#streams.keys();
  }

  get streams(): number {
    return this.#streams.size;
  }

  of(stream: string): Digest | undefined {
    return this.#streams.get(stream);
  }

  /** Whether the stream is here just so far as the digest is of, and the same. */
  endsAt(stream: string, { commits, hash }: Digest): boolean {
    const own = this.of(stream);
    return own?.commits === commits && own.hash === hash;
  }

  /** Streams that the other has otherwise, or not at all, or too much of. */
  differences(other: StreamDigests): string[] {
    const names = new Set([...this.#streams.keys(), ...other.#streams.keys()]);
    return [...names].filter((name) => this.of(name)?.hash !== other.of(name)?.hash).sort();
  }

  hash(): string {
    const all = createHash('sha256');
    for (const name of [...this.#streams.keys()].sort()) all.update(`${name} ${this.of(name)!.hash}\n`);
    return all.digest('hex');
  }
}

export async function digestOf(
  log: CopySource,
  categories: readonly string[],
  signal: AbortSignal,
): Promise<StreamDigests> {
  const digests = new StreamDigests();
  for await (const { commits } of upToHead(log, categories, signal)) for (const commit of commits) digests.add(commit);
  return digests;
}

/** The log from its beginning to where it ends now. */
export async function* upToHead(
  log: CopySource,
  categories: readonly string[],
  signal: AbortSignal,
): AsyncGenerator<Batch> {
  const head = await log.endCursor();
  const seen = new Map<number, Position>();
  if (hasPassedAll(seen, head)) return;
  const done = new AbortController();
  const batches = log.subscribe({ categories, after: seen, signal: AbortSignal.any([signal, done.signal]) });
  for await (const batch of batches) {
    seen.set(batch.partition, batch.last);
    yield batch;
    if (hasPassedAll(seen, head)) done.abort();
  }
  signal.throwIfAborted();
}

/** The text that the log stores of it. */
export function textOf(commit: RecordedCommit): string {
  return encodeCommit({ ...commit, expected: expectedOf(commit) });
}

function expectedOf({ revision, prev }: RecordedCommit): { revision: number; hash: string } | 'any' {
  return revision === null ? 'any' : { revision: revision - 1, hash: prev! };
}

/**
 * In order. Exact and other streams never together, nor commits with a command and without, since an engine may take those
 * of a group one kind after the other; of an exact stream one commit, since an engine may compare it with the head before
 * it has taken the one before.
 */
function* windows(commits: readonly RecordedCommit[]): Generator<RecordedCommit[]> {
  let window: RecordedCommit[] = [];
  let bytes = 0;
  const exact = new Set<string>();
  for (const commit of commits) {
    const size = textOf(commit).length;
    const otherKind = window[0] !== undefined && kindOf(window[0]) !== kindOf(commit);
    if (otherKind || exact.has(commit.stream) || window.length === WINDOW || bytes + size > WINDOW_BYTES) {
      if (window.length > 0) yield window;
      window = [];
      bytes = 0;
      exact.clear();
    }
    window.push(commit);
    bytes += size;
    if (commit.revision !== null) exact.add(commit.stream);
  }
  if (window.length > 0) yield window;
}

function kindOf({ revision, command }: RecordedCommit): 'exact' | 'with command' | 'any' {
  if (revision !== null) return 'exact';
  return command === undefined ? 'any' : 'with command';
}

async function append(to: EventLog, window: readonly RecordedCommit[]): Promise<void> {
  const appended = await Promise.all(
    window.map(({ id, stream, at, events, command, keyId, causation, ...rest }) => {
      const commit = { id, stream, at, events, command, keyId, causation };
      return to.append({ ...commit, expected: expectedOf({ ...commit, ...rest }) }, { unseen: true });
    }),
  );
  appended.forEach(({ repeated }, i) => {
    if (repeated !== null && repeated.id !== window[i]!.id)
      throw new CopyError(`${to.engine} takes commit ${window[i]!.id} for a repeat of ${repeated.id}`);
  });
}

/** @param known those that were put there before @returns the ids of all there are */
async function putKeys(from: CopySource, to: EventLog, known: ReadonlySet<string>): Promise<Set<string>> {
  const ids = new Set<string>();
  let some: DataKey[] = [];
  for await (const key of from.keys.all()) {
    ids.add(key.id);
    if (!known.has(key.id)) some.push(key);
    if (some.length < KEYS_AT_ONCE) continue;
    await to.keys.put(some);
    some = [];
  }
  await to.keys.put(some);
  return ids;
}

/** What was forgotten here since an earlier copy is forgotten there, too. */
async function forgetOthers(from: CopySource, to: EventLog, ids: ReadonlySet<string>): Promise<void> {
  const forgotten = new Set<string>();
  for await (const { id, subject } of to.keys.all()) if (!ids.has(id)) forgotten.add(subject);
  if (forgotten.size === 0) return;
  for (const subject of forgotten) await to.keys.forget(subject);
  // A subject may have a new key since.
  for await (const key of from.keys.all()) if (forgotten.has(key.subject)) await to.keys.put([key]);
}
