import type { Field, FieldCatalogue, FieldType } from '../condition/condition.ts';
import { type FieldOperator, operatorsOf } from '../condition/condition-operators.ts';
import { FIXED_PROPERTIES, type PropertyType } from '../intake/properties.ts';

/** The first part of a report field's name. Below some roots there are fixed columns, below others any key. */
type FieldRoot =
  | 'events'
  | 'events.properties'
  | 'user'
  | 'user.custom_fields'
  | 'user.addition_fields'
  | 'user.saved_segments';

export interface ReportField extends Field {
  readonly root: FieldRoot;
  /** The rest of the name, without the root. */
  readonly key: string;
}

/** The fixed columns of events (decisions.md#report-fields). */
const EVENT_COLUMNS = {
  date: 'date',
  user_id: 'number',
  event_type_id: 'number',
  value_int: 'number',
  value_amount: 'number',
  unit: 'string',
  value_str: 'string',
  category: 'string',
  webapp_name: 'string',
  session_id: 'string',
  app_session_id: 'string',
  date_received: 'date',
  utm_source: 'string',
  utm_medium: 'string',
  utm_campaign: 'string',
  utm_term: 'string',
  utm_content: 'string',
} as const satisfies Record<string, FieldType>;
export type EventColumn = keyof typeof EVENT_COLUMNS;

/** The condition fields of users (interface.md, "Audience"). */
const USER_COLUMNS = {
  user_id: 'number',
  full_name: 'string',
  username: 'string',
  first_name: 'string',
  last_name: 'string',
  date_create: 'date',
  date_last_active: 'date',
  gender: 'string',
  is_bot: 'boolean',
  user_status: 'string',
  is_premium: 'boolean',
  language_code: 'string',
  timezone: 'string',
} as const satisfies Record<string, FieldType>;

/** Fields from a user's first visit, and from the user's referral (decisions.md#user-fields). */
const ADDITION_FIELDS = {
  start_param: 'string',
  utm_source: 'string',
  utm_medium: 'string',
  utm_campaign: 'string',
  utm_term: 'string',
  utm_content: 'string',
  referrer_id: 'number',
  referral_code: 'string',
} as const satisfies Record<string, FieldType>;

/** Properties with the same meaning for all bots. */
const FIXED_PROPERTY_TYPES = Object.fromEntries(FIXED_PROPERTIES.map((name) => [name, 'string'] as const));

const FIXED: readonly (readonly [FieldRoot, Readonly<Record<string, FieldType>>])[] = [
  ['events', EVENT_COLUMNS],
  ['events.properties', FIXED_PROPERTY_TYPES],
  ['user', USER_COLUMNS],
  ['user.addition_fields', ADDITION_FIELDS],
];
/** Roots with any key. Custom properties and custom fields keep the type with which they were sent. */
const OPEN: readonly (readonly [FieldRoot, FieldType])[] = [
  ['events.properties', 'dynamic'],
  ['user.custom_fields', 'dynamic'],
];
/** `user.saved_segments.<id>`: whether the user is in the saved segment (decisions.md#saved-segments-in-reports). */
const SAVED_SEGMENTS = 'user.saved_segments';
const SAVED_SEGMENT = /^user\.saved_segments\.([1-9]\d{0,15})$/;

const fixedFields = new Map<string, ReportField>(
  FIXED.flatMap(([root, columns]) =>
    Object.entries(columns).map(([key, type]) => {
      const name = `${root}.${key}`;
      return [name, { name, type, root, key }] as const;
    }),
  ),
);

/** The fields that filters of reports may name. `users.` is an alias of `user.`. */
export const reportFields: FieldCatalogue<ReportField> = {
  find(given) {
    const name = given.startsWith('users.') ? `user.${given.slice('users.'.length)}` : given;
    const fixed = fixedFields.get(name);
    if (fixed !== undefined) return fixed;
    for (const [root, type] of OPEN) {
      const key = name.slice(root.length + 1);
      if (name.startsWith(`${root}.`) && key !== '') return { name, type, root, key };
    }
    const segment = SAVED_SEGMENT.exec(name)?.[1];
    return segment === undefined ? undefined : { name, type: 'boolean', root: SAVED_SEGMENTS, key: segment };
  },
  names: [...fixedFields.keys(), ...OPEN.map(([root]) => `${root}.*`), `${SAVED_SEGMENTS}.*`],
};

