import { requestText, type Value } from '../api.ts';
import { type CsvColumn, csvOf } from '../parts/csv.ts';
import { namedField } from '../parts/names.ts';
import type { Answer, Column } from './answer.ts';
import { breakdownOf } from './cell.ts';
import { changeOf } from './change-of.ts';
import { comparedRows } from './compared-rows.ts';
import { sourceOf } from './config.ts';
import { eventName, fullName, isSame, metricName } from './lines.ts';
import type { NamedReport } from './named-report.ts';
import type { RunReport } from './run.ts';
import type { ReportState } from './state.ts';
import { words } from './words.ts';

/**
 * The CSV of an answer: the service's own, with events named as on the page; compared, with the value before, the difference
 * and the per cent after each value.
 */
export function csvOfReport(run: RunReport, bot: string): Promise<string> {
  if (run.previous !== undefined) return Promise.resolve(comparedCsv(run.state, run.answer, run.previous));
  const body = { ...named(run), format: 'csv' };
  return requestText('/v1/reports/run', { method: 'POST', bot, body });
}

/** The report with the names of events that people read: the service's rows have the names of the request. */
function named({ asked, state }: RunReport): NamedReport {
  if (!('report_config' in asked)) return asked;
  const metrics = state.metrics.map((metric) => ({ ...metric, name: eventName(metric.name, metric.event) }));
  return { report_config: { ...asked.report_config, source_request: sourceOf({ ...state, metrics }) } };
}

/** CSV of an answer beside the answer of the period before. */
export function comparedCsv(state: ReportState, answer: Answer, previous: Answer): string {
  const isTimed = answer.columns[0]?.type === 'date';
  const [columns, rows] = isTimed ? timedCells(state, answer, previous) : rowCells(state, answer, previous);
  return csvOf(columns, rows);
}

type Cells = [CsvColumn[], (readonly (Value | undefined)[])[]];

const comparedColumns = (name: string): CsvColumn[] =>
  ['', words.csv.before, words.csv.difference, words.csv.part].map((part) => ({
    label: part === '' ? name : `${name}, ${part}`,
    isNumber: true,
  }));

function comparedValues(now: Value | undefined, before: Value | undefined): (Value | undefined)[] {
  const change = changeOf(now, before);
  const part = change?.part ?? null;
  return [now, before, change?.difference, part === null ? null : Number((part * 100).toFixed(2))];
}

function timedCells(state: ReportState, answer: Answer, previous: Answer): Cells {
  const [time, ...lines] = answer.columns as [Column, ...Column[]];
  const former = lines.map((line) => previous.columns.slice(1).find((column) => isSame(column, line)));
  const columns = [
    { label: time.label, isNumber: false },
    { label: words.csv.timeBefore, isNumber: false },
    ...lines.flatMap((line) => comparedColumns(fullName(state, line))),
  ];
  const rows = answer.rows.map((row, at) => [
    row[time.key],
    previous.rows[at]?.[time.key],
    ...lines.flatMap(({ key }, index) => comparedValues(row[key], previous.rows[at]?.[former[index]?.key ?? ''])),
  ]);
  return [columns, rows];
}

function rowCells(state: ReportState, answer: Answer, previous: Answer): Cells {
  const isValue = ({ key }: Column): boolean => key === 'value' || /^m\d+$/.test(key);
  const values = answer.columns.filter(isValue);
  const others = answer.columns.filter((column) => !isValue(column) && column.key !== 'metric');
  const split = breakdownOf(answer);
  const nameOf = ({ key, label }: Column): string =>
    key === 'value' ? words.total : metricName(state.metrics[Number(key.slice(1))], label);
  const columns = [
    ...others.map((column) => ({
      label: split.includes(column) ? namedField(column.key).label : column.label,
      isNumber: column.type === 'number',
    })),
    ...values.flatMap((column) => comparedColumns(nameOf(column))),
  ];
  const rows = comparedRows(
    answer,
    previous,
    values.map(({ key }) => key),
  ).map((row) => [
    ...others.map(({ key }) =>
      key === 'label' ? metricName(state.metrics[Number(row['metric'])], String(row['label'])) : row[key],
    ),
    ...values.flatMap(({ key }) => comparedValues(row[key], row[`${key}_before`])),
  ]);
  return [columns, rows];
}
