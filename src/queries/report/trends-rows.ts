import { isoWithOffset } from '../../domain/local-time.ts';
import { ofNothing } from '../../domain/report/aggregation.ts';
import type { Axis, TrendsReport } from '../../domain/report/report.ts';
import { type Cell, type Column, measureCell, type Rows } from './answer.ts';
import type { MeasuredRow } from './trends-sql.ts';

/** `measured[m]` is what metric m came to. */
export function trendsRows(report: TrendsReport, measured: readonly MeasuredRow[][], limit: number): Rows {
  const series = report.metrics.map(({ measure }, index) => seriesOf(measured[index] ?? [], ofNothing(measure)));
  return report.axis === null ? tableRows(report, series, limit) : chartRows(report, report.axis, series, limit);
}

/** The measure of a bucket (from 1), or of the whole period (null); of an empty bucket too. */
type Series = (bucket: number | null) => Cell;

function seriesOf(rows: readonly MeasuredRow[], nothing: 0 | null): Series {
  const byBucket = new Map(rows.map(({ bucket, value }) => [bucket, measureCell(value)]));
  return (bucket) => byBucket.get(bucket) ?? nothing;
}

const METRIC_COLUMNS: readonly Column[] = [
  { key: 'metric', label: 'Metric', type: 'number' },
  { key: 'label', label: 'Label', type: 'string' },
  { key: 'value', label: 'Value', type: 'number' },
];

function tableRows({ metrics }: TrendsReport, series: readonly Series[], limit: number): Rows {
  const rows = metrics.map(({ label }, metric) => ({ metric, label, value: series[metric]!(null) }));
  return { columns: METRIC_COLUMNS, rows: rows.slice(0, limit), total: rows.length };
}

function chartRows(
  { metrics, period }: TrendsReport,
  { starts }: Axis,
  series: readonly Series[],
  limit: number,
): Rows {
  const date: Column = { key: 'date', label: 'Date', type: 'date' };
  const lines = metrics.map(
    ({ label }, metric): Column => ({ key: `s${metric}`, label, type: 'number', metric, total: series[metric]!(null) }),
  );
  const rows = starts.slice(0, limit).map((start, index) => ({
    date: isoWithOffset(start, period.timezone),
    ...Object.fromEntries(series.map((line, metric) => [`s${metric}`, line(index + 1)])),
  }));
  return { columns: [date, ...lines], rows, total: starts.length };
}
