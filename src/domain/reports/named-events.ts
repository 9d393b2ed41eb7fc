import { isJsonObject, type JsonObject, property, safeInteger } from '../json.ts';
import { under, type Warning } from '../problem.ts';
import { sourcePath } from './parse-source.ts';

/** An event that a report names by its id. */
export interface NamedEvent {
  /** Of the object that names it. */
  readonly path: string;
  readonly eventId: number;
  /** The label beside it. */
  readonly name: string | undefined;
}

/** The events that a checked source_request names: in metrics, steps and entities. */
export function namedEvents(source: JsonObject): NamedEvent[] {
  const requests = property(source, 'requests');
  const inRequests = Array.isArray(requests)
    ? requests.map((request: unknown, index) => [under(sourcePath('requests'), index), request] as const)
    : [];
  const entities = ['target_entity', 'returning_entity'].map(
    (key) => [sourcePath(key), property(source, key)] as const,
  );
  return [...inRequests, ...entities].flatMap(([path, item]) => {
    const eventId = isJsonObject(item) ? safeInteger(property(item, 'event_id')) : undefined;
    if (!isJsonObject(item) || eventId === undefined) return [];
    const name = property(item, 'event_name');
    return [{ path, eventId, name: typeof name === 'string' ? name : undefined }];
  });
}

/** An event of the bot, as far as the report names its id or its name. */
export interface KnownEvent {
  readonly event_id: number;
  readonly name: string;
}

/** Warns of ids that the bot does not have and of ids that stand beside the name of another event. */
export function eventWarnings(named: readonly NamedEvent[], known: readonly KnownEvent[]): Warning[] {
  const names = new Map(known.map(({ event_id, name }) => [event_id, name]));
  return named.flatMap(({ path, eventId, name }): Warning[] => {
    const own = names.get(eventId);
    if (own === undefined)
      return [
        { path: under(path, 'event_id'), message: `the bot has no event with the id ${eventId}: it counts nothing` },
      ];
    const other = own === name ? undefined : known.find((event) => event.name === name);
    if (other === undefined) return [];
    const message = `event_id ${eventId} is ${own}, and ${name} has the event_id ${other.event_id}: the id decides`;
    return [{ path: under(path, 'event_name'), message }];
  });
}
