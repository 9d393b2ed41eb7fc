import { atLeast } from '../../columns/array-pool.ts';
import type { Combinations } from '../../columns/combinations.ts';
import type { EventFilter } from '../../columns/event-filter.ts';
import { usersTally } from '../../columns/measures/cell-marks.ts';
import { bytesOfUser, createTally } from '../../columns/measures/create-tally.ts';
import type { EventTally, TallySize, ValueOf } from '../../columns/measures/tally.ts';
import { eachBucket } from '../../columns/positions.ts';
import { isoWithOffset } from '../../domain/local-time.ts';
import type { TrendsCell } from '../../domain/reports/cell.ts';
import type { Axis, Metric, TrendsReport } from '../../domain/reports/report.ts';
import { type Cell, type Column, checkCells, measureCell, type Row, type Rows } from './answer.ts';
import { breakdownColumns, cellsOf, lineNamed } from './breakdown-cells.ts';
import { separatorCombinations } from './combination-keys.ts';
import { compileCondition, eventFilterOf } from './conditions.ts';
import type { Scan } from './scan.ts';
import { countedLines, type LineFinder, type Lines, linesOf, ONE_LINE, rangesOf } from './trends-breakdown.ts';

/** Runs a trends report. */
export async function trendsRows(report: TrendsReport, scan: Scan, limit: number): Promise<Rows> {
  const { lines, values } = await measureAll(report, scan);
  const series = seriesOf(report, lines, values);
  if (report.axis !== null) return chartRows(report, report.axis, series.flat(), limit);
  return report.utm === null ? tableRows(report, series.flat(), limit) : utmRows(report, series, limit);
}

interface Measured {
  readonly lines: Lines;
  /** By metric. */
  readonly values: readonly ValueOf[];
}

/** With a breakdown, it first finds the combinations to show; then it measures the metrics. */
async function measureAll(report: TrendsReport, scan: Scan): Promise<Measured> {
  const filters = await filtersOf(report, scan);
  const combinations = await combinationsOfReport(report, scan);
  const [only, another] = filters;
  if (combinations !== null && only !== undefined && another === undefined && isCountAlone(report)) {
    const counted = await countedLines(report, only, combinations, scan);
    if (counted !== null) {
      checkSize(report, counted.lines);
      const values = report.metrics.map(() => counted.tally.values());
      return { lines: counted.lines, values };
    }
  }
  const lines = combinations === null ? ONE_LINE : await linesOf(report, filters, combinations, scan);
  return measureLines(report, { filters, lines }, scan);
}

function isCountAlone({ metrics }: TrendsReport): boolean {
  return metrics.every(({ measure }) => measure.type === 'count');
}

function checkSize({ axis, metrics }: TrendsReport, { shown, more }: Lines): void {
  checkCells(metrics.length * ((shown?.length ?? 1) + Number(more)) * (axis?.starts.length ?? 1));
}

async function measureLines(
  report: TrendsReport,
  { filters, lines }: { readonly filters: readonly MetricFilter[]; readonly lines: Lines },
  scan: Scan,
): Promise<Measured> {
  checkSize(report, lines);
  const values: ValueOf[] = [];
  const size = { lines: lines.count, buckets: report.axis?.starts.length ?? 1, users: scan.users };
  for (const group of groupsByMemory(report.metrics, size)) {
    const first = values.length;
    const tallies = group.map(({ measure }) => createTally(measure, size, scan.arrays));
    const fed = filters.flatMap(({ filter, metrics }): Fed[] => {
      const own = tallies.filter((_, i) => metrics.includes(first + i));
      return own.length === 0 ? [] : [{ filter, tallies: own }];
    });
    await measure(report, fed, lines.finder, scan);
    values.push(...tallies.map((tally) => tally.values()));
  }
  return { lines, values };
}

/** The users of a cell, by their indexes. @throws NoSuchCellError */
export async function trendsUsers(report: TrendsReport, scan: Scan, cell: TrendsCell): Promise<readonly number[]> {
  const filters = await filtersOf(report, scan);
  const combinations = await combinationsOfReport(report, scan);
  const lines = combinations === null ? ONE_LINE : await linesOf(report, filters, combinations, scan);
  const { axis, separators, utm, metrics } = report;
  const shown = cellsOfLines(report, lines);
  // A UTM table has a row for each line; other reports show all lines.
  const line = lineNamed(cell.line, separators, axis === null && utm !== null ? shown.slice(0, utm.rows) : shown);
  const users = usersTally(metrics[cell.series]!.measure, { line, bucket: cell.bucket, users: scan.users });
  const { filter } = filters.find((each) => each.metrics.includes(cell.series))!;
  await measure(report, [{ filter, tallies: [users] }], lines.finder, scan);
  return users.indexes();
}

async function combinationsOfReport({ separators }: TrendsReport, scan: Scan): Promise<Combinations | null> {
  return separators.length === 0 ? null : separatorCombinations(separators, scan);
}

/** A filter, and the indexes of the metrics that measure the events that it finds. */
interface MetricFilter {
  readonly filter: EventFilter;
  readonly metrics: number[];
  /** The event type (null: all) of metrics that share the filter and have no other conditions; else undefined. */
  readonly shared: number | null | undefined;
}

async function filtersOf(report: TrendsReport, scan: Scan): Promise<MetricFilter[]> {
  const common = report.filter && (await compileCondition(report.filter, scan));
  const filters: MetricFilter[] = [];
  for (const [index, metric] of report.metrics.entries()) {
    const shared = metric.filter === null ? metric.eventId : undefined;
    const same = shared !== undefined && filters.find((filter) => filter.shared === shared);
    if (same) same.metrics.push(index);
    else filters.push({ shared, metrics: [index], filter: await eventFilterOf(metric, common, scan) });
  }
  return filters;
}

