import { fieldWords } from './field-words.ts';

/** A name as programs write it: `order_paid`. Other names are written for people already. */
const PLAIN = /^[a-z][a-z0-9]*(_[a-z0-9]+)*$/;

/** A name of a program for people: `order_paid` is Order paid. */
export function spoken(name: string): string {
  if (!PLAIN.test(name)) return name;
  const words = name.replaceAll('_', ' ');
  return words[0]!.toUpperCase() + words.slice(1);
}

/** A field of reports or audiences as people call it, and the heading under which it stands. */
export interface NamedField {
  readonly label: string;
  readonly group: string;
}

const { names, groups } = fieldWords;
const ROOTS: readonly (readonly [string, string])[] = [
  ['events.properties.', groups.properties],
  ['user.addition_fields.', groups.firstVisit],
  ['user.custom_fields.', groups.custom],
  ['user.saved_segments.', groups.segments],
  ['events.', groups.event],
  ['user.', groups.person],
];

/** Names a field. @param name as reports (`user.…`) or audiences (`users.…`) have it */
export function namedField(name: string): NamedField {
  const plain = name.replace(/^users\./, 'user.');
  const found = ROOTS.find(([root]) => plain.startsWith(root));
  const label = (names as Readonly<Record<string, string>>)[plain];
  if (found === undefined) return { label: label ?? spoken(name), group: groups.event };
  const [root, group] = found;
  return { label: label ?? spoken(plain.slice(root.length)), group };
}

const languages = new Intl.DisplayNames('en', { type: 'language', fallback: 'none' });

/** A value of a field as people write it: `de` is German. */
export function spokenValue(field: string, value: string): string {
  if (!field.endsWith('.language_code')) return value;
  try {
    return languages.of(value) ?? value;
  } catch {
    // Bots send what they like.
    return value;
  }
}
