import { setImmediate as tick } from 'node:timers/promises';
import { keyIdsOf, openEvent } from '../../domain/intake/personal.ts';
import { isKnownType, readEvent } from '../../domain/ledger-events.ts';
import type { Batch, Keyring, RecordedCommit } from '../../log/port.ts';
import { keyOf } from '../../log/stream-name.ts';
import type { ReadCommit, ReadModel } from '../read-model.ts';

/**
 * Reads the events of commits that the read model's `apply` takes, and decrypts their personal data. An event of an unknown
 * type is an error: a newer program wrote it, perhaps for this read model.
 *
 * Reads the keys from the keyring each time. An erasure deletes a key before the log has the erasure. So a projector must not
 * use a remembered key: after the erasure its rows would hold data that a rebuild cannot make again.
 * @param keyring null: personal fields and secrets are left out, also secrets that an old log has in clear
 * @throws UnreadableEventError
 * @throws LogUnavailableError the keyring does not answer; the commits may be readable
 */
export async function readCommits(
  model: Pick<ReadModel, 'events' | 'personal'>,
  commits: readonly RecordedCommit[],
  keyring: Pick<Keyring, 'find'> | null,
): Promise<ReadCommit[]> {
  const wanted: ReadonlySet<string> = new Set(model.events);
  const read = commits.map((commit) => ({
    ...commit,
    events: commit.events.filter(({ type }) => wanted.has(type) || !isKnownType(type)).map(readEvent),
  }));
  if (model.personal !== true) return read;
  const ids = new Set(read.flatMap(({ events }) => events.flatMap(keyIdsOf)));
  const keys = (await keyring?.find([...ids])) ?? null;
  const opened: ReadCommit[] = [];
  let begun = performance.now();
  for (const commit of read) {
    if (performance.now() - begun > AT_ONCE_MS) {
      await tick();
      begun = performance.now();
    }
    opened.push({ ...commit, events: commit.events.map((event) => openEvent(event, keyOf(commit.stream), keys)) });
  }
  return opened;
}

/** The most commits of a batch. In 1,000 single events, the statements that each batch takes were a third of the work. */
export const MAX_COMMITS = 5000;

/** Decryption takes most of a rebuild's time. It runs in short slices, while the database writes the commits before. */
const AT_ONCE_MS = 1;

/**
 * Limits the memory of a projector, which holds the part that it writes and the next part: 1,000 commits can have a million
 * items. A rebuild in parts of 5,000 items took a fifth more processor time. In parts of 40,000 items it took a tenth more,
 * because of garbage collection.
 */
const MAX_ITEMS = 15_000;

/**
 * Cuts a batch into parts of about 15,000 items, in order. A commit is never cut. The last part ends where the batch
 * does.
 * @param most a lower number of items, asked for again with each commit
 */
export function* parts({ partition, commits, last }: Batch, most = (): number => MAX_ITEMS): Generator<Batch> {
  let part: RecordedCommit[] = [];
  let items = 0;
  for (const [i, commit] of commits.entries()) {
    part.push(commit);
    items += itemsOf(commit);
    if (items < Math.min(MAX_ITEMS, most()) || i === commits.length - 1) continue;
    yield { partition, commits: part, last: commit.position };
    part = [];
    items = 0;
  }
  yield { partition, commits: part, last };
}

/** The number of items in the events of a commit. Their data is not checked yet, so their shape is not known. */
export function itemsOf({ events }: Pick<RecordedCommit, 'events'>): number {
  let count = 0;
  for (const { data } of events) {
    const items = typeof data === 'object' && data !== null && 'items' in data ? data.items : undefined;
    count += Array.isArray(items) ? items.length : 1;
  }
  return count;
}

/**
 * Requests the next item while the consumer works on the present item, if `wanted(present)` is true. So reading and writing
 * overlap, and two items are in memory.
 * @param stop ends `items`, so that an early end does not wait for an item that it has requested
 */
export async function* ahead<T>(
  items: AsyncIterable<T>,
  wanted: (present: T) => boolean,
  stop: () => void,
): AsyncGenerator<T> {
  const iterator = items[Symbol.asyncIterator]();
  let asked: Promise<IteratorResult<T>> | null = null;
  try {
    for (;;) {
      const { done, value }: IteratorResult<T> = await (asked ?? iterator.next());
      if (done) return;
      asked = wanted(value) ? iterator.next() : null;
      asked?.catch(() => {}); // the next tick of the loop throws it
      yield value;
    }
  } finally {
    stop();
    await iterator.return?.();
  }
}
