import type { Person } from '../domain/intake/events.ts';
import { type JsonObject, property } from '../domain/json.ts';

const FIELDS = ['first_name', 'last_name', 'username', 'language_code'] as const;

/** The personal fields of the platform's User object; undefined when it has none. */
export function personOf(user: JsonObject): Person | undefined {
  const person: Person = {};
  for (const field of FIELDS) {
    const text = property(user, field);
    if (typeof text === 'string' && text !== '') person[field] = replaceUnstorable(text);
  }
  return Object.keys(person).length === 0 ? undefined : person;
}

/** U+0000 and lone surrogates, which neither Postgres nor UTF-8 can hold, become U+FFFD. */
export function replaceUnstorable(text: string): string {
  return text.replace(/[\0\p{Surrogate}]/gu, '\ufffd');
}
