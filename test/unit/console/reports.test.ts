import { describe, expect, it } from 'vitest';
import { daysToday } from '../../../console/src/dashboard/span.ts';
import { filterWords } from '../../../console/src/parts/filter-words.ts';
import type { Answer, Row } from '../../../console/src/reports/answer.ts';
import { type Cell, funnelCell, retentionCell, tableCell } from '../../../console/src/reports/cell.ts';
import { configOf, savedConfigOf, stateOf } from '../../../console/src/reports/config.ts';
import { before, daysOf, PRESETS } from '../../../console/src/reports/period.ts';
import {
  AMOUNT_FIELDS,
  CHART_AGGREGATIONS,
  CHARTS,
  COHORT_TYPES,
  FUNNEL_ORDERS,
  GRANULARITIES,
  type ReportState,
  readState,
  START,
  TABLE_AGGREGATIONS,
  WINDOW_UNITS,
  withType,
  writeState,
} from '../../../console/src/reports/state.ts';
import { words } from '../../../console/src/reports/words.ts';
import { operatorsOf } from '../../../src/domain/condition/condition-operators.ts';
import { WINDOW_UNITS as windowUnits } from '../../../src/domain/reports/parse-funnel.ts';
import {
  CHART_AGGREGATIONS as chartAggregations,
  TABLE_AGGREGATIONS as tableAggregations,
} from '../../../src/domain/reports/parse-metric.ts';
import { parseReport } from '../../../src/domain/reports/parse-report.ts';
import * as report from '../../../src/domain/reports/report.ts';

const ALL_AGGREGATIONS = [...new Set([...chartAggregations.keys(), ...tableAggregations.keys()])];

const DAYS = { from: '2026-03-01', to: '2026-03-31' };
const CONDITION = { field: 'user.language_code', operator: '=', value: 'en' };
const STATES: readonly ReportState[] = [
  START,
  { ...START, chart: 'table', metrics: [{ event: 3, name: 'pay', agr: 'avg' }], breakdown: ['events.category'] },
  { ...START, metrics: [{ event: 3, name: 'pay', agr: 'property_sum', field: 'events.value_amount' }] },
  { ...START, metrics: [{ event: 3, name: 'pay', agr: 'property_avg', field: 'events.properties.items' }] },
  {
    ...START,
    filter: {
      join: 'or',
      items: [CONDITION, { join: 'and', items: [CONDITION, { ...CONDITION, operator: 'in', value: ['a', 'b'] }] }],
    },
  },
  { ...START, filter: { join: 'and', items: [{ field: 'events.value_int', operator: 'between', value: [1, 2] }] } },
  withType(START, 'utm', 'utm_table'),
  withType(START, 'funnels', 'funnels'),
  { ...withType(START, 'retention', 'retention'), granularity: 'week' },
  withType(START, 'list', 'list'),
];

const sourceOf = (state: ReportState) => configOf(state, DAYS)['source_request'] as object;

