import { describe, expect, it } from 'vitest';
import { parseReport } from '../../../src/domain/reports/parse-report.ts';

/** Reports that scan timelines: funnels and retention. */

const step = { type: 'trend', event_id: 5, event_name: 'view', agr: 'total' };
const entity = { type: 'event', event_id: 5, event_name: 'view' };
const params = { ':date_from': '2025-01-01 00:00:00', ':date_to': '2025-01-31 23:59:59' };

/** Report configs with keys of source_request replaced; undefined leaves a key out. */
const configOf = (source_request: object) => JSON.parse(JSON.stringify({ source_request, settings: { params } }));
const funnel = (source: object = {}) =>
  configOf({ type: 'funnels', type_chart: 'funnels', requests: [step, step], ...source });
const retention = (source: object = {}) =>
  configOf({
    type: 'retention',
    type_chart: 'retention',
    target_entity: entity,
    returning_entity: entity,
    ...source,
  });

function reportOf(input: unknown, timezone = 'UTC') {
  const parsed = parseReport(input, timezone);
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.problems));
  return parsed.report;
}
function problemsOf(input: unknown) {
  const parsed = parseReport(input, 'UTC');
  return parsed.ok ? [] : parsed.problems;
}

const DAY = 86_400_000;

describe('a funnel', () => {
  it('is ordered, within 14 days, by default', () => {
    const filters = ['=', 'events.unit', 'EUR'];
    const requests = [step, { ...step, event_id: null, label: 'Paid', agr: 'median', filters }];
    expect(reportOf(funnel({ requests }))).toMatchObject({
      type: 'funnels',
      period: { from: Date.UTC(2025, 0, 1), to: Date.UTC(2025, 1, 1) },
      steps: [
        { label: 'view', eventId: 5, filter: null },
        { label: 'Paid', eventId: null, filter: { type: 'one_of' } },
      ],
      windowMs: 14 * DAY,
      order: 'ordered',
      filter: null,
      separators: [],
    });
  });

  it.each<[object, number]>([
    [{ funnel_window: 2, funnel_window_unit: 'second' }, 2000],
    [{ funnel_window: 2, funnel_window_unit: 'minute' }, 120_000],
    [{ funnel_window: 2, funnel_window_unit: 'week' }, 14 * DAY],
    [{ funnel_window: 1, funnel_window_unit: 'month' }, 30 * DAY],
    [{ funnel_window: 3 }, 3 * DAY],
    [{ funnel_window_unit: 'hour' }, 14 * 3_600_000],
    [{ funnel_window: null, funnel_window_unit: null }, 14 * DAY],
  ])('%j is a window of %i ms', (source, windowMs) => {
    expect(reportOf(funnel(source))).toMatchObject({ windowMs });
  });

  it.each<[string, object, string[]]>([
    ['another chart', { type_chart: 'line' }, ['type_chart']],
    ['no chart', { type_chart: undefined }, ['type_chart']],
    ['no steps', { requests: undefined }, ['requests']],
    ['one step', { requests: [step] }, ['requests']],
    ['21 steps', { requests: Array(21).fill(step) }, ['requests']],
    ['an unknown agr', { requests: [step, { ...step, agr: 'count' }] }, ['requests.1.agr']],
    ['a step of another type', { requests: [{ ...step, type: 'event' }, step] }, ['requests.0.type']],
    ['a wrong filter of a step', { requests: [step, { ...step, filters: ['and'] }] }, ['requests.1.filters']],
    ['a wrong shared filter', { filters: [['=', 'events.unit', 'x']] }, ['filters']],
    ['a window of nothing', { funnel_window: 0 }, ['funnel_window']],
    ['a window that is no integer', { funnel_window: 1.5 }, ['funnel_window']],
    ['an unknown unit', { funnel_window_unit: 'days' }, ['funnel_window_unit']],
    ['an unknown order', { funnel_order_type: 'any' }, ['funnel_order_type']],
    ['a wrong separator', { separators: ['events.category'] }, ['separators.0']],
  ])('%s is refused', (_, source, keys) => {
    expect(problemsOf(funnel(source)).map(({ path }) => path)).toEqual(keys.map((key) => `source_request.${key}`));
  });

  it('refuses with a message that names the accepted values', () => {
    expect(problemsOf(funnel({ funnel_order_type: 'any', funnel_window: -1 }))).toEqual([
      { path: 'source_request.funnel_window', message: 'expected an integer, from 1' },
      {
        path: 'source_request.funnel_order_type',
        message: 'unknown funnel_order_type',
        allowed: ['ordered', 'strict', 'unordered'],
      },
    ]);
  });
});

