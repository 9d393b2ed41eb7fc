import { createHash } from 'node:crypto';
import {
  isPropertyName,
  isText,
  MAX_PROPERTIES,
  MAX_PROPERTY_TEXT,
  readTypedValue,
} from '../../domain/intake/properties.ts';
import { exactNumber, isStorable, type JsonObject } from '../../domain/storable-json.ts';
import { counted } from '../../util/counted.ts';

/** Chooses the properties of a file's events that are imported, and counts the others (decisions.md#import-events). */
export interface PropertyKeeper {
  /**
   * Of the own format only values that no log can keep are left out: the event's check refuses what else is wrong.
   * @returns null if none is left
   */
  keep(properties: JsonObject): JsonObject | null;
  /** Lines for a person: the properties renamed and left out so far. */
  notes(): readonly string[];
}

/** Reasons and names in memory. A bot has at most 1,000 names of properties. */
const MAX_NAMES = 1000;
/** Names that a note has. */
const MAX_NAMED = 5;
/** Notes about renamed properties. */
const MAX_RENAMED = 20;

/** @param renames the new names of properties, as the caller wants them */
export function createPropertyKeeper(isOwnFormat: boolean, renames: ReadonlyMap<string, string>): PropertyKeeper {
  const leftOut = new Map<string, { count: number; readonly names: Set<string> }>();
  const renamed = new Map<string, string>();

  function leaveOut(reason: string, name: string): void {
    const known = leftOut.get(reason) ?? { count: 0, names: new Set() };
    leftOut.set(reason, known);
    known.count++;
    if (known.names.size <= MAX_NAMED) known.names.add(name);
  }

  function nameOf(name: string): string {
    const wanted = renames.get(name) ?? renamed.get(name);
    if (wanted !== undefined) return wanted;
    if (isOwnFormat || isPropertyName(name)) return name;
    const distinct = distinctName(name);
    if (renamed.size < MAX_NAMES) renamed.set(name, distinct);
    return distinct;
  }

  function reasonOf(name: string, value: unknown, count: number): string | undefined {
    if (isOwnFormat) return unkeepable(value);
    if (OTHERS_NAMES.test(name) && !renames.has(name)) return 'added by the other system';
    return count === MAX_PROPERTIES ? `more than ${MAX_PROPERTIES} properties` : unfit(value);
  }

  return {
    keep(properties) {
      const kept: Record<string, unknown> = Object.create(null); // `__proto__` is a name like others
      let count = 0;
      for (const [name, value] of Object.entries(properties)) {
        if (value === null || value === undefined) continue;
        let reason = reasonOf(name, value, count);
        const to = reason === undefined ? nameOf(name) : name;
        if (reason === undefined && to in kept) reason = 'a second one of the same name';
        if (reason !== undefined) {
          leaveOut(reason, name);
          continue;
        }
        kept[to] = value;
        count++;
      }
      return count === 0 ? null : kept;
    },
    notes: () => [
      ...[...renamed]
        .slice(0, MAX_RENAMED)
        .map(([from, to]) => `property ${JSON.stringify(from)} is imported as ${to}`),
      ...(renamed.size > MAX_RENAMED
        ? [
            `${counted(renamed.size - MAX_RENAMED, 'more property has another name', 'more properties have other names')}`,
          ]
        : []),
      ...[...leftOut].map(([reason, { count, names }]) => {
        const [named, more] = [[...names].slice(0, MAX_NAMED), names.size > MAX_NAMED ? ', …' : ''];
        return `left out ${counted(count, 'property', 'properties')}: ${reason}: ${named.join(', ')}${more}`;
      }),
    ],
  };
}

/** Names that Mixpanel, Amplitude and PostHog themselves give to properties. */
const OTHERS_NAMES = /^(?:\$|mp_|\[Amplitude\])|^$/;

const HASH_DIGITS = 8;
const MAX_READABLE = 64 - 1 - HASH_DIGITS;

/**
 * The name of a property that send-event would not take. It depends only on the given name, and two names have two: in
 * one file, in files of different months, and next to events that the bot sends.
 */
function distinctName(name: string): string {
  // JSON text has lone surrogates as escapes. In UTF-8 they would all be the same.
  const hash = createHash('sha256').update(JSON.stringify(name)).digest('hex').slice(0, HASH_DIGITS);
  return `${name.replaceAll(/[^A-Za-z0-9_.-]/g, '_').slice(0, MAX_READABLE)}_${hash}`;
}

function unfit(value: unknown): string | undefined {
  if (typeof value === 'string' && isStorable(value) && !isText(value, MAX_PROPERTY_TEXT))
    return `text of more than ${MAX_PROPERTY_TEXT} characters`;
  if (typeof value !== 'string' && typeof value !== 'boolean' && exactNumber(value) === undefined)
    return 'a list or an object';
  return unkeepable(value);
}

function unkeepable(value: unknown): string | undefined {
  if (typeof value === 'string') return isStorable(value) ? undefined : 'text with U+0000 or a lone surrogate';
  const isNumber = exactNumber(value) !== undefined;
  return isNumber && readTypedValue(value, MAX_PROPERTY_TEXT) === undefined ? 'a number beyond 10^15' : undefined;
}
