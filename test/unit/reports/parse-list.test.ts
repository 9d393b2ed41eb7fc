import { LosslessNumber } from 'lossless-json';
import { describe, expect, it } from 'vitest';
import { parseReport } from '../../../src/domain/reports/parse-report.ts';
import type { ListReport } from '../../../src/domain/reports/report.ts';

const params = { ':date_from': '2025-01-01 00:00:00', ':date_to': '2025-01-31 23:59:59' };

/** A report_config of a list with keys of source_request replaced; undefined leaves a key out. */
function list(source: object = {}): unknown {
  const source_request = { type: 'list', type_chart: 'list', table: 'events', columns: ['events.date'], ...source };
  return { source_request, settings: { params } };
}
function parsed(source: object) {
  const result = parseReport(list(source), 'UTC');
  if (!result.ok) throw new Error(JSON.stringify(result.problems));
  return { report: result.report as ListReport, warnings: result.warnings };
}
function problemsOf(source: object) {
  const result = parseReport(list(source), 'UTC');
  return result.ok ? [] : result.problems;
}

describe('a list', () => {
  it('has the 50 latest records by default', () => {
    expect(parsed({}).report).toMatchObject({
      type: 'list',
      period: { timezone: 'UTC', from: Date.UTC(2025, 0, 1), to: Date.UTC(2025, 1, 1) },
      table: 'events',
      columns: [{ name: 'events.date', field: { root: 'events', key: 'date', type: 'date' } }],
      filter: null,
      order: [{ field: { name: 'events.date' }, direction: 'desc' }],
      limit: 50,
      offset: 0,
    });
    const nothing = { filters: null, order: {}, limit: null, offset: null };
    expect(parsed(nothing).report).toEqual(parsed({}).report);
    expect(parsed({ table: 'users', columns: ['user.user_id'] }).report.order).toMatchObject([
      { field: { name: 'user.date_create' }, direction: 'desc' },
    ]);
  });

  it('keeps the names of its columns, and the sequence of its order', () => {
    const { report, warnings } = parsed({
      columns: ['users.username', 'user.username', 'events.properties.x.y'],
      order: { 'events.value_amount': 'desc', 'users.custom_fields.level': 'asc' },
      limit: new LosslessNumber('1000'),
      offset: 1001,
      filters: ['=', 'user.is_premium', true],
    });
    expect(report).toMatchObject({
      columns: [
        { name: 'users.username', field: { name: 'user.username' } },
        { name: 'user.username', field: { name: 'user.username' } },
        { name: 'events.properties.x.y', field: { root: 'events.properties', key: 'x.y' } },
      ],
      order: [
        { field: { name: 'events.value_amount' }, direction: 'desc' },
        { field: { name: 'user.custom_fields.level' }, direction: 'asc' },
      ],
      limit: 1000,
      offset: 1001,
      filter: { type: 'one_of' },
    });
    expect(warnings).toEqual([]);
  });

  it('has up to 200 columns, and warns of unknown keys', () => {
    const columns = Array.from({ length: 200 }, (_, index) => `events.properties.p${index}`);
    const { report, warnings } = parsed({ columns, separators: [], ofset: 1 });
    expect(report.columns).toHaveLength(200);
    expect(warnings.map(({ path }) => path)).toEqual(['source_request.separators', 'source_request.ofset']);
  });
});

describe('a list is refused', () => {
  const at = (...paths: string[]) => paths.map((path) => `source_request.${path}`);
  const many = Array.from({ length: 201 }, (_, index) => `events.properties.p${index}`);
  const inUsers = { table: 'users', columns: ['user.user_id'] };

  it.each<[string, object, string[]]>([
    ['as another chart', { type_chart: 'table' }, at('type_chart')],
    ['without a table', { table: undefined }, at('table')],
    ['of an unknown table', { table: 'visits' }, at('table')],
    ['without columns', { columns: undefined }, at('columns')],
    ['with none', { columns: [] }, at('columns')],
    ['with columns that are no array', { columns: 'events.date' }, at('columns')],
    ['with more than 200 columns', { columns: many }, at('columns')],
    ['with unknown columns', { columns: ['date', 'events.date', 'events.f_param_id_1', 7] }, at(...places(0, 2, 3))],
    ['with a column twice', { columns: ['events.date', 'events.unit', 'events.date'] }, at('columns.2')],
    ['of users with columns of events', { ...inUsers, columns: ['events.date', 'user.gender'] }, at('columns.0')],
    ['of users with filters of events', { ...inUsers, filters: ['=', 'events.properties.x', 'a'] }, at('filters.1')],
    ['of users by events', { ...inUsers, order: { 'events.date': 'asc' } }, at('order.events.date')],
    ['with a wrong filter', { filters: ['and'] }, at('filters')],
    ['by what is no object', { order: ['events.date'] }, at('order')],
    ['by an unknown column', { order: { date: 'asc' } }, at('order.date')],
    ['in an unknown direction', { order: { 'events.date': 'DESC' } }, at('order.events.date')],
    ['in no direction', { order: { 'events.date': null } }, at('order.events.date')],
    ['by more than 200 columns', { order: Object.fromEntries(many.map((name) => [name, 'asc'])) }, at('order')],
    ['of no rows', { limit: 0 }, at('limit')],
    ['of more than 1000 rows', { limit: 1001 }, at('limit')],
    ['with a limit that is text', { limit: '50' }, at('limit')],
    ['from before its start', { offset: -1 }, at('offset')],
    ['from a part of a row', { offset: 1.5 }, at('offset')],
    [
      'with all problems at once',
      { table: 'x', columns: [], filters: 1, order: 1, limit: 0 },
      at('table', 'columns', 'filters', 'order', 'limit'),
    ],
  ])('%s', (_, source, paths) => {
    expect(problemsOf(source).map(({ path }) => path)).toEqual(paths);
  });

  function places(...indexes: number[]): string[] {
    return indexes.map((index) => `columns.${index}`);
  }

  it('with the accepted values', () => {
    expect(problemsOf({ table: undefined })).toMatchObject([
      { message: 'table is required', allowed: ['events', 'users'] },
    ]);
    const [unknown] = problemsOf({ ...inUsers, columns: ['events.date'] });
    expect(unknown?.allowed).toContain('user.custom_fields.*');
    expect(unknown?.allowed?.filter((name) => name.startsWith('events'))).toEqual([]);
    expect(problemsOf({ columns: ['x'] })[0]?.allowed).toContain('events.utm_source');
    expect(problemsOf({ order: { 'events.date': 1 } })[0]?.allowed).toEqual(['asc', 'desc']);
  });
});
