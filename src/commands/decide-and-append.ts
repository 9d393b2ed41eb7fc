import type { Decider, Decision } from '../domain/decider.ts';
import { Rejection } from '../domain/rejection.ts';
import type { Sources } from '../domain/sources.ts';
import {
  ConflictError,
  EMPTY_STREAM,
  type EventLog,
  type NewCommit,
  OutcomeUnknownError,
  type Position,
  type RecordedCommit,
  type StreamHead,
} from '../log/port.ts';

/** The dependencies of every command. */
export interface CommandContext {
  readonly log: EventLog;
  readonly sources: Sources;
}

/** The id that makes a repeat of a command recognisable, and the API key or event that caused the command. */
export type CommandMeta = Pick<NewCommit, 'command' | 'keyId' | 'causation'>;

/** The part of a stream that has been read. */
export interface Loaded<State> {
  readonly state: State;
  readonly head: StreamHead;
  /** Of the last commit that was read; undefined while the stream is empty. */
  readonly position: Position | undefined;
}

/** A copy of a stream in memory that concurrent callers share and read on in place. */
export type SharedCopy<State> = { -readonly [Key in keyof Loaded<State>]: Loaded<State>[Key] };

/** A stream of which nothing has been read. */
export function nothingLoaded<State>({ initialState }: { initialState(): State }): SharedCopy<State> {
  return { state: initialState(), head: EMPTY_STREAM, position: undefined };
}

/** Folds a commit into a shared copy, once and in order: concurrent reads may each bring it. */
export function foldNext<State, Event>(
  decider: Decider<State, Event>,
  copy: SharedCopy<State>,
  { revision, hash, events, position }: RecordedCommit,
): void {
  if (revision !== copy.head.revision + 1 || hash === null) return;
  copy.state = events.map(decider.read).reduce(decider.evolve, copy.state);
  copy.head = { revision, hash };
  copy.position = position;
}

/**
 * Reads a stream to its end and folds it. Reading continues after `from`, whose state may be changed in place.
 * @throws BrokenChainError, UnreadableEventError
 */
export async function load<State, Event>(
  log: EventLog,
  decider: Decider<State, Event>,
  stream: string,
  from: Loaded<State> = nothingLoaded(decider),
): Promise<Loaded<State>> {
  const { head, commits } = await log.read(stream, from.head);
  const events = commits.flatMap((commit) => commit.events.map(decider.read));
  return {
    state: events.reduce(decider.evolve, from.state),
    head,
    position: commits.at(-1)?.position ?? from.position,
  };
}

/** How a command differs from: read the stream, decide, append, and after a conflict read on and decide again. */
export interface DecideAndAppendOptions<State> extends CommandMeta {
  /**
   * Reads the stream to its end; `from` is the state that the attempt before read. Default: {@link load}. A cache reads
   * its own copy on.
   */
  readonly read?: (from: Loaded<State> | undefined) => Promise<Loaded<State>>;
  /** The first attempt decides on this and does not read. If the stream has grown since, the append is a conflict. */
  readonly known?: Loaded<State> | undefined;
  /** Fetches data that the decision needs; undefined: the decision lacks nothing. After it the stream is read again. */
  readonly prepare?: (state: State, now: number) => Promise<void> | undefined;
  /**
   * Called with the error of each failed attempt and the number of failures so far. It throws to give up, and returns to
   * try again: the stream is read again and the decision made again. Default: gives up on the 50th conflict, and on any
   * other error at once.
   */
  readonly onFailure?: (error: unknown, failures: number) => Promise<void> | void;
}

export interface CommandResult<Event> {
  /** The events that were appended, now or by the first request; empty if the state already was as requested. */
  readonly events: readonly Event[];
  /** A reader that has passed it sees the result; undefined: the stream is empty. */
  readonly position: Position | undefined;
  /** Where the stream ends with these events; null: a refused command repeats an earlier commit. */
  readonly head: StreamHead | null;
  /** The commit that already held the command; nothing was appended then. Null: the command is no repeat. */
  readonly repeated: RecordedCommit | null;
}