describe('a state of the report page', () => {
  it.each(STATES)('is a report that the service can parse, and comes back from it: %#', (state) => {
    const config = configOf(state, DAYS);
    expect(parseReport(config, 'UTC')).toMatchObject({ ok: true });
    const { period: _, compare: __, ...rest } = stateOf(config, START)!;
    expect(rest).toEqual(expect.objectContaining({ type: state.type, chart: state.chart, breakdown: state.breakdown }));
    expect(configOf(stateOf(config, START)!, DAYS)).toEqual(config);
  });

  it.each(STATES)('comes back from the address: %#', (state) => {
    expect(readState(writeState(state))).toEqual({ state, leftOut: [] });
  });

  it.each([
    ['a list of users', { type: 'list', type_chart: 'list', table: 'users', columns: ['user.user_id'] }, DAYS.from],
    ['an order of rows', { ...sourceOf(withType(START, 'list', 'list')), order: { 'events.date': 'asc' } }, DAYS.from],
    ['a time of day', sourceOf(START), `${DAYS.from} 12:00:00`],
  ])('is no state of a report that has %s: the builder would lose it', (_, source_request, from) => {
    const params = { ':date_from': from.padEnd(19, ' 00:00:00'), ':date_to': `${DAYS.to} 23:59:59` };
    expect(stateOf({ source_request, settings: { params } }, START)).toBeNull();
  });

  it.each([null, '', 'no JSON', '{"type":"nothing"}', '{"type":"funnels","chart":"pie"}'])(
    'is a report that can be run whatever the address says: %s',
    (text) => {
      expect(parseReport(configOf(readState(text).state, DAYS), 'UTC')).toMatchObject({ ok: true });
    },
  );

  it.each([
    ['period', 'soon'],
    ['period', { from: '2026-02-31', to: '2026-03-01' }],
    ['period', { from: '2026-03-02', to: '2026-03-01' }],
    ['period', { from: 'garbage', to: 5 }],
    ['filter', { items: [] }],
    ['filter', { join: 'and', items: [{ field: 'user.language_code', operator: 'in', value: 'en' }] }],
    ['filter', { join: 'and', items: [{ join: 'or', items: [{ field: 'x', operator: 'between', value: [1] }] }] }],
    ['filter', null],
    ['breakdown', 'user.language_code'],
    ['breakdown', [1]],
    ['metrics', [{ event: 'x', name: 'x', agr: 'total' }]],
    ['metrics', [{ event: 1, name: 'x', agr: 'all' }]],
    ['granularity', 'year'],
    ['chart', 'heart'],
    ['chart', 5],
    ['funnel', { order: 'ordered' }],
    ['retention', { ...START.retention, intervals: '8' }],
    ['list', { columns: [5], limit: 5 }],
    ['uuid', {}],
  ])('leaves out what it cannot read of a link, and names it: %s %j', (key, value) => {
    const { state, leftOut } = readState(JSON.stringify({ type: 'trends', [key]: value, compare: true }));
    expect({ state, leftOut }).toEqual({ state: { ...START, compare: true }, leftOut: [key] });
  });

  it('is saved with the preset of its period, which comes back, and which the service keeps without a warning', () => {
    const config = savedConfigOf({ ...START, period: '7d' }, DAYS);
    expect(parseReport(config, 'UTC')).toMatchObject({ ok: true, warnings: [] });
    expect(stateOf(config, START)!.period).toBe('7d');
    expect(
      stateOf({ ...config, settings: { ...(config['settings'] as object), period: 'soon' } }, START)!.period,
    ).toEqual(DAYS);
    const fixed = { ...START, period: DAYS };
    expect(savedConfigOf(fixed, DAYS)).toEqual(configOf(fixed, DAYS));
  });

  it('of the dashboard: a saved preset moves, and saved days end today', () => {
    const now = new Date('2026-05-10T23:30:00Z');
    const days = (config: ReturnType<typeof configOf>) => daysToday(config, 'Europe/Berlin', now);
    expect(days(savedConfigOf({ ...START, period: 'month' }, DAYS))).toEqual({ from: '2026-05-01', to: '2026-05-11' });
    expect(days(configOf(START, { from: '2026-03-01', to: '2026-03-07' }))).toEqual({
      from: '2026-05-05',
      to: '2026-05-11',
    });
  });

  it('keeps what is counted when the chart changes', () => {
    expect(withType(START, 'trends', 'table').metrics[0]!.agr).toBe('total_uniq');
    expect(withType(withType(START, 'trends', 'table'), 'trends', 'line')).toEqual(START);
  });
});

