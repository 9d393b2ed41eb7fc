import type { FieldValue } from '../../domain/condition/predicate.ts';
import { isoWithOffset } from '../../domain/local-time.ts';
import type { Axis, TrendsReport } from '../../domain/reports/report.ts';
import { type Cell, type Column, measureCell, type Row, type Rows } from './answer.ts';
import { breakdownColumns, cellsOf } from './combination-cells.ts';
import type { ValueOf } from './tally.ts';

/** What a trends report came to. */
export interface Measured {
  /** Of each metric. */
  readonly values: readonly ValueOf[];
  /** Those of the combinations that are shown, in the order of the metrics' lines; undefined without a breakdown. */
  readonly combinations: readonly (readonly FieldValue[])[] | undefined;
  /** Whether there are more, which are the line behind them. */
  readonly more: boolean;
}

export function trendsRows(report: TrendsReport, measured: Measured, limit: number): Rows {
  const lines = linesOf(report, measured);
  if (report.axis !== null) return chartRows(report, report.axis, lines.flat(), limit);
  return report.utm === null ? tableRows(report, lines.flat(), limit) : utmRows(report, lines, limit);
}

/** One metric of one combination. */
interface Line {
  readonly metric: number;
  readonly label: string;
  /** The cells of its breakdown, none without one. */
  readonly cells: Row;
  /** The measure of a bucket, or of the whole period (null); of an empty bucket too. */
  readonly at: (bucket: number | null) => Cell;
}

/** By metric, then by combination, the others last. */
function linesOf(report: TrendsReport, { values, combinations, more }: Measured): Line[][] {
  const breakdown = { separators: report.separators, timezone: report.period.timezone };
  const shown = combinations?.map((combination) => cellsOf(breakdown, combination)) ?? [{}];
  const parts = more ? [...shown, cellsOf(breakdown, null)] : shown;
  return report.metrics.map(({ label }, metric) =>
    parts.map((cells, line) => {
      const at = (bucket: number | null) => measureCell(values[metric]!(line, bucket));
      return { metric, label, cells, at };
    }),
  );
}

function tableRows(report: TrendsReport, lines: readonly Line[], limit: number): Rows {
  const columns: Column[] = [
    { key: 'metric', label: 'Metric', type: 'number' },
    { key: 'label', label: 'Label', type: 'string' },
    ...breakdownColumns(report),
    { key: 'value', label: 'Value', type: 'number' },
  ];
  const rows = lines.map(({ metric, label, cells, at }) => ({ metric, label, ...cells, value: at(null) }));
  return { columns, rows: rows.slice(0, limit), total: rows.length };
}

/** `lines[m]`: the combinations of metric m. */
function utmRows(report: TrendsReport, lines: readonly Line[][], limit: number): Rows {
  const measures = report.metrics.map(({ label }, metric): Column => ({ key: `m${metric}`, label, type: 'number' }));
  const rows = lines[0]!.map(({ cells }, part) => ({
    ...cells,
    ...Object.fromEntries(lines.map((parts, metric) => [`m${metric}`, parts[part]!.at(null)])),
  }));
  const total = Math.min(rows.length, report.utm!.rows);
  return { columns: [...breakdownColumns(report), ...measures], rows: rows.slice(0, Math.min(limit, total)), total };
}

function chartRows({ period, utm }: TrendsReport, { starts }: Axis, lines: readonly Line[], limit: number): Rows {
  const date: Column = { key: 'date', label: 'Date', type: 'date' };
  const columns = lines.map(({ metric, label, cells, at }, index): Column => {
    const column = { key: `s${index}`, label, type: 'number', metric, total: at(null) } as const;
    const { other, ...breakdown } = cells;
    return other === undefined ? column : { ...column, breakdown, other: other === true };
  });
  const total = Math.min(starts.length, utm?.rows ?? starts.length);
  const rows = starts.slice(0, Math.min(limit, total)).map((start, index) => ({
    date: isoWithOffset(start, period.timezone),
    ...Object.fromEntries(lines.map(({ at }, line) => [`s${line}`, at(index)])),
  }));
  return { columns: [date, ...columns], rows, total };
}
