import type { Problem } from '../problem.ts';
import { isJsonObject, safeInteger } from '../storable-json.ts';
import { type CustomFieldValue, type ImportedUser, importedUser } from './intake-events.ts';
import { isWithinYears, parseIso8601 } from './moment.ts';
import { isText, readTypedValue } from './properties.ts';

/**
 * The form of a user's values in `user import` and `user set-field` (decisions.md#user-import). text: values of a CSV, read
 * as the type of their field. json: values of NDJSON keep their JSON type.
 */
export type FieldForm = 'text' | 'json';

/**
 * Reads a user. A column with the name of a user field is that field; any other column is a custom field. Null counts as
 * absent.
 * @returns the user, or its problems, at most one per column
 */
export function readImportedUser(
  columns: Iterable<readonly [name: string, value: unknown]>,
  form: FieldForm,
): ImportedUser | readonly Problem[] {
  const user: Record<string, unknown> = {};
  const person: Record<string, unknown> = {};
  const custom = new Map<string, CustomFieldValue>();
  const problems: Problem[] = [];

  function read(name: string, value: unknown): void {
    if (value === null || value === undefined) return;
    const field = Object.hasOwn(FIELDS, name) ? FIELDS[name] : undefined;
    if (field !== undefined) {
      const result = field.read(value, form);
      if (result === undefined) problems.push({ path: name, message: `${name} must be ${field.expected}` });
      else (PERSONAL.has(name) ? person : user)[name] = result;
    } else if (name === CUSTOM && isJsonObject(value)) {
      for (const [key, each] of Object.entries(value)) readCustom(key, each);
    } else readCustom(name.startsWith(`${CUSTOM}.`) ? name.slice(CUSTOM.length + 1) : name, value);
  }

  function readCustom(name: string, value: unknown): void {
    if (value === null) return;
    const result = readTypedValue(value, MAX_TEXT);
    if (!isText(name, MAX_NAME) || name === '' || name === '__proto__')
      problems.push({ path: name, message: `a custom field's name must have 1 to ${MAX_NAME} characters` });
    else if (result === undefined) problems.push({ path: name, message: `${name} must be ${CUSTOM_EXPECTED}` });
    else custom.set(name, result);
  }

  for (const [name, value] of columns) read(name, value);
  if (user['user_id'] === undefined && problems.length === 0)
    problems.push({ path: 'user_id', message: 'user_id is missing' });
  if (problems.length > 0) return problems;
  return importedUser.parse({
    ...user,
    ...(Object.keys(person).length === 0 ? {} : { person }),
    ...(custom.size === 0 ? {} : { custom_fields: Object.fromEntries(custom) }),
  });
}

interface Field {
  readonly expected: string;
  /** Undefined if the value is not as expected. */
  read(value: unknown, form: FieldForm): unknown;
}

const CUSTOM = 'custom_fields';
const MAX_NAME = 250;
const MAX_TEXT = 1000;
const CUSTOM_EXPECTED = `a text of at most ${MAX_TEXT} characters, a number up to 10^15 or a boolean`;

const text: Field = {
  expected: `text of at most ${MAX_TEXT} characters`,
  read: (value) => (typeof value === 'string' && isText(value, MAX_TEXT) ? value : undefined),
};
const boolean: Field = {
  expected: 'true or false',
  read(value, form) {
    if (typeof value === 'boolean') return value;
    return form === 'text' ? ({ true: true, false: false } as Record<string, boolean>)[String(value)] : undefined;
  },
};
const date: Field = {
  expected: 'a date of the years 1970 to 2100, YYYY-MM-DD HH:MM:SS (UTC) or ISO 8601',
  read(value) {
    if (typeof value !== 'string') return undefined;
    const at = parseIso8601(/^\d{4}-\d\d-\d\d$/.test(value) ? `${value}T00:00` : value);
    return at !== null && isWithinYears(at) ? at : undefined;
  },
};
const userId: Field = {
  expected: 'a positive integer below 2^53',
  read(value, form) {
    const id = form === 'text' && /^\d{1,16}$/.test(String(value)) ? Number(value) : safeInteger(value);
    return id !== undefined && Number.isSafeInteger(id) && id > 0 ? id : undefined;
  },
};
const STATUSES = ['active', 'blocked', 'deactivated'] as const;
const status: Field = {
  expected: `one of ${STATUSES.join(', ')}`,
  read: (value) => STATUSES.find((each) => each === value),
};

const PERSONAL = new Set(['first_name', 'last_name', 'full_name', 'username', 'language_code']);
const FIELDS: Readonly<Record<string, Field>> = {
  user_id: userId,
  first_name: text,
  last_name: text,
  full_name: text,
  username: text,
  language_code: text,
  date_create: date,
  date_last_active: date,
  gender: text,
  is_bot: boolean,
  user_status: status,
  is_premium: boolean,
  timezone: text,
};
