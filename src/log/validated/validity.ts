import { COMMAND_MEMORY_MS, EMPTY_STREAM, type RecordedCommit, type StreamHead } from '../port.ts';
import { canonicalUuid, type Reading } from './record.ts';

/**
 * Validate on read. The store appends whatever it is given, so the log holds records that lost a race and records that were
 * stored twice; which of them count is decided here, by what lies before them in their partition and nothing else. Every
 * process that reads the same partition comes to the same verdicts, now and in a rebuild.
 *
 * - malformed: not a commit in the place where its key belongs.
 * - repeated: its command id or its commit id is that of an earlier valid commit: of an exact stream whenever that was,
 *   of an *any* stream within {@link COMMAND_MEMORY_MS} by the commits' own times.
 * - conflict: on an exact stream, it does not continue the head that the earlier valid commits have left.
 *
 * Void records leave nothing behind: a command that lost a race may be sent again.
 */
export type VoidReason = 'malformed' | 'repeated' | 'conflict';

export type Verdict =
  | { readonly offset: number; readonly commit: RecordedCommit; readonly body: string; readonly void: null }
  | { readonly offset: number; readonly void: VoidReason; readonly detail: string };

/** Where an id was seen in a partition. */
export interface Sighting {
  readonly commitId: string;
  readonly offset: number;
  readonly at: number;
  readonly exact: boolean;
}

/** What the partition so far has left behind, as far as the records to be validated may ask for it. Ids in canonical form. */
export interface Known {
  readonly heads: ReadonlyMap<string, StreamHead>;
  readonly commits: ReadonlyMap<string, Sighting>;
  readonly commands: ReadonlyMap<string, Sighting>;
  /** Sightings on *any* streams older than this are forgotten. */
  readonly memoryFrom: number;
}

export interface Validation {
  readonly verdicts: readonly Verdict[];
  readonly known: Known;
  /** What was seen on *any* streams before these records and before this time is forgotten; null: nothing is. */
  readonly forget: number | null;
}

export const NOTHING_KNOWN: Known = { heads: new Map(), commits: new Map(), commands: new Map(), memoryFrom: 0 };

/** Validates records of one partition in their order. */
export function validate(before: Known, readings: readonly Reading[]): Validation {
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

    const earlier = recall(commands, commandId, commit.at) ?? recall(commits, id, commit.at);
    if (earlier !== undefined) return { offset, void: 'repeated', detail: `of offset ${earlier.offset}` };

    const exact = commit.revision !== null && commit.hash !== null;
    if (exact) {
      const head = heads.get(commit.stream) ?? EMPTY_STREAM;
      if (commit.revision !== head.revision + 1 || commit.prev !== head.hash)
        return { offset, void: 'conflict', detail: `revision ${commit.revision} after ${head.revision}` };
      heads.set(commit.stream, { revision: commit.revision, hash: commit.hash });
    }

    // The log's own times decide what is forgotten. If the indexer decided, a rebuild could validate otherwise.
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
  return { verdicts, known: { heads, commits, commands, memoryFrom }, forget };
}

function recall(seen: ReadonlyMap<string, Sighting>, id: string | undefined, at: number): Sighting | undefined {
  const sighting = id === undefined ? undefined : seen.get(id);
  if (sighting === undefined) return undefined;
  return sighting.exact || sighting.at > at - COMMAND_MEMORY_MS ? sighting : undefined;
}

/** Beyond the memory, for writers whose clocks differ. */
const MARGIN_MS = 60 * 60 * 1000;
/** Forgetting goes in steps of so much: seldom, and little at a time. */
const STEP_MS = 60 * 1000;

function memoryHorizon(at: number): number {
  return Math.floor((at - COMMAND_MEMORY_MS - MARGIN_MS) / STEP_MS) * STEP_MS;
}