/** The memory for the state of users in one scan. */
const MAX_USER_STATE_BYTES = 2 ** 27;

/**
 * Groups of metrics, each measured in one scan, whose state of users fits into the memory; a single metric may exceed
 * it.
 */
function groupsByMemory(metrics: readonly Metric[], size: TallySize): Metric[][] {
  const groups: Metric[][] = [];
  let left = 0;
  for (const metric of metrics) {
    const bytes = bytesOfUser(metric.measure, size) * size.users;
    if (groups.length === 0 || bytes > left) {
      groups.push([]);
      left = MAX_USER_STATE_BYTES;
    }
    groups.at(-1)!.push(metric);
    left = Math.max(0, left - bytes);
  }
  return groups;
}

/** Tallies, and the filter that finds their events. */
interface Fed {
  readonly filter: EventFilter;
  readonly tallies: readonly EventTally[];
}

/** Scans the events once and adds them to the tallies. */
async function measure(
  { axis }: TrendsReport,
  fed: readonly Fed[],
  finder: LineFinder | null,
  { events }: Scan,
): Promise<void> {
  const columns = fed.flatMap(({ tallies, filter }) => [
    ...tallies.flatMap((tally) => tally.columns),
    ...filter.columns,
  ]);
  let linesAt = new Uint32Array(0);
  await events.each([...columns, ...(finder?.columns ?? [])], (chunk, begin, end) => {
    const ranges = rangesOf(axis, chunk, { begin, end });
    for (const { tallies, filter } of fed) {
      const { countIn } = filter;
      if (countIn !== undefined && finder === null && tallies.every(({ addMany }) => addMany !== undefined)) {
        let from = begin;
        for (const { bucket, end: to } of ranges) {
          const events = countIn(chunk, from, to);
          for (const { addMany } of tallies) addMany!(bucket, 0, events);
          from = to;
        }
        continue;
      }
      const positions = filter.positionsIn(chunk, begin, end);
      if (positions.length === 0) continue;
      if (finder !== null) {
        linesAt = atLeast(linesAt, positions.length);
        finder.write(chunk, positions, linesAt);
      }
      for (const tally of tallies) {
        tally.open(chunk);
        const lines = finder === null ? null : linesAt;
        eachBucket(positions, ranges, (bucket, from, to) => tally.add(bucket, positions, lines, from, to));
      }
    }
  });
}

/** One metric of one line. */
interface Series {
  readonly metric: number;
  readonly label: string;
  /** The cells of the breakdown; empty without one. */
  readonly cells: Row;
  /** The measure in a bucket, empty or not, or over the whole period (null). */
  readonly at: (bucket: number | null) => Cell;
}

/** By metric, then by line. */
function seriesOf(report: TrendsReport, lines: Lines, values: readonly ValueOf[]): Series[][] {
  const cellsByLine = cellsOfLines(report, lines);
  return report.metrics.map(({ label }, metric) =>
    cellsByLine.map((cells, line) => {
      const at = (bucket: number | null) => measureCell(values[metric]!(line, bucket));
      return { metric, label, cells, at };
    }),
  );
}

/** The cells of the breakdown of each line; without a breakdown there are none. */
function cellsOfLines({ separators, period }: TrendsReport, { shown, more }: Lines): Row[] {
  const breakdown = { separators, timezone: period.timezone };
  const cells = shown?.map((combination) => cellsOf(breakdown, combination)) ?? [{}];
  return more ? [...cells, cellsOf(breakdown, null)] : cells;
}

function tableRows(report: TrendsReport, series: readonly Series[], limit: number): Rows {
  const columns: Column[] = [
    { key: 'metric', label: 'Metric', type: 'number' },
    { key: 'label', label: 'Label', type: 'string' },
    ...breakdownColumns(report),
    { key: 'value', label: 'Value', type: 'number' },
  ];
  const rows = series.map(({ metric, label, cells, at }) => ({ metric, label, ...cells, value: at(null) }));
  return { columns, rows: rows.slice(0, limit), total: rows.length };
}

/** A row for each combination, a column for each metric. */
function utmRows(report: TrendsReport, series: readonly Series[][], limit: number): Rows {
  const measures = report.metrics.map(({ label }, metric): Column => ({ key: `m${metric}`, label, type: 'number' }));
  const rows = series[0]!.map(({ cells }, line) => ({
    ...cells,
    ...Object.fromEntries(series.map((ofMetric, metric) => [`m${metric}`, ofMetric[line]!.at(null)])),
  }));
  const total = Math.min(rows.length, report.utm!.rows);
  return { columns: [...breakdownColumns(report), ...measures], rows: rows.slice(0, Math.min(limit, total)), total };
}

function chartRows({ period, utm }: TrendsReport, { starts }: Axis, series: readonly Series[], limit: number): Rows {
  const date: Column = { key: 'date', label: 'Date', type: 'date' };
  const columns = series.map(({ metric, label, cells, at }, index): Column => {
    const column = { key: `s${index}`, label, type: 'number', metric, total: at(null) } as const;
    const { other, ...breakdown } = cells;
    return other === undefined ? column : { ...column, breakdown, other: other === true };
  });
  const total = Math.min(starts.length, utm?.rows ?? starts.length);
  const rows = starts.slice(0, Math.min(limit, total)).map((start, index) => ({
    date: isoWithOffset(start, period.timezone),
    ...Object.fromEntries(series.map(({ at }, i) => [`s${i}`, at(index)])),
  }));
  return { columns: [date, ...columns], rows, total };
}
