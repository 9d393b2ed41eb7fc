import { Readable } from 'node:stream';
import { stringify } from 'csv-stringify/sync';
import { isLosslessNumber } from 'lossless-json';
import { isJsonObject, type JsonObject, property } from '../../domain/json.ts';
import type { Cell, Column, Row } from '../../queries/reports/answer.ts';
import { partsOf, type Table } from './parts.ts';

const MISSING_VALUE = '(none)';
const OTHER_VALUES = '(other)';

/**
 * A report as CSV (RFC 4180, lines end in LF): the labels, then a line a row. A chart's line that is broken down has its
 * values in its label, which all lines of a metric share. Numbers have all their digits, and text is as
 * it is, in a cell that a spreadsheet would take for a formula too. A measure of nothing is empty; a value by which the
 * report is broken down and that is missing reads `(none)`, but not in the row of all others.
 */
export function reportCsv({ columns, rows }: Table, config: unknown): Readable {
  const breakdown = breakdownColumns(config);
  const text = (row: Row, key: string): string => {
    const cell = row[key] ?? null;
    if (cell !== null) return cellText(cell);
    return breakdown.has(key) && row['other'] !== true ? MISSING_VALUE : '';
  };
  function* parts(): Generator<string> {
    yield lines([headersOf(columns, config)]);
    for (const part of partsOf({ columns, rows }))
      yield lines(part.map((row) => columns.map(({ key }) => text(row, key))));
  }
  return Readable.from(parts(), { objectMode: false });
}

/** A carriage return alone ends a line to some readers. */
const lines = (cells: string[][]): string => stringify(cells, { quoted_match: /\r/ });

/** Headers that are alike are told apart: by what the columns measure, and those that are still alike by a number. */
function headersOf(columns: readonly Column[], config: unknown): string[] {
  const labels = columns.map((column) => headerOf(column));
  const measured = distinguished(labels, (label, i) => {
    const aggregation = aggregationOf(columns[i]!, config);
    return aggregation === undefined ? label : headerOf(columns[i]!, ` (${aggregation})`);
  });
  const taken = new Set(measured);
  return distinguished(measured, (header) => {
    let number = 1;
    while (taken.has(`${header} ${number}`)) number++;
    taken.add(`${header} ${number}`);
    return `${header} ${number}`;
  });
}

/** Headers of which those that are alike are what `other` makes of them. */
function distinguished(headers: readonly string[], other: (header: string, index: number) => string): string[] {
  const times = new Map<string, number>();
  for (const header of headers) times.set(header, (times.get(header) ?? 0) + 1);
  return headers.map((header, i) => (times.get(header) === 1 ? header : other(header, i)));
}

function headerOf({ label, breakdown, other }: Column, more = ''): string {
  if (breakdown === undefined) return `${label}${more}`;
  const values = Object.values(breakdown).map((cell) => (cell === null ? MISSING_VALUE : cellText(cell)));
  return `${label}${more}: ${other ? OTHER_VALUES : values.join(', ')}`;
}

/** What a column of a metric measures, from the report's checked config; undefined: the column has no metric. */
function aggregationOf({ key, metric }: Column, config: unknown): string | undefined {
  const index = metric ?? /^m(\d+)$/.exec(key)?.[1];
  const requests = property(sourceOf(config), 'requests');
  const request: unknown = index === undefined || !Array.isArray(requests) ? undefined : requests[Number(index)];
  if (!isJsonObject(request)) return undefined;
  const names = [property(request, 'agr'), property(request, 'agr_field')];
  return names.filter((name) => typeof name === 'string').join(' ');
}

function sourceOf(config: unknown): JsonObject {
  const source = isJsonObject(config) ? property(config, 'source_request') : undefined;
  return isJsonObject(source) ? source : {};
}

function cellText(cell: NonNullable<Cell>): string {
  return isLosslessNumber(cell) ? cell.value : String(cell);
}

const UTM_COLUMNS = ['utm_source', 'utm_medium', 'utm_campaign', 'utm_term', 'utm_content'];

/** The columns that hold what a report is broken down by (decisions.md#report-rows), from its checked config. */
function breakdownColumns(config: unknown): ReadonlySet<string> {
  const source = sourceOf(config);
  if (property(source, 'type') === 'list') return new Set();
  if (property(source, 'type_chart') === 'utm_table') return new Set(UTM_COLUMNS);
  const separators = property(source, 'separators');
  if (!Array.isArray(separators)) return new Set();
  return new Set(separators.map((item) => String(isJsonObject(item) ? property(item, 'property') : item)));
}
