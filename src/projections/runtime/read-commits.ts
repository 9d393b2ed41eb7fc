import { isKnownType, readEvent } from '../../domain/events.ts';
import type { RecordedCommit } from '../../log/port.ts';
import type { ReadCommit, ReadModel } from '../read-model.ts';

/**
 * The commits as the read model's `apply` takes them. An event of a type that nobody here knows is not passed over: a
 * newer version wrote it, and perhaps for this read model.
 * @throws UnreadableEventError
 */
export function readCommits(model: Pick<ReadModel, 'events'>, commits: readonly RecordedCommit[]): ReadCommit[] {
  const wanted: ReadonlySet<string> = new Set(model.events);
  return commits.map((commit) => ({
    ...commit,
    events: commit.events.filter(({ type }) => wanted.has(type) || !isKnownType(type)).map(readEvent),
  }));
}
