import { createHash } from 'node:crypto';
import { expectedOf, textOf } from './commit-codec.ts';
import {
  type Batch,
  type DataKey,
  type EventLog,
  hasPassedAll,
  type Keyring,
  type Position,
  type RecordedCommit,
} from './port.ts';

/** The totals of a copy. */
export interface Copied {
  readonly commits: number;
  readonly streams: number;
  /** Keys of personal data. */
  readonly keys: number;
  /** Hex SHA-256 over every stream's name and commits. Both logs have the same. */
  readonly hash: string;
}

/** The target is not a copy of the source: it holds another log, or the copy went wrong. */
class CopyError extends Error {
  override readonly name = 'CopyError';
}

/** The source of a copy: a log of another engine, or a backup file. */
export interface CopySource extends Pick<EventLog, 'engine' | 'endCursor' | 'lag' | 'subscribe'> {
  readonly keys: Pick<Keyring, 'all'>;
}

export interface CopyOptions {
  readonly from: CopySource;
  readonly to: EventLog;
  /** All categories of streams. */
  readonly categories: readonly string[];
  readonly signal: AbortSignal;
  /** Called with the number of commits copied so far, and about how many there are. */
  readonly onProgress: (done: number, total: number) => void;
}

/** Commits that are appended together. Every engine takes them as one group, and a group keeps their order. */
const WINDOW = 200;
const WINDOW_BYTES = 512 << 10;
const KEYS_AT_ONCE = 1000;

/**
 * Copies a log into a target that is empty or holds the beginning of the same log. Appends commit by commit in the order of
 * each partition, with the stored text unchanged, so that hash chains stay valid.
 *
 * Before it writes, it compares the target's commits with the source. So a copy resumes after an interruption or after the
 * source has grown, and a copy in the wrong direction changes nothing. At the end it reads the target from its beginning
 * and compares it with the source stream by stream.
 *
 * Keys are copied before the commits, since readers cannot open commits without them. They are copied again afterwards,
 * since users may have been added or forgotten during the copy.
 * @throws CopyError
 */
export async function copyLog(options: CopyOptions): Promise<Copied> {
  const { from, to, categories, signal, onProgress } = options;
  const before = await digestOf(to, categories, signal);
  await refuseOtherLog(options, before);
  const copiedKeys = await putKeys(from, to, new Set());
  const source = new StreamDigests();
  const total = (await from.lag(new Map())).commits;
  for await (const batch of upToEnd(from, categories, signal)) {
    const missing = batch.commits.filter(
      (commit) => source.add(commit).commits > (before.of(commit.stream)?.commits ?? 0),
    );
    for (const window of windows(missing)) await append(to, window);
    onProgress(source.commits, Math.max(total, source.commits));
  }
  const copied = await digestOf(to, categories, signal);
  const differing = source.differences(copied);
  if (differing.length > 0)
    throw new CopyError(`${to.engine} does not hold what ${from.engine} does in ${differing.slice(0, 5).join(', ')}`);
  const ids = await putKeys(from, to, copiedKeys);
  await forgetOthers(from, to, ids);
  return { commits: source.commits, streams: source.streams, keys: ids.size, hash: source.hash() };
}

/** @throws CopyError a stream of the target is not the beginning of the source's stream of that name */
async function refuseOtherLog({ from, to, categories, signal }: CopyOptions, target: StreamDigests): Promise<void> {
  if (target.commits === 0) return;
  const source = new StreamDigests();
  const begun = new Set<string>();
  for await (const { commits } of upToEnd(from, categories, signal))
    for (const commit of commits) if (target.endsAt(commit.stream, source.add(commit))) begun.add(commit.stream);
  const other = [...target.names()].filter((stream) => !begun.has(stream)).sort();
  if (other.length === 0) return;
  const which = other.slice(0, 5).join(', ');
  throw new CopyError(
    `${to.engine} is not a copy of ${from.engine}: ${which} differs there or is missing; nothing was changed`,
  );
}

/** The number of commits read of a stream, and a hash over them. */
interface Digest {
  commits: number;
  hash: string;
}

/** A digest of each stream. Each commit's text is hashed with the digest before it. */
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

  /** Whether the stream has exactly the commits of this digest. */
  endsAt(stream: string, { commits, hash }: Digest): boolean {
    const digest = this.of(stream);
    return digest?.commits === commits && digest.hash === hash;
  }

  /** Names of the streams that differ between the two logs. */
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
  for await (const { commits } of upToEnd(log, categories, signal)) for (const commit of commits) digests.add(commit);
  return digests;
}

/** Reads the log from its beginning to its present end. */
export async function* upToEnd(
  log: CopySource,
  categories: readonly string[],
  signal: AbortSignal,
): AsyncGenerator<Batch> {
  const end = await log.endCursor();
  const cursor = new Map<number, Position>();
  if (hasPassedAll(cursor, end)) return;
  const done = new AbortController();
  const batches = log.subscribe({ categories, after: cursor, signal: AbortSignal.any([signal, done.signal]) });
  for await (const batch of batches) {
    cursor.set(batch.partition, batch.last);
    yield batch;
    if (hasPassedAll(cursor, end)) done.abort();
  }
  signal.throwIfAborted();
}

/**
 * Cuts commits into groups, in order. A group holds commits of one kind: of exact streams, of *any* streams with a
 * command, or of *any* streams without, since an engine may append a group one kind after the other. It holds one
 * commit of each exact stream at most, since an engine may compare a commit with the head before it has appended the
 * previous commit.
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
    window.map(({ id, stream, at, events, command, keyId, causation, trace, nonce, ...rest }) => {
      const commit = { id, stream, at, events, command, keyId, causation, trace, nonce };
      return to.append({ ...commit, expected: expectedOf({ ...commit, ...rest }) }, { unseen: true });
    }),
  );
  appended.forEach(({ repeated }, i) => {
    if (repeated !== null && repeated.id !== window[i]!.id)
      throw new CopyError(`${to.engine} takes commit ${window[i]!.id} for a repeat of ${repeated.id}`);
  });
}

/**
 * Copies the keys.
 * @param copied ids of keys that were copied before
 * @returns the ids of all keys of the source
 */
async function putKeys(from: CopySource, to: EventLog, copied: ReadonlySet<string>): Promise<Set<string>> {
  const ids = new Set<string>();
  let page: DataKey[] = [];
  for await (const key of from.keys.all()) {
    ids.add(key.id);
    if (!copied.has(key.id)) page.push(key);
    if (page.length < KEYS_AT_ONCE) continue;
    await to.keys.put(page);
    page = [];
  }
  await to.keys.put(page);
  return ids;
}

/** Forgets the target's keys that the source no longer has: they were forgotten since an earlier copy. */
async function forgetOthers(from: CopySource, to: EventLog, ids: ReadonlySet<string>): Promise<void> {
  const forgotten = new Set<string>();
  for await (const { id, subject } of to.keys.all()) if (!ids.has(id)) forgotten.add(subject);
  if (forgotten.size === 0) return;
  for (const subject of forgotten) await to.keys.forget(subject);
  // `forget` takes all keys of a subject, and the subject may have a new one.
  for await (const key of from.keys.all()) if (forgotten.has(key.subject)) await to.keys.put([key]);
}
