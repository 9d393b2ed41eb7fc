import { PROPERTY_NAME } from '../intake/properties.ts';
import { type Problem, under } from '../problem.ts';
import { isJsonObject, type JsonObject, property, safeInteger } from '../storable-json.ts';
import { customPropertyOf } from './fields.ts';
import { parseFilter } from './parse-source.ts';
import { type Measure, type Metric, PROPERTY_FIELDS, type PropertyField } from './report.ts';

/** A measure without its field: the caller gives the field as `agr_field`. */
type Aggregation = Exclude<Measure, { type: 'property' }> | Omit<Extract<Measure, { type: 'property' }>, 'field'>;

/** Names of aggregations in tables. Charts have a separate set (interface.md, "Trends"). */
export const TABLE_AGGREGATIONS: ReadonlyMap<string, Aggregation> = new Map<string, Aggregation>([
  ['total', { type: 'count' }],
  ['total_uniq', { type: 'uniques', of: 'user' }],
  ['avg', { type: 'per_user', statistic: 'avg' }],
  ['min', { type: 'per_user', statistic: 'min' }],
  ['max', { type: 'per_user', statistic: 'max' }],
  ['median', { type: 'per_user', statistic: 'median' }],
]);

export const CHART_AGGREGATIONS: ReadonlyMap<string, Aggregation> = new Map<string, Aggregation>([
  ['total', { type: 'count' }],
  ['total_uniq_user_id', { type: 'uniques', of: 'user' }],
  ['total_uniq_session_id', { type: 'uniques', of: 'session' }],
  ['total_uniq_app_session_id', { type: 'uniques', of: 'app_session' }],
  ['avg_user_id', { type: 'per_user', statistic: 'avg' }],
  ['min_user_id', { type: 'per_user', statistic: 'min' }],
  ['max_user_id', { type: 'per_user', statistic: 'max' }],
  ['median_user_id', { type: 'per_user', statistic: 'median' }],
  ['property_sum', { type: 'property', statistic: 'sum' }],
  ['property_avg', { type: 'property', statistic: 'avg' }],
  ['property_min', { type: 'property', statistic: 'min' }],
  ['property_max', { type: 'property', statistic: 'max' }],
  ['property_median', { type: 'property', statistic: 'median' }],
]);

export const METRIC_KEYS = ['type', 'event_id', 'event_name', 'label', 'agr', 'agr_field', 'filters'] as const;

/** Checks one item of `requests` (interface.md, "Trends"). `aggregations` is the set that its chart type uses. */
export function parseMetric(
  input: unknown,
  options: {
    readonly path: string;
    readonly aggregations: ReadonlyMap<string, Aggregation>;
    readonly timezone: string;
    readonly problems: Problem[];
  },
): Metric | undefined {
  const { path, problems } = options;
  if (!isJsonObject(input)) {
    problems.push({ path, message: 'expected a metric: an object' });
    return undefined;
  }
  checkType(input, path, problems);
  const eventId = parseEventId(input, path, problems);
  const eventName = parseText(input, 'event_name', path, problems);
  if (eventName === undefined) problems.push({ path: under(path, 'event_name'), message: 'event_name is required' });
  const label = parseText(input, 'label', path, problems) ?? eventName;
  const measure = parseMeasure(input, options);
  const filter = parseFilter(input, under(path, 'filters'), options);
  if (eventId === undefined || label === undefined || measure === undefined) return undefined;
  return { eventId, label, measure, filter };
}

function checkType(input: JsonObject, path: string, problems: Problem[]): void {
  if (property(input, 'type') !== 'trend')
    problems.push({ path: under(path, 'type'), message: 'type of a metric is trend', allowed: ['trend'] });
}

/** Checks `event_id`. Absent or null means events of every type. */
export function parseEventId(input: JsonObject, path: string, problems: Problem[]): number | null | undefined {
  const at = under(path, 'event_id');
  const value = property(input, 'event_id');
  if (value === undefined) return null;
  const eventId = safeInteger(value);
  if (eventId === undefined) problems.push({ path: at, message: 'expected an integer or null' });
  return eventId;
}

/** Checks a key that takes text. Undefined: the key is absent. */
export function parseText(input: JsonObject, key: string, path: string, problems: Problem[]): string | undefined {
  const value = property(input, key);
  if (value === undefined || typeof value === 'string') return value;
  problems.push({ path: under(path, key), message: 'expected a string' });
  return '';
}

function parseMeasure(
  input: JsonObject,
  { path, aggregations, problems }: Parameters<typeof parseMetric>[1],
): Measure | undefined {
  const name = property(input, 'agr');
  const aggregation = typeof name === 'string' ? aggregations.get(name) : undefined;
  if (aggregation === undefined) {
    const message = name === undefined ? 'agr is required' : 'Unsupported aggregation';
    problems.push({ path: under(path, 'agr'), message, allowed: [...aggregations.keys()] });
    return undefined;
  }
  if (aggregation.type !== 'property') return aggregation;
  const field = property(input, 'agr_field');
  if (isPropertyField(field)) return { ...aggregation, field };
  const message = field === undefined ? `agr_field is required for ${name}` : 'unknown agr_field';
  problems.push({ path: under(path, 'agr_field'), message, allowed: [...PROPERTY_FIELDS, 'events.properties.*'] });
  return undefined;
}

function isPropertyField(field: unknown): field is PropertyField {
  if ((PROPERTY_FIELDS as readonly unknown[]).includes(field)) return true;
  const name = typeof field === 'string' ? customPropertyOf(field) : undefined;
  return name !== undefined && PROPERTY_NAME.test(name);
}
