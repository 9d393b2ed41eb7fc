import { setImmediate as turn } from 'node:timers/promises';
import { isKnownType, readEvent } from '../../domain/events.ts';
import { keyIdsOf, openEvent } from '../../domain/intake/personal.ts';
import type { Keyring, RecordedCommit } from '../../log/port.ts';
import { keyOf } from '../../log/stream-name.ts';
import type { ReadCommit, ReadModel } from '../read-model.ts';

/**
 * The commits as the read model's `apply` takes them. An event of a type that nobody here knows is not passed over: a
 * newer version wrote it, and perhaps for this read model.
 *
 * Keys are asked for anew each time. An erasure forgets them before it is in the log: whoever has read it, or what follows
 * it, must not open anything with a key remembered from before, or the rows would hold what a rebuild cannot make again.
 * @throws UnreadableEventError
 * @throws LogUnavailableError the keyring cannot be asked, which says nothing of the commits
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
      await turn();
      begun = performance.now();
    }
    opened.push({ ...commit, events: commit.events.map((event) => openEvent(event, keyOf(commit.stream), keys)) });
  }
  return opened;
}

/** To open takes the most of a rebuild: in short goes, it is done while the database writes the commits before these. */
const AT_ONCE_MS = 1;
