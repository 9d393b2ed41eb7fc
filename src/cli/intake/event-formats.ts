import { createHash } from 'node:crypto';
import { parse } from 'lossless-json';
import { parseIso8601 } from '../../domain/intake/moment.ts';
import { instantOfClock } from '../../domain/local-time.ts';
import { exactNumber, isJsonObject, type JsonObject, positiveId, property } from '../../domain/storable-json.ts';
import { createPropertyKeeper } from './kept-properties.ts';

/** The formats of event files that `import events` reads (decisions.md#import-events). */
export const EVENT_FORMATS = ['botledger', 'mixpanel', 'amplitude', 'posthog'] as const;
export type EventFormat = (typeof EVENT_FORMATS)[number];

export interface FormatOptions {
  readonly format: EventFormat;
  /** The property that has the id of the platform's user; undefined: the format's own field. */
  readonly userProperty?: string | undefined;
  /** The zone of dates without an offset, and of the seconds of Mixpanel. Default: UTC. */
  readonly timezone?: string | undefined;
  /** New names of properties. */
  readonly rename?: ReadonlyMap<string, string> | undefined;
}

/** The columns that a CSV file of a format must have. */
export const EVENT_COLUMNS: Readonly<Record<EventFormat, readonly string[]>> = {
  botledger: ['event', 'user_id', 'date'],
  mixpanel: ['event', 'time'],
  amplitude: ['event_type', 'event_time'],
  posthog: ['event', 'timestamp'],
};

/** How a record becomes an event as send-event takes it, before it is checked. */
export interface RecordReader {
  /** @returns the event, or the problem of a record that can be none */
  read(record: JsonObject): { readonly event: JsonObject } | { readonly problem: string };
  /** Lines for a person about the properties of all records so far. */
  notes(): readonly string[];
}

export function recordReader({ format, userProperty, timezone, rename = new Map() }: FormatOptions): RecordReader {
  const keeper = createPropertyKeeper(format === 'botledger', rename);
  const read = READERS[format];
  return {
    notes: keeper.notes,
    read(record) {
      const found = read(record);
      const list = LISTS.find((name) => Array.isArray(record[name]));
      if (list !== undefined && ('problem' in found || found.name === undefined))
        return { problem: `a list of events in ${list}: write one a line, as jq -c '.${list}[]' does` };
      if ('problem' in found) return found;
      const { name, user, date, key, properties, rest } = found;
      const user_id = userProperty === undefined ? positiveId(user) : userIn(record, properties, userProperty);
      if (user_id === undefined) {
        const where = userProperty === undefined ? USER_FIELDS[format] : `the property ${userProperty}`;
        return { problem: `${where} must be the platform's id of the user, a positive integer` };
      }
      const kept = keeper.keep(properties);
      return {
        event: {
          ...rest,
          event: name,
          user_id,
          date: isoDate(date, timezone),
          ...(key === undefined ? {} : { event_key: `${format}:${key.length > MAX_KEY ? sha256(key) : key}` }),
          ...(kept === null ? {} : { properties: kept }),
        },
      };
    },
  };
}

/** A longer id of another system is hashed: an `event_key` has at most 250 characters. */
const MAX_KEY = 200;

/** Fields in which interfaces answer or take a list of events. */
const LISTS = ['results', 'events', 'data'] as const;

