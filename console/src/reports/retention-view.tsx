import type { Value } from '../api.ts';
import { dayName, number, perCent } from '../format.ts';
import { Legend, type Series, shownOf, TimeChart, useHidden } from '../parts/time-chart.tsx';
import type { Answer, Row } from './answer.ts';
import { breakdownOf, retentionCell } from './cell.ts';
import { cellWords } from './cell-words.ts';
import { type ViewProps, valueText } from './numbers.tsx';
import { averageOf, isOver } from './retention-cells.ts';
import type { ReportState } from './state.ts';
import { words } from './words.ts';

/** A retention as its parts share it. */
export interface Cohorts {
  readonly intervals: readonly number[];
  /** Whether all people are back in the first interval, because the two events are one. */
  readonly startsWhole: boolean;
  readonly nameOfInterval: (n: number) => string;
  readonly nameOf: (row: Row) => string;
  readonly titleOf: (row: Row, n: number) => string;
  readonly isOver: (row: Row, n: number) => boolean;
  readonly average: (n: number) => number | null;
}

/** Reads an answer as cohorts. */
export function cohortsOf(state: ReportState, answer: Answer): Cohorts {
  const { granularity } = state;
  const { data_as_of } = answer.meta;
  const extra = breakdownOf(answer);
  const intervals = answer.columns.flatMap(({ key }) => (key.startsWith('share_') ? [Number(key.slice(6))] : []));
  const nameOfInterval = (n: number): string => (n === 0 ? words.same_[granularity] : words.interval(granularity, n));
  const nameOf = (row: Row): string => {
    const values = extra.map(({ key, type }) => valueText(key, row[key], row, type));
    return [...values, dayName(String(row['cohort']))].join(', ');
  };
  return {
    intervals,
    startsWhole: answer.rows.every((row) => row['share_0'] === 1 || row['share_0'] === null),
    nameOfInterval,
    nameOf,
    titleOf: (row, n) => cellWords.returned(dayName(String(row['cohort'])), nameOfInterval(n)),
    isOver: (row, n) => isOver(String(row['cohort']), n, granularity, data_as_of),
    average: (n) => averageOf(answer.rows, n, granularity, data_as_of),
  };
}

/** The average of the first interval, the fourth, and the last that is over. */
export function RetentionHeadline({ cohorts }: { readonly cohorts: Cohorts }) {
  const { intervals, average, nameOfInterval } = cohorts;
  const known = intervals.filter((n) => n > 0 && average(n) !== null);
  const shown = [...new Set([known[0], known.find((n) => n === 4), known.at(-1)])].filter((n) => n !== undefined);
  if (shown.length === 0) return <p class="quiet-text">{words.noneOver}</p>;
  return (
    <div class="headline">
      {shown.map((n, index) => (
        <div key={n} class={index > 0 ? 'next' : undefined}>
          <p class="quiet-text small-text">
            {index === 0 ? words.cameBack(nameOfInterval(n)) : words.inInterval(nameOfInterval(n))}
          </p>
          <span class="figure">{perCent(average(n)!)}</span>
        </div>
      ))}
    </div>
  );
}

/** Cohorts that have a line beside the average: the latest. */
const MOST = 9;
/** Of these, the lines that are shown at first. */
const SHOWN = 4;

/** The lines of a retention, and where they came from. */
export function useCohortLines(answer: Answer, cohorts: Cohorts) {
  const { intervals, isOver: over, average, nameOf, startsWhole } = cohorts;
  const drawn = startsWhole && intervals.length > 1 ? intervals.slice(1) : intervals;
  const rows = answer.rows.filter((row) => Number(row['size']) > 0 && over(row, drawn[0] ?? 0)).slice(-MOST);
  const value = (row: Row, n: number): Value | undefined => (over(row, n) ? row[`share_${n}`] : null);
  const series: readonly Series[] = [
    { label: words.average, values: drawn.map(average), isMain: true },
    ...rows.map((row, index) => ({
      label: nameOf(row),
      values: drawn.map((n) => value(row, n)),
      hidden: index < rows.length - SHOWN,
    })),
  ];
  return { drawn, rows, series, hidden: useHidden(series), left: answer.rows.length - rows.length };
}

type LinesProps = Pick<ViewProps, 'answer' | 'onCell'> & {
  readonly cohorts: Cohorts;
  readonly lines: ReturnType<typeof useCohortLines>;
};

/** One line a cohort beside the average; a line ends at the last interval that is over. */
export function CohortLines({ answer, cohorts, lines, onCell }: LinesProps) {
  const { drawn, rows, series, hidden } = lines;
  return (
    <TimeChart
      times={drawn.map(cohorts.nameOfInterval)}
      series={shownOf(series, hidden)}
      shape="line"
      label={words.retentionOf}
      steps
      shares
      onPoint={(line, at) => {
        const [row, n] = [rows[line - 1], drawn[at]!];
        if (row !== undefined) onCell(retentionCell(answer, row, n), cohorts.titleOf(row, n));
      }}
    />
  );
}

/** Names the lines of a retention. */
export function CohortLegend({ lines: { series, hidden, left } }: Pick<LinesProps, 'lines'>) {
  return (
    <>
      <Legend series={series} hidden={hidden} />
      <span>
        {words.linesEnd} {left > 0 && words.onlyInTable(number(left))}
      </span>
    </>
  );
}