it('accepts values that are exactly at a limit', () => {
  const separators = ['a', 'b', 'c'].map((key) => ({ property: `user.custom_fields.${key}` }));
  expect(problemsOf(funnel({ requests: Array(20).fill(step), separators }))).toEqual([]);
  expect(problemsOf(retention({ retention_total_intervals: 366, separators }))).toEqual([]);
});

describe('retention', () => {
  it('is of first times, over 8 days, by default', () => {
    const report = reportOf(retention());
    expect(report).toMatchObject({
      type: 'retention',
      start: { eventId: 5, filter: null },
      returning: { eventId: 5, filter: null },
      retention: 'retention_first_time',
      calendar: { cohorts: 31, intervals: 8 },
      separators: [],
    });
    const starts = report.type === 'retention' ? report.calendar.starts : [];
    // 31 cohorts; the last has 8 days, and the end of its last day is the last number.
    expect(starts).toHaveLength(31 + 8);
    expect([starts[0], starts.at(-1)]).toEqual([Date.UTC(2025, 0, 1), Date.UTC(2025, 1, 8)]);
  });

  it('has weeks from Monday, in the bot’s time zone', () => {
    const report = reportOf(retention({ granularity: 'week', retention_total_intervals: 1 }), 'Europe/Berlin');
    const starts = report.type === 'retention' ? report.calendar.starts : [];
    expect(report).toMatchObject({ calendar: { cohorts: 5 } });
    expect(starts.map((start) => new Date(start).toISOString().slice(0, 13))).toEqual(
      ['2024-12-29', '2025-01-05', '2025-01-12', '2025-01-19', '2025-01-26', '2025-02-02'].map((day) => `${day}T23`),
    );
  });

  it.each<[string, object, string[]]>([
    ['another chart', { type_chart: 'table' }, ['type_chart']],
    ['no entities', { target_entity: undefined, returning_entity: null }, ['target_entity', 'returning_entity']],
    ['an entity that is no object', { target_entity: 5 }, ['target_entity']],
    ['an entity of another type', { target_entity: { ...entity, type: 'trend' } }, ['target_entity.type']],
    ['an event_id that is text', { returning_entity: { ...entity, event_id: '5' } }, ['returning_entity.event_id']],
    ['a name that is a number', { target_entity: { ...entity, event_name: 5 } }, ['target_entity.event_name']],
    ['a wrong filter', { target_entity: { ...entity, filters: ['or'] } }, ['target_entity.filters']],
    ['no intervals', { retention_total_intervals: 0 }, ['retention_total_intervals']],
    ['more than 366 intervals', { retention_total_intervals: 367 }, ['retention_total_intervals']],
    ['months', { granularity: 'month' }, ['granularity']],
    ['an unknown type', { retention_type: 'first_time' }, ['retention_type']],
    [
      'a field twice',
      { separators: [{ property: 'user.gender' }, { property: 'users.gender' }] },
      ['separators.1.property'],
    ],
    [
      'four separators',
      { separators: ['a', 'b', 'c', 'd'].map((key) => ({ property: `user.custom_fields.${key}` })) },
      ['separators'],
    ],
  ])('%s is refused', (_, source, keys) => {
    expect(problemsOf(retention(source)).map(({ path }) => path)).toEqual(keys.map((key) => `source_request.${key}`));
  });

  it('has at most 10,000 cohorts', () => {
    const long = { ':date_from': '1970-01-01 00:00:00', ':date_to': '2000-01-01 00:00:00' };
    const { source_request } = retention();
    expect(problemsOf({ source_request, settings: { params: long } })).toMatchObject([
      { path: 'source_request.granularity', message: expect.stringMatching(/^more than 10000 cohorts/) },
    ]);
  });
});

it('warns of unknown keys by the type of the report', () => {
  const warnings = (input: unknown) => {
    const parsed = parseReport(input, 'UTC');
    return parsed.ok ? parsed.warnings.map(({ path }) => path) : [];
  };
  expect(warnings(funnel({ funnel_order_type: 'strict', granularity: 'day' }))).toEqual(['source_request.granularity']);
  const target_entity = { ...entity, agr: 'total' };
  expect(warnings(retention({ granularity: 'day', funnel_window: 1, target_entity })).sort()).toEqual([
    'source_request.funnel_window',
    'source_request.target_entity.agr',
  ]);
});
