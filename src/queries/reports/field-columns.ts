import { LosslessNumber, parse, stringify } from 'lossless-json';
import type { FieldValue } from '../../domain/condition/predicate.ts';
import type { EventColumn, ReportField } from '../../domain/reports/fields.ts';
import type { CodedName, ColumnName } from '../../projections/events/packed/chunk.ts';

/** Where the value of a field stands, for events that are walked. */
export type FieldPlace =
  /** In a coded column, whose values `read` makes values of the field. */
  | { readonly type: 'coded'; readonly column: CodedName; readonly read: (value: string | number) => FieldValue }
  /** A moment, in milliseconds since 1970 UTC. */
  | { readonly type: 'moment'; readonly column: 'date' | 'date_received' }
  /** A label of the UTM combination. */
  | { readonly type: 'utm'; readonly part: UtmPart }
  /** One of the user. */
  | { readonly type: 'user' }
  | { readonly type: 'session'; readonly column: 'session' | 'app_session' };

export type UtmPart = 'source' | 'medium' | 'campaign' | 'term' | 'content';

export function placeOf({ root, key }: ReportField): FieldPlace {
  if (root === 'events.properties') {
    const column = PROPERTY_COLUMNS.get(key);
    if (column !== undefined) return { type: 'coded', column, read: asText };
    return { type: 'coded', column: 'properties', read: (text) => property(text as string, key) };
  }
  if (root !== 'events') return USER;
  switch (key as EventColumn) {
    case 'date':
    case 'date_received':
      return { type: 'moment', column: key as 'date' | 'date_received' };
    case 'user_id':
      return USER;
    case 'event_type_id':
      return { type: 'coded', column: 'event_id', read: asText };
    case 'session_id':
      return { type: 'session', column: 'session' };
    case 'app_session_id':
      return { type: 'session', column: 'app_session' };
    case 'utm_source':
    case 'utm_medium':
    case 'utm_campaign':
    case 'utm_term':
    case 'utm_content': {
      return { type: 'utm', part: key.slice('utm_'.length) as UtmPart };
    }
    default:
      return { type: 'coded', column: key as CodedName, read: asText };
  }
}

/** The column that a field is read from. */
export function columnOf(place: FieldPlace): ColumnName {
  if (place.type === 'user') return 'user_idx';
  return place.type === 'utm' ? 'utm_id' : place.column;
}

const USER: FieldPlace = { type: 'user' };

/** Properties that are columns of their own (decisions.md#report-fields). */
const PROPERTY_COLUMNS: ReadonlyMap<string, CodedName> = new Map(
  (['value_str', 'category', 'webapp_name', 'unit'] as const).map((name) => [name, name]),
);

function asText(value: string | number): string {
  return String(value);
}

/** As `->>` has it. */
function property(text: string, key: string): string | null {
  const properties = parse(text) as Readonly<Record<string, unknown>>;
  const value = Object.hasOwn(properties, key) ? properties[key] : null;
  if (value === null || typeof value === 'string') return value;
  return value instanceof LosslessNumber ? value.value : stringify(value)!;
}
