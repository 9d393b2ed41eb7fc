import { isJsonObject, type JsonObject, property, safeInteger } from '../json.ts';
import { under, type Warning } from '../problem.ts';
import { sourcePath } from './parse-source.ts';

/** The known keys of a value: null accepts any value, an object lists its keys, an array has the known keys of its items. */
export type KnownKeys = null | { readonly [key: string]: KnownKeys } | readonly [KnownKeys];

const MAX_WARNINGS = 100;

/** Warns of each unknown key, so that a typo does not pass silently (decisions.md#unknown-keys). At most 100 warnings. */
export function unknownKeys(value: unknown, known: KnownKeys, path = ''): Warning[] {
  if (known === null) return [];
  const warnings: Warning[] = [];
  if (isArray(known)) {
    if (!Array.isArray(value)) return [];
    for (const [index, item] of value.entries()) warnings.push(...unknownKeys(item, known[0], under(path, index)));
  } else if (isJsonObject(value)) {
    for (const [key, child] of Object.entries(value)) {
      const below = Object.hasOwn(known, key) ? known[key] : undefined;
      if (below === undefined) warnings.push({ path: under(path, key), message: 'unknown key, ignored' });
      else warnings.push(...unknownKeys(child, below, under(path, key)));
    }
  }
  return warnings.slice(0, MAX_WARNINGS);
}

function isArray(known: KnownKeys): known is readonly [KnownKeys] {
  return Array.isArray(known);
}

/** An event that a report names by its id. */
export interface NamedEvent {
  /** The path of the object that names it. */
  readonly path: string;
  readonly eventId: number;
  /** The `event_name` of the same object. */
  readonly name: string | undefined;
}

/** The events that the metrics, steps and entities of a checked source_request name. */
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

/** An event type of the bot whose id or name the report names. */
export interface KnownEvent {
  readonly event_id: number;
  readonly name: string;
}

/** Warns of ids that the bot does not have, and of ids next to the name of another event. */
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
