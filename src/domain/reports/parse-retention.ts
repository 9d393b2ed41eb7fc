import { under } from '../problem.ts';
import { isJsonObject, type JsonObject, property } from '../storable-json.ts';
import { MAX_BUCKETS, retentionCalendar } from './buckets.ts';
import { parseEventId, parseText } from './parse-metric.ts';
import {
  checkChart,
  parseChoice,
  parseCount,
  parseFilter,
  parseSeparators,
  type SourceOptions,
  sourcePath,
} from './parse-source.ts';
import { RETENTION_TYPES, type RetentionReport, type Selection } from './report.ts';
import type { KnownKeys } from './warnings.ts';

/** decisions.md#retention */
const MAX_INTERVALS = 366;
/** interface.md, "Retention" */
const DEFAULT_INTERVALS = 8;

export const RETENTION_GRANULARITIES = ['day', 'week'] as const;

const ENTITY_KEYS: KnownKeys = { type: null, event_id: null, event_name: null, filters: null };
export const RETENTION_KEYS: KnownKeys = {
  type: null,
  type_chart: null,
  target_entity: ENTITY_KEYS,
  returning_entity: ENTITY_KEYS,
  retention_total_intervals: null,
  granularity: null,
  retention_type: null,
  filters: null,
  separators: null,
};

/** Checks a source_request of type retention (interface.md, "Retention"). */
export function parseRetention(source: JsonObject, options: SourceOptions): RetentionReport | undefined {
  const { period, problems } = options;
  checkChart(source, 'retention', problems);
  const start = parseEntity(source, 'target_entity', options);
  const returning = parseEntity(source, 'returning_entity', options);
  const retention = parseChoice(source, 'retention_type', {
    choices: RETENTION_TYPES,
    byDefault: 'retention_first_time',
    problems,
  });
  const filter = parseFilter(source, sourcePath('filters'), options);
  const separators = parseSeparators(property(source, 'separators'), sourcePath('separators'), problems);
  const calendar = parseCalendar(source, options);
  if (period === undefined || start === undefined || returning === undefined) return undefined;
  if (retention === undefined || calendar === undefined) return undefined;
  return { type: 'retention', period, start, returning, retention, calendar, filter, separators };
}

function parseEntity(source: JsonObject, key: string, options: SourceOptions): Selection | undefined {
  const { problems } = options;
  const path = sourcePath(key);
  const entity = property(source, key);
  if (!isJsonObject(entity)) {
    const message = entity === undefined ? `${key} is required: an object` : 'expected an object';
    problems.push({ path, message });
    return undefined;
  }
  if (property(entity, 'type') !== 'event')
    problems.push({ path: under(path, 'type'), message: `type of ${key} is event`, allowed: ['event'] });
  const eventId = parseEventId(entity, path, problems);
  parseText(entity, 'event_name', path, problems); // reports ignore it: it is for readers of the config
  const filter = parseFilter(entity, under(path, 'filters'), options);
  return eventId === undefined ? undefined : { eventId, filter };
}

function parseCalendar(source: JsonObject, { period, problems }: SourceOptions) {
  const granularity = parseChoice(source, 'granularity', {
    choices: RETENTION_GRANULARITIES,
    byDefault: 'day',
    problems,
  });
  const key = 'retention_total_intervals';
  const intervals = parseCount(source, key, { min: 1, max: MAX_INTERVALS, byDefault: DEFAULT_INTERVALS, problems });
  if (period === undefined || granularity === undefined || intervals === undefined) return undefined;
  const calendar = retentionCalendar(period, granularity, { intervals, limit: MAX_BUCKETS });
  if (calendar !== undefined) return calendar;
  const message = `more than ${MAX_BUCKETS} cohorts: narrow the period or widen the granularity`;
  problems.push({ path: sourcePath('granularity'), message });
  return undefined;
}
