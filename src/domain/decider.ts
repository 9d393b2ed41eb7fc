import {
  type DomainEvent,
  type EventOf,
  type EventType,
  type StoredEvent,
  UnreadableEventError,
} from './event-type.ts';
import type { Rejection } from './rejection.ts';

/** The result of a decision: events (none if nothing is to change), or the reason of the refusal. */
export type Decision<Event> = readonly Event[] | Rejection;

/**
 * The state of one type of stream. Decisions are plain functions next to it: `(state, command, now) -> Decision`. A
 * fold owns its state: `evolve` may change it in place where a copy is expensive (copies for an event type stream of
 * 10,000 names would have 50 million entries). Decisions never change it.
 */
export interface Decider<State, Event> {
  initialState(): State;
  evolve(state: State, event: Event): State;
  /** @throws UnreadableEventError also if this type of stream does not have such events */
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
    // The map above connects a name with its type. The compiler cannot see that.
    read: (stored) => typeOf(stored.type).read(stored) as EventOf<Types[number]>,
    write: (event: DomainEvent) => typeOf(event.type).create(event.data),
  };
}

/** Some properties of `T`. An absent or undefined property stays as it is. */
export type Changes<T> = { readonly [K in keyof T]?: T[K] | undefined };

export function withChanges<T extends object>(current: T, changes: Changes<T>): T {
  return { ...current, ...given(changes) };
}

/** The properties that differ from `current`; undefined if none does. */
export function differences<T extends object>(current: T, changes: Changes<T>): Partial<T> | undefined {
  const differing = Object.entries(given(changes)).filter(([key, value]) => current[key as keyof T] !== value);
  return differing.length === 0 ? undefined : (Object.fromEntries(differing) as Partial<T>);
}

function given<T extends object>(changes: Changes<T>): Partial<T> {
  return Object.fromEntries(Object.entries(changes).filter(([, value]) => value !== undefined)) as Partial<T>;
}
