import { createHash } from 'node:crypto';
import { parse } from 'lossless-json';
import { FIXED_PROPERTIES, MAX_PROPERTIES, MAX_PROPERTY_TEXT } from '../../domain/intake/properties.ts';
import { exactNumber, isJsonObject, type JsonObject, positiveId } from '../../domain/json.ts';

/** The formats of event files that `import events` reads (decisions.md#import-events). */
export const EVENT_FORMATS = ['botledger', 'mixpanel', 'amplitude', 'posthog'] as const;
export type EventFormat = (typeof EVENT_FORMATS)[number];

/** How a record becomes an event as send-event takes it, before it is checked. */
export interface RecordReader {
  /** @returns the event, or the problem of a record that can be none */
  read(record: JsonObject): { readonly event: JsonObject } | { readonly problem: string };
  /** How often a property was left out since the beginning, by the reason. */
  readonly leftOut: ReadonlyMap<string, number>;
}

/** @param userProperty the property that has the id of the platform's user; undefined: the format's own field */
export function recordReader(format: EventFormat, userProperty: string | undefined): RecordReader {
  const leftOut = new Map<string, number>();
  const read = READERS[format];
  return {
    leftOut,
    read(record) {
      const found = read(record);
      if ('problem' in found) return found;
      const { properties, ...event } = found;
      const given = userProperty === undefined ? event.user : properties[userProperty];
      const user_id = positiveId(given);
      if (user_id === undefined) {
        const where = userProperty === undefined ? USER_FIELDS[format] : `the property ${userProperty}`;
        return { problem: `${where} must be the platform's id of the user, a positive integer` };
      }
      const { name, date, key, rest } = event;
      const kept = format === 'botledger' ? properties : keptProperties(properties, leftOut);
      return {
        event: {
          ...rest,
          event: name,
          user_id,
          date,
          ...(key === undefined ? {} : { event_key: `${format}:${key}` }),
          ...(kept === null ? {} : { properties: kept }),
        },
      };
    },
  };
}

/** The parts of a record that the formats name differently. */
interface Found {
  readonly name: unknown;
  readonly user: unknown;
  readonly date: unknown;
  /** Names the event in the other system. */
  readonly key?: string | undefined;
  readonly properties: JsonObject;
  /** Fields of send-event that are in the record as they are. */
  readonly rest?: JsonObject;
}

const USER_FIELDS: Readonly<Record<EventFormat, string>> = {
  botledger: 'user_id',
  mixpanel: 'properties.distinct_id',
  amplitude: 'user_id',
  posthog: 'distinct_id',
};

const READERS: Readonly<Record<EventFormat, (record: JsonObject) => Found | { readonly problem: string }>> = {
  botledger({ event, user_id, date, properties, ...rest }) {
    if (date === undefined || date === null) return { problem: 'date is missing' };
    if (properties !== undefined && properties !== null && !isJsonObject(properties))
      return { problem: 'properties must be an object' };
    return { name: event, user: user_id, date, properties: properties ?? {}, rest };
  },
  /** Mixpanel, Raw Data Export API: one JSON object a line. `time` is in seconds. */
  mixpanel({ event, properties }) {
    if (!isJsonObject(properties)) return { problem: 'properties must be an object' };
    const { time, distinct_id, $insert_id: key, ...others } = properties;
    const date = isoOf(time);
    if (date === undefined) return { problem: 'properties.time must be a number of seconds' };
    // Its id is unique only together with these.
    const id = keyOf(key) && sha256(JSON.stringify([event, date, String(distinct_id), key]));
    return { name: event, user: distinct_id, date, key: id, properties: others };
  },
  /** Amplitude, Export API: one JSON object a line. Times are UTC: `2015-10-05 12:22:50.000000`. */
  amplitude({ event_type, user_id, event_time, uuid, $insert_id, event_properties }) {
    if (typeof event_time !== 'string') return { problem: 'event_time must be a date' };
    return {
      name: event_type,
      user: user_id,
      date: `${event_time.replace(' ', 'T').replace(/(\.\d{3})\d+$/, '$1')}Z`,
      key: keyOf(uuid) ?? keyOf($insert_id),
      properties: isJsonObject(event_properties) ? event_properties : {},
    };
  },
  /** PostHog, batch exports and the API of events: one JSON object a line, `properties` as an object or as JSON text. */
  posthog({ event, distinct_id, timestamp, uuid, properties }) {
    if (typeof timestamp !== 'string') return { problem: 'timestamp must be a date' };
    const parsed = typeof properties === 'string' ? parsedObject(properties) : properties;
    if (parsed !== undefined && parsed !== null && !isJsonObject(parsed))
      return { problem: 'properties must be an object' };
    const date = timestamp.replace(' ', 'T').replace(/(\.\d{3})\d+/, '$1');
    return { name: event, user: distinct_id, date, key: keyOf(uuid), properties: parsed ?? {} };
  },
};

function parsedObject(text: string): unknown {
  try {
    return parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) return text; // refused as no object
    throw error;
  }
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 32);
}

function keyOf(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

/** The date of a number of seconds; undefined: there is no such date. */
function isoOf(seconds: unknown): string | undefined {
  const date = new Date((exactNumber(seconds)?.toNumber() ?? Number.NaN) * 1000);
  return Number.isNaN(date.getTime()) ? undefined : date.toISOString();
}

/**
 * The properties that send-event takes. Other systems have more kinds of them: what they add themselves begins with `$`,
 * `mp_` or `[Amplitude]`; lists, objects and long texts have no place here. A character that no name may have becomes `_`, and a
 * name that reports read from the event itself gets one at its end.
 * @returns null if none is left
 */
function keptProperties(properties: JsonObject, leftOut: Map<string, number>): JsonObject | null {
  const kept: Record<string, unknown> = {};
  let count = 0;
  for (const [name, value] of Object.entries(properties)) {
    if (value === null || value === undefined) continue;
    const allowed = nameOf(name);
    const reason = OWN_NAMES.test(name)
      ? 'added by the other system'
      : Object.hasOwn(kept, allowed)
        ? 'a second one of the same name'
        : problemOf(value, count);
    if (reason !== null) {
      leftOut.set(reason, (leftOut.get(reason) ?? 0) + 1);
      continue;
    }
    kept[allowed] = value;
    count++;
  }
  return count === 0 ? null : kept;
}

function nameOf(name: string): string {
  const allowed = name.replaceAll(/[^A-Za-z0-9_.-]/g, '_').slice(0, MAX_NAME);
  return FIXED.has(allowed) ? `${allowed}_` : allowed;
}

const FIXED: ReadonlySet<string> = new Set(['__proto__', ...FIXED_PROPERTIES]);
const OWN_NAMES = /^(?:\$|mp_|\[Amplitude\])|^$/;
const MAX_NAME = 64;

function problemOf(value: unknown, count: number): string | null {
  if (count === MAX_PROPERTIES) return `more than ${MAX_PROPERTIES} properties`;
  if (typeof value === 'string')
    return value.length > MAX_PROPERTY_TEXT ? `text of more than ${MAX_PROPERTY_TEXT} characters` : null;
  if (typeof value === 'boolean' || exactNumber(value) !== undefined) return null;
  return 'a list or an object';
}