/** The parts of a record that the formats name differently. */
interface Found {
  readonly name: unknown;
  readonly user: unknown;
  /** ISO 8601 text, or milliseconds since 1970 by the clock of the file's zone. */
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
  /**
   * Mixpanel, Raw Data Export API: one JSON object a line. `time` is in seconds, with `time_in_ms` in milliseconds. CSV
   * and tables of warehouses have the properties next to the name.
   */
  mixpanel({ event, properties, ...flat }) {
    const given = properties === undefined ? flat : objectIn(properties);
    if (given === undefined) return { problem: 'properties must be an object' };
    const { time, distinct_id, $insert_id, insert_id, ...others } = { ...flat, ...given };
    const key = $insert_id ?? insert_id;
    const at = msOf(time);
    if (at === undefined) return { problem: 'properties.time must be a number of seconds' };
    // Its id is unique only together with these. Both exports have the same second, whatever its zone.
    const second = new Date(at - (at % 1000)).toISOString();
    const id = keyOf(key) && sha256(JSON.stringify([event, second, String(distinct_id), key]));
    const date = typeof time === 'string' && !DECIMAL.test(time) ? time : at;
    return { name: event, user: distinct_id, date, key: id, properties: others };
  },
  /**
   * Amplitude, Export API: one JSON object a line. Times are UTC: `2015-10-05 12:22:50.000000`, or with a `Z`. What was to be
   * sent to Amplitude has `time` in milliseconds instead.
   */
  amplitude({ event_type, user_id, event_time, time, uuid, $insert_id, insert_id, event_properties }) {
    const at = msOf(time);
    const date = typeof event_time === 'string' || at === undefined ? event_time : new Date(at).toISOString();
    if (typeof date !== 'string') return { problem: 'event_time must be a date' };
    const properties = objectOrNone(event_properties);
    if (properties === undefined) return { problem: 'event_properties must be an object' };
    const key = keyOf(uuid) ?? keyOf($insert_id) ?? keyOf(insert_id);
    return { name: event_type, user: user_id, date, key, properties };
  },
  /**
   * PostHog, one JSON object a line. The UUID of an event is `uuid` in batch exports and `id` in the API of events.
   * `properties` is an object or JSON text.
   */
  posthog({ event, distinct_id, timestamp, uuid, id, properties }) {
    if (typeof timestamp !== 'string') return { problem: 'timestamp must be a date' };
    const read = objectOrNone(properties);
    if (read === undefined) return { problem: 'properties must be an object' };
    const key = (keyOf(uuid) ?? keyOf(id))?.toLowerCase();
    return { name: event, user: distinct_id, date: timestamp, key, properties: read };
  },
};

/** The user's id in a property of the event, or else of its user: Amplitude's user_properties, PostHog's person. */
function userIn(record: JsonObject, properties: JsonObject, name: string): number | undefined {
  const person = objectIn(property(record, 'person'));
  const places = [
    properties,
    objectIn(property(record, 'user_properties')),
    objectIn(property(record, 'person_properties')),
    person && objectIn(property(person, 'properties')),
    person,
  ];
  for (const place of places) {
    const id = place === undefined ? undefined : positiveId(property(place, name));
    if (id !== undefined) return id;
  }
  return undefined;
}

/** An object, or the one that is written as JSON text. */
function objectIn(given: unknown): JsonObject | undefined {
  const value = typeof given === 'string' ? parsed(given) : given;
  return isJsonObject(value) ? value : undefined;
}

/** Undefined: it is given, and is no object. */
function objectOrNone(given: unknown): JsonObject | undefined {
  return given === undefined || given === null || given === '' ? {} : objectIn(given);
}

function parsed(text: string): unknown {
  try {
    return parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) return undefined; // refused as no object
    throw error;
  }
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 32);
}

function keyOf(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

/** More seconds would be the year 5138, so they are milliseconds. */
const MOST_SECONDS = 1e11;
/** In the year 255479. The last instants of Date have no counterpart in other time zones. */
const MOST_MS = 8e15;

/** Milliseconds of a number of seconds or milliseconds, in CSV as text, or of a date; undefined: there is no such date. */
function msOf(time: unknown): number | undefined {
  if (typeof time === 'string' && !DECIMAL.test(time)) return parseIso8601(time.replace(/ UTC$/, 'Z')) ?? undefined;
  const number = typeof time === 'string' ? Number(time) : (exactNumber(time)?.toNumber() ?? Number.NaN);
  const ms = Math.trunc(Math.abs(number) < MOST_SECONDS ? number * 1000 : number);
  return Math.abs(ms) < MOST_MS ? ms : undefined;
}

const DECIMAL = /^\d+(?:\.\d+)?$/;
const OFFSET = /(?:[Zz]|[-+]\d{2}(?::?\d{2})?)$/;

/** The date as send-event takes it. What is no date stays, so that the event's check refuses it. */
function isoDate(date: unknown, timezone: string | undefined): unknown {
  const text = typeof date === 'string' ? date.replace(/ UTC$/, 'Z') : date;
  const clock =
    typeof text === 'number' ? text : typeof text !== 'string' || OFFSET.test(text) ? null : parseIso8601(text);
  if (clock === null) return text;
  return new Date(timezone === undefined ? clock : instantOfClock(clock, timezone)).toISOString();
}
