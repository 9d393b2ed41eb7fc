import type { Decider, Decision } from '../domain/decider.ts';
import { Rejection } from '../domain/rejection.ts';
import type { Sources } from '../domain/sources.ts';
import { ConflictError, type EventLog, type NewCommit, type Position, type RecordedCommit } from '../log/port.ts';
import { load } from './load.ts';

/** What every command needs. */
export interface CommandContext {
  readonly log: EventLog;
  readonly sources: Sources;
}

/** Who asked, and what makes a repeat recognisable. */
export type CommandMeta = Pick<NewCommit, 'command' | 'keyId' | 'causation'>;

export interface Handled<Event> {
  /** What was appended, now or by the commit that is repeated; empty when the state was already as asked for. */
  readonly events: readonly Event[];
  /** Whoever has passed it sees the outcome; undefined: the stream is empty. */
  readonly position: Position | undefined;
  /** Set when the command was in the log before: the commit that holds it. Nothing was appended. */
  readonly repeated: RecordedCommit | null;
}

/**
 * Each round someone else's append wins, so a command loses as often as it has rivals at worst; beyond this many it is
 * told so rather than kept waiting.
 */
const MAX_ROUNDS = 50;

/**
 * Loads a stream, decides and appends on top of what was read; if another append came between, reads it and decides
 * again. `now` is the time of recording, milliseconds UTC.
 * @throws Rejection the decision was a refusal
 * @throws ConflictError the stream was never still
 * @throws LogUnavailableError, OutcomeUnknownError as `EventLog.append`
 */
export async function handle<State, Event>(
  { log, sources }: CommandContext,
  decider: Decider<State, Event>,
  stream: string,
  decide: (state: State, now: number) => Decision<Event>,
  meta: CommandMeta = {},
): Promise<Handled<Event>> {
  let loaded = await load(log, decider, stream);
  for (let round = 1; ; round++) {
    const at = sources.now();
    const decision = decide(loaded.state, at);
    if (decision instanceof Rejection) {
      // What was done once may no longer be possible: a repeat of it is answered as it was.
      const repeated = await repeatedBy(log, stream, meta, at);
      if (repeated === null) throw decision;
      return { events: repeated.events.map(decider.read), position: repeated.position, repeated };
    }
    if (decision.length === 0) return { events: [], position: loaded.position, repeated: null };
    const events = decision.map(decider.write);
    try {
      const commit = { id: sources.uuid(), stream, expected: loaded.head, at, events, ...meta };
      const { position, repeated } = await log.append(commit);
      return { events: repeated === null ? decision : repeated.events.map(decider.read), position, repeated };
    } catch (error) {
      if (!(error instanceof ConflictError) || round === MAX_ROUNDS) throw error;
    }
    loaded = await load(log, decider, stream, loaded);
  }
}

/** The commit that a command repeats, on its own stream. */
export async function repeatedBy(
  log: EventLog,
  stream: string,
  { command }: CommandMeta,
  at: number,
): Promise<RecordedCommit | null> {
  if (command === undefined) return null;
  const found = await log.findCommand(stream, command.id, at);
  return found?.stream === stream ? found : null;
}
