import { Readable } from 'node:stream';
import { isLosslessNumber, stringify } from 'lossless-json';
import { isJsonObject, type JsonObject, property } from '../../domain/storable-json.ts';
import type { Cell, Column, ReportAnswer, Row } from '../../queries/reports/answer.ts';
import { type CsvCell, type CsvForm, csvLines } from '../../util/csv.ts';

/** Cells that are formatted in one go. That takes about 10 ms. All other requests wait during this time. */
const CELLS_PER_PART = 10_000;

type Table = Pick<ReportAnswer, 'columns' | 'rows'>;

/** Splits the rows of a report into parts of at most {@link CELLS_PER_PART} cells, but at least one row. */
function* partsOf({ columns, rows }: Table): Generator<readonly Row[]> {
  const size = Math.max(1, Math.floor(CELLS_PER_PART / columns.length));
  for (let from = 0; from < rows.length; from += size) yield rows.slice(from, from + size);
}

/** The part of Fastify's reply that is used here. */
interface TypedReply {
  type(contentType: string): unknown;
}

/**
 * A report as a route's answer. A large one is a stream. It formats the next piece when the caller has read the last.
 */
export function reportJson(reply: TypedReply, data: ReportAnswer): object {
  if (data.rows.length * data.columns.length <= CELLS_PER_PART) return { ok: true, data };
  void reply.type('application/json; charset=utf-8');
  return Readable.from(jsonParts(data), { objectMode: false });
}

function* jsonParts({ rows, columns, meta }: ReportAnswer): Generator<string> {
  yield `{"ok":true,"data":{"columns":${stringify(columns)},"rows":[`;
  let between = '';
  for (const part of partsOf({ rows, columns })) {
    yield between + stringify(part)!.slice(1, -1);
    between = ',';
  }
  yield `],"meta":${stringify(meta)}}}`;
}

const MISSING_VALUE = '(none)';
const OTHER_VALUES = '(other)';

/**
 * A report as CSV: a line of headers, then a line for each row. The header of a broken-down chart line is the metric's label
 * and the line's values. Numbers have all their digits. A measure of no events is empty. A missing value of a breakdown is
 * `(none)`, but empty in the row of other combinations.
 */
export function reportCsv({ columns, rows }: Table, config: unknown, form: CsvForm): Readable {
  const breakdown = breakdownColumns(config);
  const csvCell = (row: Row, key: string): CsvCell => {
    const cell = row[key] ?? null;
    if (typeof cell === 'number') return cell;
    if (cell !== null) return isLosslessNumber(cell) ? { digits: cell.value } : String(cell);
    return breakdown.has(key) && row['other'] !== true ? MISSING_VALUE : '';
  };
  function* parts(): Generator<string> {
    yield csvLines([headersOf(columns, config)], form);
    for (const part of partsOf({ columns, rows }))
      yield csvLines(
        part.map((row) => columns.map(({ key }) => csvCell(row, key))),
        form,
      );
  }
  return Readable.from(parts(), { objectMode: false });
}

/** The headers of the columns. Equal headers get their aggregation added; headers that are still equal get a number. */
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

/** Replaces each header that occurs more than once. */
function distinguished(headers: readonly string[], replace: (header: string, index: number) => string): string[] {
  const times = new Map<string, number>();
  for (const header of headers) times.set(header, (times.get(header) ?? 0) + 1);
  return headers.map((header, i) => (times.get(header) === 1 ? header : replace(header, i)));
}

function headerOf({ label, breakdown, other }: Column, more = ''): string {
  if (breakdown === undefined) return `${label}${more}`;
  const values = Object.values(breakdown).map((cell) => (cell === null ? MISSING_VALUE : cellText(cell)));
  return `${label}${more}: ${other ? OTHER_VALUES : values.join(', ')}`;
}

/** The aggregation of a column's metric, from the report's checked config. Undefined: the column has no metric. */
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

/** The keys of the columns with the values of a breakdown (decisions.md#report-rows), from the report's checked config. */
function breakdownColumns(config: unknown): ReadonlySet<string> {
  const source = sourceOf(config);
  if (property(source, 'type') === 'list') return new Set();
  if (property(source, 'type_chart') === 'utm_table') return new Set(UTM_COLUMNS);
  const separators = property(source, 'separators');
  if (!Array.isArray(separators)) return new Set();
  return new Set(separators.map((item) => String(isJsonObject(item) ? property(item, 'property') : item)));
}
