import {
  type DomainEvent,
  type EventOf,
  type EventType,
  type StoredEvent,
  UnreadableEventError,
} from './event-type.ts';
import type { Rejection } from './rejection.ts';

/** What a decision comes to: the events that make it true (none, if it is true already), or why not. */
export type Decision<Event> = readonly Event[] | Rejection;

/**
 * What one type of stream remembers. Decisions are plain functions beside it: `(state, command, now) -> Decision`.
 * A fold owns the state that it folds: `evolve` may change it in place where copying would cost (an event type stream of
 * 10,000 names would copy 50 million entries), decisions never do.
 */
export interface Decider<State, Event> {
  initialState(): State;
  evolve(state: State, event: Event): State;
  /** @throws UnreadableEventError also for an event that this type of stream does not have */
  read(stored: StoredEvent): Event;
  write(event: Event): StoredEvent;
}

export function decider<const Types extends readonly EventType<string, unknown>[], State>(
  types: Types,
  initialState: () => State,
  evolve: (state: State, event: EventOf<Types[number]>) => State,
): Decider<State, EventOf<Types[number]>> {
  const byType = new Map(types.map((type) => [type.type, type]));
  const typeOf = (name: string): EventType<string, unknown> => {
    const type = byType.get(name);
    if (type === undefined) throw new UnreadableEventError(`event ${name} does not belong in this stream`);
    return type;
  };
  return {
    initialState,
    evolve,
    // The map above is what ties a name to its type; the compiler cannot follow it.
    read: (stored) => typeOf(stored.type).read(stored) as EventOf<Types[number]>,
    write: (event: DomainEvent) => typeOf(event.type).create(event.data),
  };
}
