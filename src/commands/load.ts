import type { Decider } from '../domain/decider.ts';
import { EMPTY_STREAM, type EventLog, type Position, type StreamHead } from '../log/port.ts';

/** A stream as far as it has been read: its state, where it ends, and the position of its last commit. */
export interface Loaded<State> {
  readonly state: State;
  readonly head: StreamHead;
  /** Undefined while the stream is empty. */
  readonly position: Position | undefined;
}

/** Reads a stream and folds it; `from` is what was read before. @throws BrokenChainError, UnreadableEventError */
export async function load<State, Event>(
  log: EventLog,
  decider: Decider<State, Event>,
  stream: string,
  from: Loaded<State> = { state: decider.initialState(), head: EMPTY_STREAM, position: undefined },
): Promise<Loaded<State>> {
  const { head, commits } = await log.read(stream, from.head);
  const events = commits.flatMap((commit) => commit.events.map(decider.read));
  return {
    state: events.reduce(decider.evolve, from.state),
    head,
    position: commits.at(-1)?.position ?? from.position,
  };
}
