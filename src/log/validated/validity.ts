import { COMMAND_MEMORY_MS, EMPTY_STREAM, type RecordedCommit, type StreamHead } from '../port.ts';
import { canonicalUuid, type Reading } from './record.ts';

/**
 * Validate on read. The store appends every record, so the log holds records that lost a race and records that were stored
 * twice. This file decides which records are valid, by the earlier records of their partition and nothing else. So every OS
 * process that reads the partition comes to the same verdicts, now and in a rebuild.
 *
 * A record is void if it is
 * - malformed: it is no commit, or is not in the partition of its key;
 * - repeated: an earlier valid commit has its command id or its commit id. A commit of an exact stream counts forever, one
 *   of an *any* stream for {@link COMMAND_MEMORY_MS} by the commits' own times;
 * - conflict: it is of an exact stream, and does not continue the head that the earlier valid commits have left.
 *
 * A void record changes no head, and its ids are not remembered: a command that lost a race may be sent again.
 */
export type VoidReason = 'malformed' | 'repeated' | 'conflict';

export type Verdict =
  | { readonly offset: number; readonly commit: RecordedCommit; readonly body: string; readonly void: null }
  | { readonly offset: number; readonly void: VoidReason; readonly detail: string };

/** The valid commit of a partition that has an id. */
export interface Sighting {
  readonly commitId: string;
  readonly offset: number;
  readonly at: number;
  readonly exact: boolean;
}

/** The state of a partition after its earlier records: heads and ids that the next records refer to. Ids in canonical form. */
export interface PartitionState {
  readonly heads: ReadonlyMap<string, StreamHead>;
  readonly commits: ReadonlyMap<string, Sighting>;
  readonly commands: ReadonlyMap<string, Sighting>;
  /** Ids of *any* streams older than this are forgotten. Milliseconds since 1970 UTC. */
  readonly memoryFrom: number;
}

export interface Validation {
  readonly verdicts: readonly Verdict[];
  /** The state of the partition after these records. */
  readonly state: PartitionState;
  /** The index forgets ids of *any* streams that earlier records left before this time; null: it forgets none. */
  readonly forget: number | null;
}

export const EMPTY_PARTITION: PartitionState = {
  heads: new Map(),
  commits: new Map(),
  commands: new Map(),
  memoryFrom: 0,
};

/** Validates records of one partition in their order. */
export function validate(before: PartitionState, readings: readonly Reading[]): Validation {
  const heads = new Map(before.heads);
  const commits = new Map(before.commits);
  const commands = new Map(before.commands);
  let memoryFrom = before.memoryFrom;
  let forget: number | null = null;

  const verdicts = readings.map((reading): Verdict => {
    if ('malformed' in reading) return { offset: reading.offset, void: 'malformed', detail: reading.malformed };
    const { offset, commit, body } = reading;
    const id = canonicalUuid(commit.id)!;
    const commandId = commit.command === undefined ? undefined : canonicalUuid(commit.command.id);

    const earlier = earlierCommit(commands, commandId, commit.at) ?? earlierCommit(commits, id, commit.at);
    if (earlier !== undefined) return { offset, void: 'repeated', detail: `of offset ${earlier.offset}` };

    const exact = commit.revision !== null && commit.hash !== null;
    if (exact) {
      const head = heads.get(commit.stream) ?? EMPTY_STREAM;
      if (commit.revision !== head.revision + 1 || commit.prev !== head.hash)
        return { offset, void: 'conflict', detail: `revision ${commit.revision} after ${head.revision}` };
      heads.set(commit.stream, { revision: commit.revision, hash: commit.hash });
    }

    // The commits' own times decide which ids are forgotten. By the indexer's clock a rebuild could come to other verdicts.
    const horizon = memoryHorizon(commit.at);
    if (horizon !== memoryFrom) {
      memoryFrom = horizon;
      forget = Math.max(forget ?? horizon, horizon);
      for (const seen of [commits, commands])
        for (const [key, { exact, at }] of seen) if (!exact && at < horizon) seen.delete(key);
    }
    const sighting: Sighting = { commitId: id, offset, at: commit.at, exact };
    commits.set(id, sighting);
    if (commandId !== undefined) commands.set(commandId, sighting);
    return { offset, commit, body, void: null };
  });
  return { verdicts, state: { heads, commits, commands, memoryFrom }, forget };
}

function earlierCommit(seen: ReadonlyMap<string, Sighting>, id: string | undefined, at: number): Sighting | undefined {
  const sighting = id === undefined ? undefined : seen.get(id);
  if (sighting === undefined) return undefined;
  return sighting.exact || sighting.at > at - COMMAND_MEMORY_MS ? sighting : undefined;
}

/** Ids are kept for this long beyond {@link COMMAND_MEMORY_MS}, since writers' clocks differ. */
const MARGIN_MS = 60 * 60 * 1000;
/** Ids are forgotten in steps of this length, so that an indexer deletes seldom, and few at a time. */
const STEP_MS = 60 * 1000;

function memoryHorizon(at: number): number {
  return Math.floor((at - COMMAND_MEMORY_MS - MARGIN_MS) / STEP_MS) * STEP_MS;
}
