import { LosslessNumber } from 'lossless-json';
import { describe, expect, it } from 'vitest';
import { parseReport } from '../../../src/domain/reports/parse-report.ts';
import type { TrendsReport } from '../../../src/domain/reports/report.ts';

const metric = { type: 'trend', event_id: 5, event_name: 'purchase', agr: 'total' };
const params = { ':date_from': '2025-01-01 00:00:00', ':date_to': '2025-01-31 23:59:59' };

/** A report_config with parts replaced; undefined leaves a key out. */
function config(source: object = {}, settings: unknown = { params }): unknown {
  const source_request = { type: 'trends', type_chart: 'line', requests: [metric], ...source };
  return JSON.parse(JSON.stringify({ source_request, settings }));
}
const withMetric = (change: object, type_chart = 'line') =>
  config({ type_chart, requests: [{ ...metric, ...change }] });

function reportOf(input: unknown, timezone = 'UTC'): TrendsReport {
  const parsed = parseReport(input, timezone);
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.problems));
  if (parsed.report.type !== 'trends') throw new Error(parsed.report.type);
  return parsed.report;
}
function problemsOf(input: unknown, timezone = 'UTC') {
  const parsed = parseReport(input, timezone);
  return parsed.ok ? [] : parsed.problems;
}

describe('a report', () => {
  it('of trends has days as buckets by default', () => {
    const report = reportOf(config());
    expect(report).toMatchObject({
      type: 'trends',
      period: { timezone: 'UTC', from: Date.UTC(2025, 0, 1), to: Date.UTC(2025, 1, 1) },
      axis: { granularity: 'day' },
      metrics: [{ eventId: 5, label: 'purchase', measure: { type: 'count' }, filter: null }],
      filter: null,
    });
    expect(report.axis?.starts).toHaveLength(31);
  });

  it('treats null as absent', () => {
    const empty = { filters: null, separators: null, granularity: null };
    expect(reportOf(config(empty))).toEqual(reportOf(config()));
    expect(reportOf(withMetric({ event_id: null, label: null, agr_field: null, filters: null }))).toMatchObject({
      metrics: [{ eventId: null, label: 'purchase' }],
    });
  });

  it.each(['table', 'utm_table'])('as %s has no axis, and ignores the granularity', (type_chart) => {
    for (const granularity of ['hour', 'minute', 5])
      expect(reportOf(config({ type_chart, granularity })).axis).toBeNull();
  });

  it('has metrics with their own label, event and filter', () => {
    const own = { ...metric, label: 'Sales', event_id: new LosslessNumber('7'), filters: ['=', 'events.unit', 'EUR'] };
    const source_request = {
      type: 'trends',
      type_chart: 'bar',
      requests: [metric, own],
      filters: ['>', 'events.value_int', 1],
    };
    expect(reportOf({ source_request, settings: { params } })).toMatchObject({
      metrics: [{ label: 'purchase' }, { label: 'Sales', eventId: 7, filter: { type: 'one_of' } }],
      filter: { type: 'range' },
    });
  });

  it.each(['line', 'bar', 'area', 'pie', 'column', 'number'])('accepts the chart %s', (type_chart) => {
    expect(reportOf(config({ type_chart })).axis).not.toBeNull();
  });

  it('ends after the second of date_to, the later one if the clock shows it twice', () => {
    const twice = { params: { ':date_from': '2025-10-26 02:00:00', ':date_to': '2025-10-26 02:59:59' } };
    expect(reportOf(config({}, twice), 'Europe/Berlin').period).toMatchObject({
      from: Date.UTC(2025, 9, 26, 0),
      to: Date.UTC(2025, 9, 26, 2),
    });
  });

  it('moves a time that the clock skips forward by the gap', () => {
    const skipped = { params: { ':date_from': '2025-03-30 02:30:00', ':date_to': '2025-03-30 02:45:00' } };
    expect(reportOf(config({}, skipped), 'Europe/Berlin').period).toMatchObject({
      from: Date.UTC(2025, 2, 30, 1, 30),
      to: Date.UTC(2025, 2, 30, 1, 45, 1),
    });
  });
});

describe('breakdowns', () => {
  it('are by the fields of separators', () => {
    const separators = [{ property: 'users.gender', color: 'red' }, { property: 'events.category' }];
    expect(reportOf(config({ separators }))).toMatchObject({
      separators: [
        { name: 'users.gender', field: { name: 'user.gender' } },
        { name: 'events.category', field: { name: 'events.category' } },
      ],
      utm: null,
    });
  });

  it.each(['utm_trends', 'utm_table'])('%s is by the whole UTM combination', (type_chart) => {
    const report = reportOf(config({ type_chart }));
    expect(report.separators.map(({ name }) => name)).toEqual([
      ...['utm_source', 'utm_medium', 'utm_campaign', 'utm_term', 'utm_content'],
    ]);
    expect(report.utm).toEqual({ combinations: 25, rows: 100 });
    expect(report.axis === null).toBe(type_chart === 'utm_table');
    expect(reportOf(config({ type_chart, breakdown_limit: 5, row_limit: 5000 })).utm).toEqual({
      combinations: 5,
      rows: 5000,
    });
  });

  it('of the other kind are ignored with a warning', () => {
    const warned = (source: object) => {
      const parsed = parseReport(config(source), 'UTC');
      return parsed.ok && parsed.warnings.map(({ path }) => path);
    };
    expect(warned({ type_chart: 'utm_table', separators: ['x'] })).toEqual(['source_request.separators']);
    expect(warned({ row_limit: 0 })).toEqual(['source_request.row_limit']);
  });
});

