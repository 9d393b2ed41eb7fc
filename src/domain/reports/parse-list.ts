import type { FieldCatalogue } from '../condition/condition.ts';
import { type Problem, under } from '../problem.ts';
import { isJsonObject, type JsonObject, property } from '../storable-json.ts';
import { type ReportField, reportFields, userRecordFields } from './fields.ts';
import { checkChart, parseCount, parseFilter, type SourceOptions, sourcePath } from './parse-source.ts';
import {
  LIST_DIRECTIONS,
  LIST_TABLES,
  type ListColumn,
  type ListOrder,
  type ListReport,
  type ListTable,
} from './report.ts';
import type { KnownKeys } from './warnings.ts';

/**
 * The most columns that a list returns or orders by (decisions.md#report-bounds). PostgreSQL sorts by at most about 1,600
 * columns.
 */
export const MAX_COLUMNS = 200;
/** interface.md, "List" */
export const LIST_ROWS = { min: 1, max: 1000, byDefault: 50 };

export const LIST_KEYS: KnownKeys = {
  type: null,
  type_chart: null,
  table: null,
  columns: null,
  filters: null,
  order: null,
  limit: null,
  offset: null,
};

/** Checks a source_request of type list (interface.md, "List"). */
export function parseList(source: JsonObject, options: SourceOptions): ListReport | undefined {
  const { period, problems } = options;
  checkChart(source, 'list', problems);
  const table = parseTable(source, problems);
  const catalogue = table === 'users' ? userRecordFields : reportFields;
  const columns = parseColumns(source, catalogue, problems);
  const filter = parseFilter(source, sourcePath('filters'), options, catalogue);
  const order = parseOrder(source, catalogue, problems);
  const limit = parseCount(source, 'limit', { ...LIST_ROWS, problems });
  const offset = parseCount(source, 'offset', { min: 0, max: Number.MAX_SAFE_INTEGER, byDefault: 0, problems });
  if (period === undefined || table === undefined || columns === undefined || order === undefined) return undefined;
  if (limit === undefined || offset === undefined) return undefined;
  return { type: 'list', period, table, columns, filter, order: order ?? latestFirst(table), limit, offset };
}

function parseTable(source: JsonObject, problems: Problem[]): ListTable | undefined {
  const given = property(source, 'table');
  const table = LIST_TABLES.find((one) => one === given);
  const message = given === undefined ? 'table is required' : 'unknown table';
  if (table === undefined) problems.push({ path: sourcePath('table'), message, allowed: LIST_TABLES });
  return table;
}

function parseColumns(
  source: JsonObject,
  catalogue: FieldCatalogue<ReportField>,
  problems: Problem[],
): readonly ListColumn[] | undefined {
  const given = property(source, 'columns');
  const path = sourcePath('columns');
  if (!Array.isArray(given) || given.length === 0 || given.length > MAX_COLUMNS) {
    const message = given === undefined ? 'columns is required: ' : '';
    problems.push({ path, message: `${message}an array of 1 to ${MAX_COLUMNS} names of columns` });
    return undefined;
  }
  const columns: ListColumn[] = [];
  for (const [index, name] of (given as readonly unknown[]).entries()) {
    const column = parseColumn(name, under(path, index), catalogue);
    if ('message' in column) problems.push(column);
    else if (columns.some((other) => other.name === column.name))
      problems.push({ path: under(path, index), message: 'this column is already listed' });
    else columns.push(column);
  }
  return columns;
}

function parseColumn(name: unknown, path: string, catalogue: FieldCatalogue<ReportField>): ListColumn | Problem {
  const field = typeof name === 'string' ? catalogue.find(name) : undefined;
  if (typeof name === 'string' && field !== undefined) return { name, field };
  return { path, message: 'unknown column', allowed: catalogue.names };
}

/** Checks `order`. @returns null: the request has no order; undefined: the order has a mistake */
function parseOrder(
  source: JsonObject,
  catalogue: FieldCatalogue<ReportField>,
  problems: Problem[],
): readonly ListOrder[] | null | undefined {
  const given = property(source, 'order') ?? {};
  const path = sourcePath('order');
  if (!isJsonObject(given) || Object.keys(given).length > MAX_COLUMNS) {
    const message = `expected an object of at most ${MAX_COLUMNS} columns, each asc or desc`;
    problems.push({ path, message });
    return undefined;
  }
  const order: ListOrder[] = [];
  for (const [name, word] of Object.entries(given)) {
    const at = under(path, name);
    const column = parseColumn(name, at, catalogue);
    const direction = LIST_DIRECTIONS.find((one) => one === word);
    if ('message' in column) problems.push(column);
    else if (direction !== undefined) order.push({ field: column.field, direction });
    else problems.push({ path: at, message: 'unknown direction', allowed: LIST_DIRECTIONS });
  }
  return order.length === 0 ? null : order;
}

/** The default order: the latest row first (decisions.md#lists). */
function latestFirst(table: ListTable): readonly ListOrder[] {
  const name = table === 'events' ? 'events.date' : 'user.date_create';
  return [{ field: reportFields.find(name)!, direction: 'desc' }];
}