describe('the words of the report page', () => {
  it.each<[string, readonly string[], readonly string[]]>([
    ['aggregations of charts', CHART_AGGREGATIONS, [...chartAggregations.keys()]],
    ['aggregations of tables', TABLE_AGGREGATIONS, [...tableAggregations.keys()]],
    ['names of aggregations', Object.keys(words.aggregations), ALL_AGGREGATIONS],
    ['fields of amounts', AMOUNT_FIELDS, report.PROPERTY_FIELDS],
    ['granularities', GRANULARITIES, report.GRANULARITIES],
    ['orders of funnels', FUNNEL_ORDERS, report.FUNNEL_ORDERS],
    ['units of windows', WINDOW_UNITS, windowUnits],
    ['types of cohorts', COHORT_TYPES, report.RETENTION_TYPES],
  ])('are those of the service: %s', (_, console, service) => {
    expect([...console].sort()).toEqual([...service].sort());
  });

  it('are those of the service: charts, and operators of reports', () => {
    const parsed = parseReport(configOf({ ...START, chart: 'nothing' }, DAYS), 'UTC');
    const allowed = parsed.ok ? [] : parsed.problems[0]!.allowed!;
    expect([...CHARTS.trends, ...CHARTS.utm].sort()).toEqual([...allowed].sort());
    expect(Object.keys(filterWords.operators)).toEqual(expect.arrayContaining([...operatorsOf('number')]));
  });
});

describe('a cell', () => {
  const answerOf = (row: Row): Answer => {
    const columns = Object.keys(row).map((key) => ({ key, label: key, type: 'string' as const }));
    return { columns, rows: [row], meta: {} as Answer['meta'] };
  };

  it.each<[string, Row, (answer: Answer, row: Row) => Cell, Cell]>([
    [
      'of a table',
      { metric: 1, label: 'Buy', 'events.category': 'x', other: false, value: 3 },
      (answer, row) => tableCell(answer, row, 'value'),
      { series: 1, breakdown: { 'events.category': 'x' }, other: false },
    ],
    [
      'of campaigns',
      { utm_source: 'ads', utm_medium: null, other: false, m0: 1, m12: 4 },
      (answer, row) => tableCell(answer, row, 'm12'),
      { series: 12, breakdown: { utm_source: 'ads', utm_medium: null }, other: false },
    ],
    [
      'of a funnel',
      { step: 2, label: 'Buy', users: 3, dropped: 1 },
      (answer, row) => funnelCell(answer, row, 'dropped'),
      { step: 2, kind: 'dropped' },
    ],
    [
      'of retention',
      { 'user.is_premium': true, other: false, cohort: 'C', size: 1, users_0: 1, share_0: 1 },
      (answer, row) => retentionCell(answer, row, 0),
      { cohort: 'C', interval: 0, breakdown: { 'user.is_premium': true }, other: false },
    ],
    ['of a cohort', { cohort: 'C', size: 1 }, (answer, row) => retentionCell(answer, row), { cohort: 'C' }],
  ])('%s names what its row shows', (_, row, of, cell) => {
    expect(of(answerOf(row), row)).toEqual(cell);
  });
});

describe('a period', () => {
  const now = new Date('2026-03-01T01:30:00Z');

  it('is in the zone of the bot', () => {
    expect(daysOf('today', 'UTC', now)).toEqual({ from: '2026-03-01', to: '2026-03-01' });
    expect(daysOf('today', 'America/New_York', now)).toEqual({ from: '2026-02-28', to: '2026-02-28' });
  });

  it.each([
    ['yesterday', '2026-02-28', '2026-02-28'],
    ['7d', '2026-02-23', '2026-03-01'],
    ['30d', '2026-01-31', '2026-03-01'],
    ['month', '2026-03-01', '2026-03-01'],
    ['last-month', '2026-02-01', '2026-02-28'],
  ] as const)('%s', (preset, from, to) => {
    expect(daysOf(preset, 'UTC', now)).toEqual({ from, to });
  });

  it.each(PRESETS)('%s has a period of the same length before it', (preset) => {
    const days = daysOf(preset, 'Europe/Berlin', now);
    const earlier = before(days);
    const length = ({ from, to }: typeof days): number => Date.parse(to) - Date.parse(from);
    expect(length(earlier)).toBe(length(days));
    expect(Date.parse(days.from) - Date.parse(earlier.to)).toBe(86_400_000);
  });
});