/**
 * In each attempt at least one rival wins, so a command loses at most as many attempts as it has rivals. After this many
 * conflicts the caller gets the error and waits no longer.
 */
const MAX_CONFLICTS = 50;

/**
 * Reads a stream, decides and appends on top of the head read. If another append came between, reads on and decides
 * again. `now` is the time of recording, milliseconds UTC. A decision without events appends nothing.
 * @throws Rejection the decision was a refusal, and the command is no repeat
 * @throws ConflictError other appends came between too often
 * @throws LogUnavailableError, OutcomeUnknownError as `EventLog.append`
 */
export async function decideAndAppend<State, Event>(
  { log, sources }: CommandContext,
  decider: Decider<State, Event>,
  stream: string,
  decide: (state: State, now: number) => Decision<Event>,
  options: DecideAndAppendOptions<State> = {},
): Promise<CommandResult<Event>> {
  const { known, prepare, onFailure = retryConflicts, ...rest } = options;
  const { read = (from) => load(log, decider, stream, from), ...meta } = rest;
  let current = known;
  let loaded = known;
  for (let failures = 0; ; ) {
    let preparing: Promise<void> | undefined;
    try {
      loaded = current ?? (await read(loaded));
      current = undefined;
      const at = sources.now();
      preparing = prepare?.(loaded.state, at);
      if (preparing === undefined) return await appendDecision(loaded, at);
    } catch (error) {
      failures++;
      await onFailure(error, failures);
    }
    // Outside of the attempt: a failure of the preparation is none of this stream's conflicts.
    await preparing;
  }

  async function appendDecision({ state, head, position }: Loaded<State>, at: number): Promise<CommandResult<Event>> {
    const decision = decide(state, at);
    if (decision instanceof Rejection) {
      // A command that succeeded before may be impossible now. Its repeat gets the answer of the first time.
      const repeated = await repeatedBy(log, stream, meta, at);
      if (repeated === null) throw decision;
      return { events: repeated.events.map(decider.read), position: repeated.position, head: null, repeated };
    }
    if (decision.length === 0) return { events: [], position, head, repeated: null };
    const events = decision.map(decider.write);
    const appended = await log.append({ id: sources.uuid(), stream, expected: head, at, events, ...meta });
    const { repeated } = appended;
    return { ...appended, events: repeated === null ? decision : repeated.events.map(decider.read) };
  }
}

/**
 * A command with an id appends an event even if it changes nothing: the commit carries the id, so that another command under
 * the same Idempotency-Key is refused (decisions.md#idempotency-key).
 * @param same an event without an effect
 */
export function takingId<Event>(decision: Decision<Event>, { command }: CommandMeta, same: Event): Decision<Event> {
  const isEmpty = !(decision instanceof Rejection) && decision.length === 0;
  return isEmpty && command !== undefined ? [same] : decision;
}

function retryConflicts(error: unknown, failures: number): void {
  if (!(error instanceof ConflictError) || failures === MAX_CONFLICTS) throw error;
}

/** The commit that a command repeats, on its own stream. */
async function repeatedBy(
  log: EventLog,
  stream: string,
  { command }: CommandMeta,
  at: number,
): Promise<RecordedCommit | null> {
  if (command === undefined) return null;
  const found = await log.findCommand(stream, command.id, at);
  return found?.stream === stream ? found : null;
}

/** Attempts at an append whose outcome is unknown. */
const MAX_ATTEMPTS = 5;

/**
 * Repeats the append of one commit until its outcome is certain. The log stores a commit once.
 * @throws OutcomeUnknownError after five attempts
 */
export async function untilCertain<T>(append: () => Promise<T>): Promise<T> {
  for (let attempts = 1; ; attempts++)
    try {
      return await append();
    } catch (error) {
      if (!(error instanceof OutcomeUnknownError) || attempts === MAX_ATTEMPTS) throw error;
    }
}
