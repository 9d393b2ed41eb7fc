import { parse } from 'lossless-json';
import { describe, expect, it } from 'vitest';
import type { Problem } from '../../../src/domain/problem.ts';
import { parseCell, valueKey } from '../../../src/domain/reports/cell.ts';
import { parseReport } from '../../../src/domain/reports/parse-report.ts';

const metric = { type: 'trend', event_id: 1, event_name: 'a', agr: 'total' };
const entity = { type: 'event', event_id: 1, event_name: 'a' };
const separators = [{ property: 'events.category' }, { property: 'user.is_premium' }];
const SOURCES = {
  chart: { type: 'trends', type_chart: 'line', requests: [metric, metric], granularity: 'day' },
  table: { type: 'trends', type_chart: 'table', requests: [metric], separators },
  utm: { type: 'trends', type_chart: 'utm_trends', requests: [metric], row_limit: 2 },
  funnel: { type: 'funnels', type_chart: 'funnels', requests: [metric, metric] },
  retention: {
    type: 'retention',
    type_chart: 'retention',
    target_entity: entity,
    returning_entity: entity,
    retention_total_intervals: 3,
  },
  list: { type: 'list', type_chart: 'list', table: 'events', columns: ['events.date'] },
};
const DAY = (day: number): string => `2026-01-0${day}T00:00:00+01:00`;
const UTM = { utm_source: 'x', utm_medium: null, utm_campaign: null, utm_term: null, utm_content: null };

function cellOf(source: keyof typeof SOURCES, cell: unknown) {
  const params = { ':date_from': '2026-01-01 00:00:00', ':date_to': '2026-01-05 23:59:59' };
  const parsed = parseReport({ source_request: SOURCES[source], settings: { params } }, 'Europe/Berlin');
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.problems));
  const problems: Problem[] = [];
  return { cell: parseCell(cell, parsed.report, problems), paths: problems.map(({ path }) => path) };
}

describe('a cell of a report', () => {
  it.each<[keyof typeof SOURCES, object | undefined, object]>([
    ['chart', { series: 1 }, { type: 'trends', series: 1, bucket: null, line: null }],
    ['chart', { series: 0, bucket: DAY(3), other: false, breakdown: null }, { series: 0, bucket: 2, line: null }],
    ['table', { series: 0, other: true }, { line: 'other' }],
    [
      'table',
      { series: 0, breakdown: { 'events.category': 'x', 'user.is_premium': null } },
      { line: ['string x', 'null'] },
    ],
    ['utm', { series: 0, bucket: DAY(2), breakdown: UTM }, { bucket: 1 }],
    ['funnel', { step: 2, kind: 'dropped' }, { type: 'funnels', step: 2, kind: 'dropped', line: null }],
    ['retention', { cohort: DAY(5) }, { type: 'retention', cohort: 4, interval: null, line: null }],
    ['retention', { cohort: DAY(1), interval: 2 }, { cohort: 0, interval: 2 }],
    ['list', {}, { type: 'list' }],
    ['list', undefined, { type: 'list' }],
  ])('of %s is named by what its answer shows: %j', (source, given, wanted) => {
    expect(cellOf(source, given)).toMatchObject({ cell: wanted, paths: [] });
  });

  it.each<[keyof typeof SOURCES, unknown, string]>([
    ['chart', undefined, 'cell'],
    ['chart', [0], 'cell'],
    ['chart', {}, 'cell.series'],
    ['chart', { series: 2 }, 'cell.series'],
    ['chart', { series: -1 }, 'cell.series'],
    ['chart', { series: 'toString' }, 'cell.series'],
    ['chart', { series: 0, step: 1 }, 'cell.step'],
    ['chart', { series: 0, bucket: '2026-01-01T00:00:00Z' }, 'cell.bucket'],
    ['chart', { series: 0, bucket: '2026-01-01' }, 'cell.bucket'],
    ['chart', { series: 0, bucket: DAY(6) }, 'cell.bucket'],
    ['chart', { series: 0, bucket: 1 }, 'cell.bucket'],
    ['chart', { series: 0, other: true }, 'cell.other'],
    ['chart', { series: 0, other: 'yes' }, 'cell.other'],
    ['chart', { series: 0, breakdown: {} }, 'cell.breakdown'],
    ['table', { series: 0, bucket: DAY(1), other: true }, 'cell.bucket'],
    ['table', { series: 0 }, 'cell.breakdown'],
    ['table', { series: 0, breakdown: 'x' }, 'cell.breakdown'],
    ['table', { series: 0, breakdown: { 'events.category': 'x' } }, 'cell.breakdown.user.is_premium'],
    ['table', { series: 0, breakdown: { toString: 'x' } }, 'cell.breakdown.toString'],
    [
      'table',
      { series: 0, breakdown: { 'events.category': ['x'], 'user.is_premium': null } },
      'cell.breakdown.events.category',
    ],
    [
      'table',
      { series: 0, other: true, breakdown: { 'events.category': 'x', 'user.is_premium': null } },
      'cell.breakdown.events.category',
    ],
    ['utm', { series: 0, bucket: DAY(3), breakdown: UTM }, 'cell.bucket'],
    ['funnel', { step: 0, kind: 'reached' }, 'cell.step'],
    ['funnel', { step: 3, kind: 'reached' }, 'cell.step'],
    ['funnel', { step: 1 }, 'cell.kind'],
    ['funnel', { step: 1, kind: 'constructor' }, 'cell.kind'],
    ['retention', {}, 'cell.cohort'],
    ['retention', { cohort: DAY(6) }, 'cell.cohort'],
    ['retention', { cohort: DAY(1), interval: 3 }, 'cell.interval'],
    ['list', { row: 1 }, 'cell.row'],
  ])('of %s is refused if the report does not have it: %j', (source, given, path) => {
    const { cell, paths } = cellOf(source, given);
    expect(cell).toBeUndefined();
    expect(paths).toEqual([path]);
  });

  it('names values of a breakdown by type and exact value', () => {
    const keys = ['1', '"1"', '1.0', 'true', '"true"', 'null', '"null"', '12345678901234567890.1'].map((json) =>
      valueKey(parse(json) as never),
    );
    expect(keys[0]).toBe(keys[2]);
    expect(new Set(keys).size).toBe(keys.length - 1);
    expect(keys.at(-1)).toContain('12345678901234567890.1');
  });
});
