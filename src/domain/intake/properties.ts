import type { Problem } from '../problem.ts';
import { exactNumber, isJsonObject, isStorable } from '../storable-json.ts';
import { roundedText } from './amounts.ts';
import type { CustomFieldValue } from './intake-events.ts';

/**
 * Reads a value that keeps its JSON type: a custom field of a user, or a custom property of an event.
 * @returns undefined if it has another type, or a text is longer than `maxText` or not storable, or a number out of bounds
 */
export function readTypedValue(value: unknown, maxText: number): CustomFieldValue | undefined {
  if (typeof value === 'boolean') return value;
  if (typeof value === 'string') return isText(value, maxText) ? value : undefined;
  // The form of a JS number is the faster one.
  const exact = Number.isFinite(value) ? (value as number) : exactNumber(value);
  const number = exact === undefined ? null : roundedText(exact);
  return number === null ? undefined : { number };
}

/** Whether a text can be stored and has at most `max` characters: code points, of which UTF-16 has at most twice as many units. */
export function isText(value: string, max: number): boolean {
  return (value.length <= max || (value.length <= 2 * max && [...value].length <= max)) && isStorable(value);
}

/**
 * Custom properties of events (decisions.md#event-properties): the form in which they are sent, and the form in the
 * log.
 */

export type EventProperties = Readonly<Record<string, CustomFieldValue>>;

/** The types of values, as JSON names them. */
export const PROPERTY_TYPES = ['string', 'number', 'boolean'] as const;
export type PropertyType = (typeof PROPERTY_TYPES)[number];

export const PROPERTY_NAME = /^[A-Za-z0-9_.-]{1,64}$/;
/** Of an event. */
export const MAX_PROPERTIES = 50;
/** Characters of a text. */
export const MAX_PROPERTY_TEXT = 1024;
/** Names of a bot. */
export const MAX_PROPERTY_NAMES = 1000;

/** Reports read `events.properties.<name>` of these from the event itself (decisions.md#report-fields). */
export const FIXED_PROPERTIES = [
  'value_str',
  'category',
  'webapp_name',
  'unit',
  'command',
  'callback_data',
  'start_param',
  'chat_type',
] as const;

const TAKEN: ReadonlySet<string> = new Set(['__proto__', ...FIXED_PROPERTIES]);
const EXPECTED = `must be a text of at most ${MAX_PROPERTY_TEXT} characters, a number within 10^15, or a boolean`;

/** Whether send-event takes a property of this name. */
export const isPropertyName = (name: string): boolean => PROPERTY_NAME.test(name) && !TAKEN.has(name);

type ReadProperties =
  /** Undefined: there are none. */
  | { readonly properties: EventProperties | undefined }
  /** Their paths begin below `properties`: with a name, or '' for all of them. */
  | { readonly problems: readonly Problem[] };

/** Reads `properties` of an event: JSON of any shape. */
export function readProperties(given: unknown): ReadProperties {
  if (given === undefined || given === null) return { properties: undefined };
  if (!isJsonObject(given)) return { problems: [{ path: '', message: 'must be an object' }] };
  const entries = Object.entries(given).filter(([, value]) => value !== null);
  if (entries.length === 0) return { properties: undefined };
  if (entries.length > MAX_PROPERTIES)
    return { problems: [{ path: '', message: `must have at most ${MAX_PROPERTIES} values, not ${entries.length}` }] };
  const problems: Problem[] = [];
  const properties: Record<string, CustomFieldValue> = {};
  for (const [name, value] of entries) {
    const read = readTypedValue(value, MAX_PROPERTY_TEXT);
    if (!PROPERTY_NAME.test(name))
      problems.push({ path: name, message: 'the name must have 1 to 64 of A-Z, a-z, 0-9, _, . and -' });
    else if (TAKEN.has(name))
      problems.push({ path: name, message: 'the name is taken: reports read it from the event' });
    else if (read === undefined) problems.push({ path: name, message: EXPECTED });
    else properties[name] = read;
  }
  return problems.length > 0 ? { problems } : { properties };
}

/** The properties as JSON text, with all digits of their numbers. */
export function propertiesJson(properties: EventProperties): string {
  const parts = Object.entries(properties).map(([name, value]) => {
    return `${JSON.stringify(name)}:${typeof value === 'object' ? value.number : JSON.stringify(value)}`;
  });
  return `{${parts.join()}}`;
}