describe('aggregations', () => {
  const table = ['total', 'total_uniq', 'avg', 'min', 'max', 'median'];
  const charts = [
    'total',
    'total_uniq_user_id',
    'total_uniq_session_id',
    'total_uniq_app_session_id',
    'avg_user_id',
    'min_user_id',
    'max_user_id',
    'median_user_id',
    'property_sum',
    'property_avg',
    'property_min',
    'property_max',
    'property_median',
  ];
  const agr_field = 'events.value_amount';

  it('of tables and of charts have different names', () => {
    for (const agr of new Set([...table, ...charts])) {
      const refusal = (allowed: string[]) => [
        { path: 'source_request.requests.0.agr', message: 'Unsupported aggregation', allowed },
      ];
      expect(problemsOf(withMetric({ agr, agr_field }, 'table'))).toEqual(table.includes(agr) ? [] : refusal(table));
      expect(problemsOf(withMetric({ agr, agr_field }, 'line'))).toEqual(charts.includes(agr) ? [] : refusal(charts));
    }
  });

  it.each(['count', '', 5, '__proto__', 'TOTAL'])('%j is unsupported', (agr) => {
    expect(problemsOf(withMetric({ agr }))).toMatchObject([{ message: 'Unsupported aggregation' }]);
  });

  it('of a property require the field', () => {
    expect(problemsOf(withMetric({ agr: 'property_sum' }))).toEqual([
      {
        path: 'source_request.requests.0.agr_field',
        message: 'agr_field is required for property_sum',
        allowed: ['events.value_int', 'events.value_amount', 'events.properties.*'],
      },
    ]);
    for (const agr_field of [
      'events.user_id',
      'events.properties.unit',
      'events.properties.a b',
      'user.custom_fields.x',
    ])
      expect(problemsOf(withMetric({ agr: 'property_sum', agr_field }))).toMatchObject([
        { path: 'source_request.requests.0.agr_field', message: 'unknown agr_field' },
      ]);
    expect(reportOf(withMetric({ agr: 'property_sum', agr_field: 'events.properties.price' }))).toMatchObject({
      metrics: [{ measure: { type: 'property', statistic: 'sum', field: 'events.properties.price' } }],
    });
    expect(reportOf(withMetric({ agr: 'property_median', agr_field }))).toMatchObject({
      metrics: [{ measure: { type: 'property', statistic: 'median', field: agr_field } }],
    });
  });
});

