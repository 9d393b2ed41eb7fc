import type { PropertyType } from '../intake/properties.ts';
import { under, type Warning } from '../problem.ts';
import { isJsonObject, type JsonObject, property, safeInteger } from '../storable-json.ts';
import { customPropertyOf, savedSegmentOf } from './fields.ts';
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

/** The metrics, steps and entities of a checked source_request, each with its path. */
function selectionsIn(source: JsonObject): (readonly [path: string, item: JsonObject])[] {
  const requests = itemsOf(source, 'requests', sourcePath('requests'));
  const entities = ['target_entity', 'returning_entity'].map(
    (key) => [sourcePath(key), property(source, key)] as const,
  );
  return [...requests, ...entities].flatMap(([path, item]) => (isJsonObject(item) ? [[path, item] as const] : []));
}

function itemsOf(object: JsonObject, key: string, path: string): (readonly [path: string, item: unknown])[] {
  const items = property(object, key);
  return Array.isArray(items) ? items.map((item: unknown, index) => [under(path, index), item] as const) : [];
}

/** The events that the metrics, steps and entities of a checked source_request name. */
export function namedEvents(source: JsonObject): NamedEvent[] {
  return selectionsIn(source).flatMap(([path, item]) => {
    const eventId = safeInteger(property(item, 'event_id'));
    if (eventId === undefined) return [];
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

/** A custom property that a report names. */
export interface NamedProperty {
  readonly path: string;
  readonly name: string;
  /** Whether only its numbers count. */
  readonly isNumber: boolean;
}

/** The custom properties that a checked source_request names. */
export function namedProperties(source: JsonObject): NamedProperty[] {
  return namedFields(source).flatMap(({ path, field, isNumber }) => {
    const name = customPropertyOf(field);
    return name === undefined ? [] : [{ path, name, isNumber }];
  });
}

/** A saved segment that a report names by its id. */
export interface NamedSavedSegment {
  readonly path: string;
  readonly id: number;
}

/** The saved segments that a checked source_request names. */
export function namedSavedSegments(source: JsonObject): NamedSavedSegment[] {
  return namedFields(source).flatMap(({ path, field }) => {
    const id = savedSegmentOf(field);
    return id === undefined ? [] : [{ path, id }];
  });
}

interface NamedField {
  readonly path: string;
  readonly field: string;
  /** Whether only its numbers count. */
  readonly isNumber: boolean;
}

/** The fields that a checked source_request names, with aliases as they were written. */
function namedFields(source: JsonObject): NamedField[] {
  const named: NamedField[] = [];
  const note = (path: string, field: unknown, isNumber = false): void => {
    if (typeof field === 'string') named.push({ path, field, isNumber });
  };
  const noteFilter = (path: string, filter: unknown): void => {
    if (!Array.isArray(filter)) return;
    const [operator, field] = filter as readonly unknown[];
    if (operator !== 'and' && operator !== 'or') note(under(path, 1), field);
    else for (const [index, part] of filter.entries()) noteFilter(under(path, index), part);
  };
  noteFilter(sourcePath('filters'), property(source, 'filters'));
  for (const [path, item] of selectionsIn(source)) {
    noteFilter(under(path, 'filters'), property(item, 'filters'));
    if (/^property_/.test(String(property(item, 'agr'))))
      note(under(path, 'agr_field'), property(item, 'agr_field'), true);
  }
  for (const [path, item] of itemsOf(source, 'separators', sourcePath('separators')))
    note(under(path, 'property'), isJsonObject(item) ? property(item, 'property') : undefined);
  for (const [path, column] of itemsOf(source, 'columns', sourcePath('columns'))) note(path, column);
  const order = property(source, 'order');
  if (isJsonObject(order)) for (const name of Object.keys(order)) note(under(sourcePath('order'), name), name);
  return named;
}

/** A custom property that counted events of the bot have. */
export interface KnownProperty {
  readonly name: string;
  readonly types: readonly PropertyType[];
}

/** Warns of properties that no event has, or no event as a number where one is needed. At most 100 warnings. */
export function propertyWarnings(named: readonly NamedProperty[], known: readonly KnownProperty[]): Warning[] {
  const typesOf = new Map(known.map(({ name, types }) => [name, types]));
  const warnings = named.flatMap(({ path, name, isNumber }): Warning[] => {
    const types = typesOf.get(name);
    if (types === undefined) return [{ path, message: `no event of the bot has the property ${name}` }];
    if (!isNumber || types.includes('number')) return [];
    return [{ path, message: `no event of the bot has a number in the property ${name}, but ${types.join(' and ')}` }];
  });
  return warnings.slice(0, MAX_WARNINGS);
}
