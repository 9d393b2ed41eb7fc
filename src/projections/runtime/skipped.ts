import { deadLetterSkipped } from '../../domain/operations/dead-letters.ts';
import { projectionStream } from '../../domain/streams.ts';
import type { EventLog } from '../../log/port.ts';

/** The ids of commits that the read model goes on without, as operators decided: they are in the log, so a replay knows too. */
export async function skippedCommits(log: EventLog, name: string): Promise<ReadonlySet<string>> {
  const { commits } = await log.read(projectionStream(name));
  const skipped = commits
    .flatMap(({ events }) => events)
    .filter(({ type }) => type === deadLetterSkipped.type)
    .map((event) => deadLetterSkipped.read(event).data.commit_id);
  return new Set(skipped);
}