describe('what is refused', () => {
  const at = (path: string) => `source_request.${path}`;
  const dates = (from: unknown, to: unknown) => ({ params: { ':date_from': from, ':date_to': to } });

  it.each<[string, unknown, string[]]>([
    ['no object', [], ['report_config']],
    ['nothing', undefined, ['report_config']],
    ['an empty object', {}, ['settings.params.:date_from', 'settings.params.:date_to', 'source_request']],
    ['no settings', config({}, null), ['settings.params.:date_from', 'settings.params.:date_to']],
    ['settings that are no object', config({}, 5), ['settings']],
    ['params that are no object', config({}, { params: [] }), ['settings.params']],
    ['a source_request that is no object', { source_request: 'x', settings: { params } }, ['source_request']],
    ['a missing date', config({}, dates(undefined, '2025-01-01 00:00:00')), ['settings.params.:date_from']],
    [
      'a day that does not exist',
      config({}, dates('2025-02-30 00:00:00', '2025-03-01 00:00:00')),
      ['settings.params.:date_from'],
    ],
    ['a date that is a number', config({}, dates('2025-01-01 00:00:00', 1)), ['settings.params.:date_to']],
    ['a date without a time', config({}, dates('2025-01-01', '2025-01-02 00:00:00')), ['settings.params.:date_from']],
    [
      'years out of bounds',
      config({}, dates('1969-12-31 23:59:59', '2101-01-01 00:00:00')),
      ['settings.params.:date_from', 'settings.params.:date_to'],
    ],
    [
      'a period that ends before it begins',
      config({}, dates('2025-01-01 00:00:01', '2025-01-01 00:00:00')),
      ['settings.params.:date_from'],
    ],
    ['an unknown type', config({ type: 'trend' }), [at('type')]],
    ['an unknown chart', config({ type_chart: 'radar' }), [at('type_chart')]],
    ['no chart', config({ type_chart: undefined }), [at('type_chart')]],
    ['a breakdown_limit below 5', config({ type_chart: 'utm_table', breakdown_limit: 4 }), [at('breakdown_limit')]],
    [
      'a breakdown_limit above 500',
      config({ type_chart: 'utm_trends', breakdown_limit: 501 }),
      [at('breakdown_limit')],
    ],
    ['a row_limit of 0', config({ type_chart: 'utm_table', row_limit: 0 }), [at('row_limit')]],
    ['a row_limit that is text', config({ type_chart: 'utm_table', row_limit: '5' }), [at('row_limit')]],
    ['a row_limit above 5000', config({ type_chart: 'utm_trends', row_limit: 5001 }), [at('row_limit')]],
    ['an unknown granularity', config({ granularity: 'minute' }), [at('granularity')]],
    [
      'more than 10,000 buckets',
      config({ granularity: 'hour' }, dates('2024-01-01 00:00:00', '2025-12-31 00:00:00')),
      [at('granularity')],
    ],
    ['no requests', config({ requests: undefined }), [at('requests')]],
    ['requests that are no array', config({ requests: metric }), [at('requests')]],
    ['no metric', config({ requests: [] }), [at('requests')]],
    ['51 metrics', config({ requests: Array(51).fill(metric) }), [at('requests')]],
    ['a metric that is no object', config({ requests: [metric, 'total'] }), [at('requests.1')]],
    [
      'an empty metric',
      config({ requests: [{}] }),
      [at('requests.0.type'), at('requests.0.event_name'), at('requests.0.agr')],
    ],
    ['a metric of another type', withMetric({ type: 'trends' }), [at('requests.0.type')]],
    ['an event_id that is text', withMetric({ event_id: '5' }), [at('requests.0.event_id')]],
    ['an event_id with a fraction', withMetric({ event_id: 5.5 }), [at('requests.0.event_id')]],
    ['an event_name that is a number', withMetric({ event_name: 5 }), [at('requests.0.event_name')]],
    ['a label that is a number', withMetric({ label: 5 }), [at('requests.0.label')]],
    ['a wrong filter of a metric', withMetric({ filters: [['=', 'events.unit', 'EUR']] }), [at('requests.0.filters')]],
    ['a wrong shared filter', config({ filters: ['=', 'events.units', 'EUR'] }), [at('filters.1')]],
    ['U+0000', withMetric({ label: 'a\0b' }), [at('requests.0.label')]],
    ['a lone surrogate', config({ filters: ['=', 'events.unit', '\ud800'] }), [at('filters.2')]],
  ])('%s', (_, input, paths) => {
    expect(problemsOf(input).map(({ path }) => path)).toEqual(paths);
  });

  it('nothing that is exactly at a limit', () => {
    expect(problemsOf(config({ requests: Array(50).fill(metric) }))).toEqual([]);
    expect(problemsOf(config({ type_chart: 'utm_table', breakdown_limit: 500, row_limit: 1 }))).toEqual([]);
    expect(problemsOf(config({ type_chart: 'table' }, dates('1970-01-01 00:00:00', '2100-12-31 23:59:59')))).toEqual(
      [],
    );
  });

  it('a separator that is not an object, or not in the list, with the message of the interface', () => {
    const wrong = (separators: unknown) => problemsOf(config({ separators }))[0];
    expect(wrong(['events.category'])).toMatchObject({
      path: 'source_request.separators.0',
      message: expect.stringMatching(/^Wrong separator property/),
    });
    for (const property of ['events.user_id', 'events.utm_source', 'events.f_param_id_1', 'category', 5])
      expect(wrong([{ property }])).toMatchObject({
        path: 'source_request.separators.0.property',
        message: expect.stringMatching(/^Wrong separator property/),
      });
    for (const column of ['date', 'value_int', 'value_amount', 'session_id', 'date_received'])
      expect(wrong([{ property: `events.${column}` }])).toMatchObject({ message: 'Wrong separator property' });
    for (const column of ['event_type_id', 'category', 'value_str', 'webapp_name', 'unit'])
      expect(wrong([{ property: `events.${column}` }])).toBeUndefined();
    for (const property of ['events.properties.x', 'user.gender', 'users.gender', 'user.custom_fields.x'])
      expect(wrong([{ property }])).toBeUndefined();
  });

  it('all problems at once', () => {
    const requests = [{ ...metric, agr: 'avg', filters: ['and'] }];
    const paths = problemsOf(config({ requests, granularity: 'year', separators: ['x'] }, {})).map(({ path }) => path);
    expect(paths).toHaveLength(6);
  });
});

describe('warnings', () => {
  it('name every unknown key', () => {
    const input = {
      source_request: {
        type: 'trends',
        type_chart: 'line',
        requests: [metric, { ...metric, filter: [] }],
        granularty: 'day',
      },
      settings: { params: { ...params, ':resource': 1 }, tz: 1 },
      name: 'x',
    };
    const parsed = parseReport(input, 'UTC');
    expect(parsed.ok && parsed.warnings.map(({ path }) => path).sort()).toEqual([
      'name',
      'settings.params.:resource',
      'settings.tz',
      'source_request.granularty',
      'source_request.requests.1.filter',
    ]);
  });

  it('are an empty list for a report without unknown keys', () => {
    expect(parseReport(config(), 'UTC')).toMatchObject({ ok: true, warnings: [] });
  });
});
