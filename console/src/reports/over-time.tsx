import type { ComponentChildren } from 'preact';
import type { Series } from '../parts/time-chart.tsx';
import { type Hidden, Legend, shownOf, TimeChart, useHidden } from '../parts/time-chart.tsx';
import type { Answer, Column } from './answer.ts';
import { bucketName } from './bucket-name.ts';
import { lineCell } from './cell.ts';
import { ChangeFrom } from './change.tsx';
import { haveWhole } from './forms.ts';
import { amountName, fullName, isSame, lineName, runningBucket, valueIn } from './lines.ts';
import { figureOf, type ViewProps } from './numbers.tsx';
import { needsField, type ReportState } from './state.ts';
import { type LoadedFlags, useFlags } from './use-flags.ts';
import { words } from './words.ts';

/** Lines that a chart draws; the table has all. */
const MOST = 10;

/** The lines of an answer, those of the period before after them. */
export interface Lines {
  readonly columns: readonly Column[];
  readonly series: readonly Series[];
  readonly hidden: Hidden;
  /** How many lines are only in the table. */
  readonly left: number;
  /** Totals of the period before, by the index of the line. */
  readonly before: (index: number) => Column['total'];
  readonly isStacked: boolean;
  /** The broadcasts that were launched within the answer. */
  readonly flags: LoadedFlags;
}

/** The lines that the chart of an answer draws. */
export function useLines(state: ReportState, answer: Answer, previous: Answer | undefined): Lines {
  const all = answer.columns.slice(1);
  const columns = all.slice(0, MOST);
  const former = columns.map((column) => previous?.columns.slice(1).find((line) => isSame(line, column)));
  const own = columns.map((column): Series => {
    return { label: lineName(state, column), values: answer.rows.map((row) => valueIn(row, column.key, answer)) };
  });
  const before = former.flatMap((column, of): Series[] => {
    if (column === undefined) return [];
    const values = answer.rows.map((_, index) => previous!.rows[index]?.[column.key]);
    return [{ label: words.before, values, of }];
  });
  const series = [...own, ...before];
  return {
    flags: useFlags(state, answer),
    columns,
    series,
    hidden: useHidden(series),
    left: all.length - columns.length,
    before: (index) => former[index]?.total,
    isStacked:
      haveWhole(state.metrics) &&
      all.length > 1 &&
      all.every(({ key }) => answer.rows.every((row) => !(Number(row[key]) < 0))),
  };
}

/** Names the lines, each with its total; up to four lines have it large, with the change. */
export function LinesLegend({ state, lines: { columns, series, hidden, before }, compared }: LegendProps) {
  const isLarge = columns.length <= 4;
  return (
    <Legend
      series={series}
      hidden={hidden}
      {...(isLarge
        ? {
            totalOf: (index: number): ComponentChildren => (
              <>
                <b>{figureOf(state, columns[index]!, columns[index]!.total)}</b>
                {compared && <ChangeFrom now={columns[index]!.total} before={before(index)} />}
              </>
            ),
          }
        : {})}
    />
  );
}

interface LegendProps {
  readonly state: ReportState;
  readonly lines: Lines;
  readonly compared: boolean;
}

/** The units of the lines: sums of different units share no axis. */
function unitsOf(state: ReportState, columns: readonly Column[]): string[] {
  return [...new Set(columns.map(({ metric }) => unitOf(state, metric)))];
}

function unitOf({ metrics }: ReportState, metric: number | undefined): string {
  const counted = metrics[metric ?? -1];
  if (counted === undefined) return '';
  return needsField(counted.agr) ? amountName(counted.field!) : words.countUnit;
}

type ChartProps = Pick<ViewProps, 'state' | 'answer' | 'onCell'> & { readonly lines: Lines };

/** The charts of an answer over time, one for each unit. */
export function LinesChart(props: ChartProps) {
  const { state, lines } = props;
  const { value, error } = lines.flags;
  const units = unitsOf(state, lines.columns);
  return (
    <>
      {units.map((unit) => (
        <div key={unit}>
          {units.length > 1 && <p class="quiet-text small-text">{unit}</p>}
          <UnitChart {...props} unit={unit} />
        </div>
      ))}
      {value !== undefined && <value.FlagNotes flags={value.flags} />}
      {error !== undefined && <p class="quiet-text small-text">{words.noFlags(error.message)}</p>}
    </>
  );
}

function UnitChart({ state, answer, lines, onCell, unit }: ChartProps & { readonly unit: string }) {
  const { columns, series, hidden, isStacked, flags } = lines;
  const marked = flags.value?.flags;
  const Flag = flags.value?.FlagButton;
  const isOf = ({ of }: Series, index: number): boolean => unitOf(state, columns[of ?? index]?.metric) === unit;
  return (
    <TimeChart
      times={answer.rows.map((row) => String(row['date']))}
      series={shownOf(series, hidden).map((line, index) => (isOf(line, index) ? line : { ...line, hidden: true }))}
      shape={shapeOf(state, isStacked, columns.length)}
      isStacked={isStacked && (state.chart === 'area' || isColumns(state))}
      running={runningBucket(state, answer)}
      hasDays={state.granularity === 'day'}
      {...(marked && { notes: flags.value!.notesOf(marked) })}
      flagged={marked?.shown.map(({ index }) => index) ?? []}
      flags={Flag && marked?.shown.map((flag) => <Flag key={flag.index} bot={marked.bot} flag={flag} />)}
      label={words.chartOf(columns.map((column) => fullName(state, column)).join('; '))}
      onPoint={(line, index) => {
        const [column, row] = [columns[line]!, answer.rows[index]!];
        onCell(lineCell(column, row['date']), `${fullName(state, column)}, ${bucketName(row['date'], state)}`);
      }}
    />
  );
}

const isColumns = ({ chart }: ReportState): boolean => chart === 'bar' || chart === 'column';

function shapeOf(state: ReportState, isStacked: boolean, count: number): 'line' | 'area' | 'bar' {
  if (isColumns(state)) return 'bar';
  return state.chart === 'area' && (isStacked || count === 1) ? 'area' : 'line';
}

/** The signs of the chart in words: broken lines, hatched columns, lines that are left out. */
export function ChartNotes({ state, answer, lines, previous }: NotesProps) {
  const { series, columns, isStacked, left } = lines;
  const running = runningBucket(state, answer);
  return (
    <span class="legend">
      {previous !== undefined && series.length > columns.length && (
        <span>
          <span class="key dashed k-before" />
          {words.dashed(previous)}
        </span>
      )}
      {running >= 0 && (
        <span>
          <span class={isColumns(state) ? 'key hatch' : 'key dashed k1'} />
          {words.running(bucketName(answer.rows[running]!['date'], state))}
        </span>
      )}
      {columns.length > 1 && isColumns(state) && <span>{isStacked ? words.stacked : words.grouped}</span>}
      {columns.length > 1 && state.chart === 'area' && !isStacked && <span>{words.noAreas}</span>}
      {left > 0 && <span>{words.drawn(columns.length, columns.length + left)}</span>}
    </span>
  );
}

interface NotesProps extends Pick<ViewProps, 'state' | 'answer'> {
  readonly lines: Lines;
  /** The days of the period before, in words. */
  readonly previous: string | undefined;
}
