import { dictionary, type KnownEvent } from './catalog.ts';
import { spoken } from './names.ts';

/** The names of a bot's events for people, by the id of their type. */
export type EventNames = ReadonlyMap<number, string>;

/** An event as people call it. */
export const nameOfEvent = ({ name, title }: Pick<KnownEvent, 'name' | 'title'>): string => title ?? spoken(name);

export function eventNames(events: readonly KnownEvent[]): EventNames {
  return new Map(events.map((event) => [event.event_id, nameOfEvent(event)]));
}

/**
 * An event that an answer names, as people call it.
 * @param id of its type, where it is known: several events may have the name
 */
export function nameInDictionary(name: string, id?: number | null): string {
  const found = dictionary.value.filter((event) => event.name === name);
  const event = found.find(({ event_id }) => event_id === id) ?? (found.length === 1 ? found[0] : undefined);
  return event === undefined ? spoken(name) : nameOfEvent(event);
}
