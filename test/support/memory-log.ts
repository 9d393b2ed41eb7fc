import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { decodeCommit, encodeCommit, headAt, readDigest, textOf, verifyChain } from '../../src/log/commit-codec.ts';
import {
  type Appended,
  type Batch,
  BrokenChainError,
  COMMAND_MEMORY_MS,
  ConflictError,
  type Cursor,
  type DataKey,
  EMPTY_STREAM,
  type EventLog,
  hasPassed,
  type Keyring,
  LogUnavailableError,
  type NewCommit,
  type RecordedCommit,
  type StreamSlice,
} from '../../src/log/port.ts';
import { categoryOf, keyOf } from '../../src/log/stream-name.ts';

/** A log in memory that keeps every promise of the port (test/contract/memory.test.ts). */
export interface MemoryLog extends EventLog {
  /** The commits of each partition, in order. */
  readonly commits: readonly (readonly RecordedCommit[])[];
  /** Another handle on the same log, to be closed by itself. */
  open(): EventLog;
}

export function memoryLog(partitions = 1): MemoryLog {
  const commits: RecordedCommit[][] = Array.from({ length: partitions }, () => []);
  const streams = new Map<string, RecordedCommit[]>();
  const byId = new Map<string, RecordedCommit>();
  const byCommand = new Map<string, RecordedCommit>();
  const takenAt = new WeakMap<RecordedCommit, number>();
  const sleepers = new Set<() => void>();
  const keys = memoryKeyring();

  function append(commit: NewCommit): Appended {
    const repeated = repeatOf(commit);
    if (repeated !== undefined) return { position: repeated.position, head: headAt(repeated), repeated };
    const stream = streams.get(commit.stream) ?? [];
    if (commit.expected !== 'any') {
      const last = stream.at(-1);
      if ((last?.revision ?? 0) !== commit.expected.revision || (last?.hash ?? '') !== commit.expected.hash)
        throw new ConflictError(commit.stream, commit.expected.revision, last?.revision ?? 0);
    }
    const partition = partitionOfKey(keyOf(commit.stream), partitions);
    const ordinal = commits[partition]!.length + 1;
    const recorded = decodeCommit(encodeCommit(commit), `${partition}:${String(ordinal).padStart(9, '0')}`, ordinal);
    commits[partition]!.push(recorded);
    takenAt.set(recorded, performance.now());
    byId.set(recorded.id, recorded);
    if (recorded.command !== undefined) byCommand.set(recorded.command.id, recorded);
    if (recorded.revision !== null) streams.set(recorded.stream, [...stream, recorded]);
    for (const wake of sleepers) wake();
    sleepers.clear();
    return { position: recorded.position, head: headAt(recorded), repeated: null };
  }

  function repeatOf({ id, at, command }: NewCommit): RecordedCommit | undefined {
    return (command && holderOf(command.id, at)) ?? byId.get(id);
  }

  function holderOf(commandId: string, at: number): RecordedCommit | undefined {
    const known = byCommand.get(commandId);
    return known !== undefined && (known.revision !== null || known.at > at - COMMAND_MEMORY_MS) ? known : undefined;
  }

  function handle(): EventLog {
    let closed = false;
    return {
      engine: 'memory',
      partitions,
      partitionOf: (key) => partitionOfKey(key, partitions),
      keys,
      // Async, so that a refusal is a rejection as on a real engine.
      async append(commit) {
        if (closed) throw new LogUnavailableError('the log is closed');
        return append(commit);
      },
      findCommand: async (_stream, id, at) => holderOf(id, at) ?? null,

      async read(stream, from = EMPTY_STREAM, atMost = Number.MAX_SAFE_INTEGER): Promise<StreamSlice> {
        const all = streams.get(stream) ?? [];
        const rest = all.slice(from.revision, from.revision + atMost);
        const head = verifyChain(stream, from, rest);
        const last = all.at(-1);
        if (last !== undefined && rest.length < atMost && (head.revision !== last.revision || head.hash !== last.hash))
          throw new BrokenChainError(stream, last.revision!, `the stream ends at revision ${head.revision} instead`);
        return { head, commits: rest };
      },

      async streamHeads(asked) {
        const known = asked.filter((stream) => streams.has(stream));
        return new Map(known.map((stream) => [stream, headAt(streams.get(stream)!.at(-1)!)!]));
      },

      async *digests(options) {
        for await (const batch of this.subscribe(options))
          yield { ...batch, commits: batch.commits.map((commit) => readDigest(textOf(commit), commit.position)) };
      },

      async *subscribe({
        categories,
        after,
        partitions: wanted,
        without = [],
        maxCommits = 1000,
        signal,
      }): AsyncGenerator<Batch> {
        const isRead = (partition: number): boolean => wanted === undefined || wanted.has(partition);
        const cursor = new Map(after);
        while (!signal.aborted) {
          for (const [partition, all] of commits.entries()) {
            if (!isRead(partition)) continue;
            const page = unread(all, cursor).slice(0, maxCommits);
            const last = page.at(-1)?.position;
            if (last === undefined) continue;
            cursor.set(partition, last);
            const isWanted = ({ stream, events }: RecordedCommit): boolean =>
              categories.includes(categoryOf(stream)) && !(events.length === 1 && without.includes(events[0]!.type));
            yield { partition, last, commits: page.filter(isWanted) };
            if (signal.aborted) return;
          }
          if (commits.some((all, partition) => isRead(partition) && unread(all, cursor).length > 0)) continue;
          await new Promise<void>((resolve) => {
            sleepers.add(resolve);
            signal.addEventListener('abort', () => resolve(), { once: true });
          });
        }
      },

      grown() {
        const grown = new AbortController();
        sleepers.add(() => grown.abort());
        return grown.signal;
      },
      endCursor: async () =>
        new Map(commits.flatMap((all, partition) => (all.length === 0 ? [] : [[partition, all.at(-1)!.position]]))),
      async lag(after) {
        const behind = commits.flatMap((all) => unread(all, after));
        const ages = behind.map((commit) => performance.now() - takenAt.get(commit)!);
        return { commits: behind.length, seconds: Math.max(0, ...ages) / 1000 };
      },
      async *storedRecords() {
        for (const all of commits)
          yield all.map((commit) => ({ position: commit.position, commit, void: null, fault: null }));
      },
      async *indexedStreamHeads() {
        yield new Map([...streams].map(([stream, all]) => [stream, verifyChain(stream, EMPTY_STREAM, all)]));
      },
      ping: async () => {},
      async close() {
        closed = true;
      },
    };
  }

  return { ...handle(), commits, open: handle };
}

export function memoryKeyring(): Keyring {
  const keys = new Map<string, DataKey>();
  const keyOfSubject = (subject: string): DataKey => {
    const known = [...keys.values()].find((key) => key.subject === subject);
    if (known !== undefined) return known;
    const key = { id: randomUUID(), subject, secret: randomBytes(32) };
    keys.set(key.id, key);
    return key;
  };
  return {
    keysFor: async (subjects) => new Map(subjects.map((subject) => [subject, keyOfSubject(subject)])),
    find: async (ids) => new Map(ids.flatMap((id) => (keys.has(id) ? [[id, keys.get(id)!] as const] : []))),
    async forget(subject) {
      for (const [id, key] of keys) if (key.subject === subject) keys.delete(id);
    },
    async *all() {
      yield* [...keys.values()];
    },
    async put(given) {
      for (const key of given) keys.set(key.id, key);
    },
  };
}

function unread(all: readonly RecordedCommit[], cursor: Cursor): readonly RecordedCommit[] {
  return all.filter(({ position }) => !hasPassed(cursor, position));
}

function partitionOfKey(key: string, partitions: number): number {
  return createHash('sha256').update(key).digest().readUInt32BE() % partitions;
}
