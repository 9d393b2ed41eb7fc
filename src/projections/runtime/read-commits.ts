import { setImmediate as tick } from 'node:timers/promises';
import { keyIdsOf, openEvent } from '../../domain/intake/personal.ts';
import { isKnownType, readEvent } from '../../domain/ledger-events.ts';
import type { Batch, Keyring, RecordedCommit } from '../../log/port.ts';
import { keyOf } from '../../log/stream-name.ts';
import type { ReadCommit, ReadModel } from '../read-model.ts';

/**
 * Opens commits as the read model's `apply` takes them. An event of an unknown type is an error: a newer program wrote it,
 * perhaps for this read model.
 *
 * Asks for the keys each time. An erasure forgets a key before the erasure is in the log. A projector that has read the
 * erasure, or a later commit, must not use a remembered key: the rows would hold data that a rebuild cannot make again.
 * @throws UnreadableEventError
 * @throws LogUnavailableError the keyring does not answer. That says nothing about the commits
 */
export async function readCommits(
  model: Pick<ReadModel, 'events' | 'personal'>,
  commits: readonly RecordedCommit[],
  keyring: Pick<Keyring, 'find'>,
): Promise<ReadCommit[]> {
  const wanted: ReadonlySet<string> = new Set(model.events);
  const read = commits.map((commit) => ({
    ...commit,
    events: commit.events.filter(({ type }) => wanted.has(type) || !isKnownType(type)).map(readEvent),
  }));
  if (model.personal !== true) return read;
  const ids = new Set(read.flatMap(({ events }) => events.flatMap(keyIdsOf)));
  const keys = await keyring.find([...ids]);
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

/** Opening takes most of a rebuild's time. It works in short slices while the database writes the commits before. */
const AT_ONCE_MS = 1;

/**
 * Bounds how much a projector holds at once (the part that it writes, and the next one), and for how long: 1,000 commits
 * can hold a million items. A rebuild in parts of 5,000 items took a fifth more processor time; one in parts of 40,000 took
 * a tenth more (garbage).
 */
const MAX_ITEMS = 15_000;

/**
 * Cuts a batch into parts of about 15,000 items, in order. A commit is never cut. The last part ends where the batch
 * does.
 */
export function* parts({ partition, commits, last }: Batch): Generator<Batch> {
  let part: RecordedCommit[] = [];
  let items = 0;
  for (const [i, commit] of commits.entries()) {
    part.push(commit);
    items += itemsOf(commit);
    if (items < MAX_ITEMS || i === commits.length - 1) continue;
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
 * Asks for the next item while the consumer works on the present one, if `wanted` returns true for the present one. Then
 * reading and writing overlap, at the price of two items held at once.
 * @param stop ends the items: else an item that was asked for and is no longer wanted would be waited for
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