/** Whether the field belongs to an event, and not to its user. */
export function isOfEvent({ root }: ReportField): boolean {
  return root === 'events' || root === 'events.properties';
}

/** The fields of records of users. They belong to no event. */
export const userRecordFields: FieldCatalogue<ReportField> = {
  find(given) {
    const field = reportFields.find(given);
    return field === undefined || isOfEvent(field) ? undefined : field;
  },
  names: reportFields.names.filter((name) => name.startsWith('user.')),
};

/** Fields that audiences and templates also have: a saved segment is none. */
export const userFields: FieldCatalogue<ReportField> = {
  find(given) {
    const field = userRecordFields.find(given);
    return field?.root === SAVED_SEGMENTS ? undefined : field;
  },
  names: userRecordFields.names.filter((name) => !name.startsWith(SAVED_SEGMENTS)),
};

const SEPARATOR_COLUMNS: readonly string[] = ['event_type_id', 'category', 'value_str', 'webapp_name', 'unit'];

/** Whether a report may be broken down by the field: all fields but some columns of events. */
export function isSeparator(field: ReportField): boolean {
  return field.root !== 'events' || SEPARATOR_COLUMNS.includes(field.key);
}

/** The names that separators may have, for error messages. */
export const SEPARATOR_NAMES: readonly string[] = [
  ...SEPARATOR_COLUMNS.map((column) => `events.${column}`),
  'events.properties.*',
  'user.*',
  'user.custom_fields.*',
  'user.saved_segments.*',
];

/** A fixed event field, as GET /v1/reports/event-fields lists it. */
export interface EventField {
  readonly name: string;
  readonly type: 'number' | 'string' | 'date';
  readonly operators: readonly FieldOperator[];
  /** Whether a report may be broken down by it. */
  readonly separator: boolean;
}

/** The same for all bots and events. */
export const eventFields: readonly EventField[] = Object.entries(EVENT_COLUMNS).map(([key, type]) => ({
  name: `events.${key}`,
  type,
  operators: operatorsOf(type),
  separator: SEPARATOR_COLUMNS.includes(key),
}));

/** A field of users, as GET /v1/reports/user-fields lists it. */
export interface UserField extends Omit<EventField, 'type'> {
  /** dynamic: each value has its own type. */
  readonly type: FieldType;
  /** Of a saved segment: its name. */
  readonly label?: string;
}

/** The fields of users of a bot that has these custom fields and saved segments. */
export function userFieldsWith(
  customFields: readonly string[],
  savedSegments: readonly { readonly saved_segment_id: number; readonly name: string }[],
): UserField[] {
  const fixed = [...fixedFields.values()].filter((field) => !isOfEvent(field));
  // A field without a name cannot be named by a condition.
  const custom = customFields.flatMap((name) => reportFields.find(`user.custom_fields.${name}`) ?? []);
  const listed = [...fixed, ...custom].map((field) => {
    return { name: field.name, type: field.type, operators: operatorsOf(field.type), separator: isSeparator(field) };
  });
  const segments = savedSegments.map(({ saved_segment_id, name: label }): UserField => {
    const name = `${SAVED_SEGMENTS}.${saved_segment_id}`;
    return { name, type: 'boolean', operators: operatorsOf('boolean'), separator: true, label };
  });
  return [...listed, ...segments];
}

/** The id of the saved segment that a field is about, by the field's name. */
export function savedSegmentOf(name: string): number | undefined {
  const field = reportFields.find(name);
  return field?.root === SAVED_SEGMENTS ? Number(field.key) : undefined;
}

/** The custom property that a field is, by the field's name. */
export function customPropertyOf(name: string): string | undefined {
  const field = reportFields.find(name);
  return field?.root === 'events.properties' && field.type === 'dynamic' ? field.key : undefined;
}

/** A custom property of events, as GET /v1/reports/event-properties lists it. */
export interface EventProperty extends Omit<EventField, 'type'> {
  readonly type: 'dynamic';
  /** The types that its values came with. */
  readonly types: readonly PropertyType[];
  readonly separator: true;
}

export function eventPropertyOf(name: string, types: readonly PropertyType[]): EventProperty {
  const field = `events.properties.${name}`;
  return { name: field, type: 'dynamic', types, operators: operatorsOf('dynamic'), separator: true };
}
