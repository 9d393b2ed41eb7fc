import type { Value } from '../api.ts';
import type { Answer, Column, Row } from './answer.ts';

/** A number of a report, as POST /v1/reports/users names it (docs/decisions.md#report-cells). */
export type Cell = Readonly<Record<string, unknown>>;

/** Opens the users behind a number. @param title says which number it is */
export type OpenCell = (cell: Cell, title: string) => void;

/** The cell of a chart's line: in a bucket, or over the whole period. */
export function lineCell({ metric, breakdown, other }: Column, bucket?: Value): Cell {
  return {
    series: metric,
    ...(bucket === undefined ? {} : { bucket }),
    ...(breakdown === undefined ? {} : { breakdown, other }),
  };
}

/** The cell of a table's row, in the column of its value: `value`, or `m0`, `m1`, … of campaigns. */
export function tableCell(answer: Answer, row: Row, key: string): Cell {
  return { series: key === 'value' ? row['metric'] : Number(key.slice(1)), ...lineOf(answer, row) };
}

export function funnelCell(answer: Answer, row: Row, kind: 'reached' | 'dropped' | 'in_progress'): Cell {
  return { step: row['step'], kind, ...lineOf(answer, row) };
}

/** @param interval absent: all members of the cohort */
export function retentionCell(answer: Answer, row: Row, interval?: number): Cell {
  return { cohort: row['cohort'], ...(interval === undefined ? {} : { interval }), ...lineOf(answer, row) };
}

/** Columns that are no values of a breakdown. */
const OWN_COLUMNS =
  /^(metric|label|value|m\d+|step|users|share_of_first|share_of_previous|median_seconds|dropped|in_progress|cohort|size|users_\d+|share_\d+)$/;

/** The columns of the breakdown. They stand before `other`, which is there only with a breakdown. */
export function breakdownOf({ columns }: Answer): readonly Column[] {
  const other = columns.findIndex(({ key }) => key === 'other');
  return other < 0 ? [] : columns.slice(0, other).filter(({ key }) => !OWN_COLUMNS.test(key));
}

function lineOf(answer: Answer, row: Row): Cell {
  const columns = breakdownOf(answer);
  if (columns.length === 0) return {};
  return { breakdown: Object.fromEntries(columns.map(({ key }) => [key, row[key] ?? null])), other: row['other'] };
}
