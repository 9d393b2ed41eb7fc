import { completeOf, filterOf, type Group, groupFrom } from '../parts/filter.ts';
import { isWithin } from '../parts/within.ts';
import type { Span } from './compared-period.ts';
import type { Days } from './period.ts';
import { PRESETS, type Preset } from './period.ts';
import { type Metric, needsField, type ReportState } from './state.ts';

/** A `report_config` of the API (docs/interface.md, "Report configuration"). */
export type ReportConfig = Readonly<Record<string, unknown>>;

/** The `settings` of a saved configuration, which the service has checked; `period` is the client's own. */
export interface SavedSettings {
  readonly params: { readonly ':date_from': string; readonly ':date_to': string };
  readonly period?: Preset;
}

/** The configuration of a state over the given days. */
export function configOf(state: ReportState, { from, to }: Days): ReportConfig {
  return configOver(state, { from: `${from} 00:00:00`, to: `${to} 23:59:59` });
}

/** The configuration of a state between two local times. */
export function configOver(state: ReportState, { from, to }: Span): ReportConfig {
  return { source_request: sourceOf(state), settings: { params: { ':date_from': from, ':date_to': to } } };
}

/** The configuration to save: with the preset of its period, which moves with the day (docs/decisions.md#saved-periods). */
export function savedConfigOf(state: ReportState, days: Days): ReportConfig {
  const config = configOf(state, days);
  const { period } = state;
  return typeof period === 'object' ? config : { ...config, settings: { ...(config['settings'] as object), period } };
}

/** The `source_request` of a state, without a period. */
export function sourceOf(state: ReportState): Readonly<Record<string, unknown>> {
  const { type, chart, metrics, granularity, funnel, retention, list } = state;
  const filters = filterFrom(state.filter);
  const separators = state.breakdown.map((property) => ({ property }));
  const shared = {
    ...(filters === null ? {} : { filters }),
    ...(separators.length === 0 || type === 'utm' || type === 'list' ? {} : { separators }),
  };
  switch (type) {
    case 'trends':
    case 'utm':
      return { type: 'trends', type_chart: chart, requests: metrics.map(metricOf), granularity, ...shared };
    case 'funnels':
      return {
        type,
        type_chart: type,
        requests: metrics.map(stepOf),
        funnel_order_type: funnel.order,
        funnel_window: funnel.window,
        funnel_window_unit: funnel.unit,
        ...shared,
      };
    case 'retention':
      return {
        type,
        type_chart: type,
        target_entity: entityOf(metrics[0]!),
        returning_entity: entityOf(metrics[1]!),
        retention_total_intervals: retention.intervals,
        retention_type: retention.cohorts,
        granularity,
        ...shared,
      };
    case 'list':
      return { type, type_chart: type, table: 'events', columns: list.columns, limit: list.limit, ...shared };
  }
}

/** The filter of a group without conditions that have no value yet. */
const filterFrom = (group: Group): readonly unknown[] | null => filterOf(completeOf(group));

const filtersOf = ({ filter }: Metric): Readonly<Record<string, unknown>> => {
  const filters = filter === undefined ? null : filterFrom(filter);
  return filters === null ? {} : { filters };
};

function metricOf(metric: Metric): Readonly<Record<string, unknown>> {
  const { event, name, agr, field } = metric;
  const counted = needsField(agr) ? { agr, agr_field: field } : { agr };
  return { type: 'trend', event_id: event, event_name: name, ...counted, ...filtersOf(metric) };
}

/** A step of a funnel counts people by itself. */
const stepOf = (metric: Metric): Readonly<Record<string, unknown>> => metricOf({ ...metric, agr: 'total' });

function entityOf(metric: Metric): Readonly<Record<string, unknown>> {
  return { type: 'event', event_id: metric.event, event_name: metric.name, ...filtersOf(metric) };
}

/** A saved configuration as the form has it. */
export interface ReadConfig {
  /** Of a configuration beyond the form: near enough to show its answer. */
  readonly state: ReportState;
  /** Settings that the form would lose, as the configuration names them. */
  readonly beyond: readonly string[];
}

/** The state of a saved report's configuration; null: it has settings that the form would lose. */
export function stateOf(config: ReportConfig, start: ReportState): ReportState | null {
  const read = readConfig(config, start);
  return read === null || read.beyond.length > 0 ? null : read.state;
}

/** Reads a saved configuration. Null: it is none that this console knows. */
export function readConfig(config: ReportConfig, start: ReportState): ReadConfig | null {
  const source = config['source_request'] as Readonly<Record<string, unknown>> | undefined;
  const { params, period } = (config['settings'] ?? {}) as Partial<SavedSettings>;
  if (source === undefined || params === undefined) return null;
  const chart = String(source['type_chart']);
  const type = chart.startsWith('utm_') ? 'utm' : (String(source['type']) as ReportState['type']);
  const retention = type === 'retention';
  const requests = (retention ? [source['target_entity'], source['returning_entity']] : source['requests']) as
    | readonly Readonly<Record<string, unknown>>[]
    | undefined;
  const days = { from: params[':date_from'].slice(0, 10), to: params[':date_to'].slice(0, 10) };
  const state: ReportState = {
    ...start,
    type,
    chart,
    metrics: (requests ?? []).map((request) => metricFrom(request)),
    filter: groupFrom(source['filters']),
    breakdown: ((source['separators'] ?? []) as readonly { property: string }[]).map(({ property }) => property),
    period: period !== undefined && PRESETS.includes(period) ? period : days,
    granularity: (source['granularity'] ?? start.granularity) as ReportState['granularity'],
    funnel: {
      order: (source['funnel_order_type'] ?? start.funnel.order) as ReportState['funnel']['order'],
      window: Number(source['funnel_window'] ?? start.funnel.window),
      unit: (source['funnel_window_unit'] ?? start.funnel.unit) as ReportState['funnel']['unit'],
    },
    retention: {
      ...start.retention,
      cohorts: (source['retention_type'] ?? start.retention.cohorts) as ReportState['retention']['cohorts'],
      intervals: Number(source['retention_total_intervals'] ?? start.retention.intervals),
    },
    list: {
      columns: (source['columns'] ?? start.list.columns) as readonly string[],
      limit: Number(source['limit'] ?? start.list.limit),
    },
  };
  return { state, beyond: beyondForm(config, configOf(state, days)) };
}

/** Parts of a configuration that the form's own does not have. */
function beyondForm(config: ReportConfig, form: ReportConfig): string[] {
  const parts = (of: ReportConfig): Readonly<Record<string, unknown>> => {
    const { params, ...settings } = of['settings'] as Readonly<Record<string, unknown>>;
    return { ...(of['source_request'] as object), ...settings, params };
  };
  const known = parts(form);
  return Object.entries(parts(config)).flatMap(([key, value]) =>
    CAPTIONS.includes(key) || isWithin(value, known[key], CAPTIONS) ? [] : [key],
  );
}

/** Names for readers, and the preset of the period: they change no number. */
const CAPTIONS = ['label', 'event_name', 'period'];

function metricFrom(request: Readonly<Record<string, unknown>>): Metric {
  const field = request['agr_field'] as Metric['field'];
  return {
    event: (request['event_id'] ?? null) as number | null,
    name: String(request['label'] ?? request['event_name']),
    agr: (request['agr'] ?? 'total') as Metric['agr'],
    ...(field === undefined ? {} : { field }),
    ...(request['filters'] == null ? {} : { filter: groupFrom(request['filters']) }),
  };
}
