import { exactNumber, isStorable } from '../storable-json.ts';
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
