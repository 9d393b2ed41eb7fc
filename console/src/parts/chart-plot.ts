import uPlot from 'uplot';
import { axisDates, digitsOf, perCentShort, shortNumber } from '../format.ts';
import { areWhole, type ChartData, type Drawn, marksOf } from './chart-data.ts';
import { type Colors, faint, paintColumns, paintEnds, paintMark, paintPoles, paintWeekends } from './chart-paint.ts';

const secondsOf = (time: string): number => digitsOf(time).getTime() / 1000;

/** Whether values hold until the next time, which may be far: then the axis has times, else equal steps. */
const isTimed = ({ series }: ChartData): boolean => series.some(({ stepped }) => stepped === true);

/** A narrow page has no flags, so their poles would say nothing. */
const hasFlags = (): boolean => window.matchMedia('(min-width: 56.01rem)').matches;

/** The input of uPlot: the options, and the data with the axis first. */
export interface Plot {
  readonly options: Omit<uPlot.Options, 'width' | 'height'>;
  readonly data: uPlot.AlignedData;
}

/** The plot of a chart in the colours of the page. */
export function plotOf(chart: ChartData, drawn: readonly Drawn[], colors: Colors): Plot {
  const timed = isTimed(chart);
  const xs = chart.times.map((time, index) => (timed ? secondsOf(time) : index));
  const lines = drawn.flatMap((line) => linesOf(chart, line, colors));
  const isBar = chart.shape === 'bar' || chart.times.length === 1;
  return {
    options: {
      // The last mark of the axis stands half beyond it.
      padding: [8, 36, 0, null],
      tzDate: (ts) => uPlot.tzDate(new Date(ts * 1000), 'Etc/UTC'),
      legend: { show: false },
      cursor: { y: false, points: { size: 6 }, drag: { x: false, y: false } },
      scales: {
        x: { time: timed, ...(isBar ? { range: withHalves(timed ? HALF_DAY : 0.5, chart.times.length === 1) } : {}) },
        y: { range: (_plot, low, high) => [Math.min(0, low ?? 0), high === null || high <= 0 ? 1 : high * 1.05] },
      },
      axes: [xAxis(chart, timed, colors), yAxis(chart, drawn, colors)],
      series: [{}, ...lines.map(({ series }) => series)],
      bands: chart.shape === 'area' ? bandsOf(drawn, lines, colors) : [],
      hooks: {
        drawClear: chart.hasDays === true ? [(plot) => paintWeekends(plot, chart, colors.ink)] : [],
        draw: [(plot) => paint(plot, chart, drawn, colors)],
      },
    },
    data: [xs, ...lines.map(({ values }) => [...values])],
  };
}

function paint(plot: uPlot, chart: ChartData, drawn: readonly Drawn[], colors: Colors): void {
  const { shape, mark, flagged } = chart;
  if (flagged !== undefined && hasFlags()) paintPoles(plot, flagged, colors.quiet);
  if (shape === 'bar') paintColumns(plot, chart, drawn, colors);
  else paintEnds(plot, chart, drawn, colors);
  if (mark !== undefined) paintMark(plot, secondsOf(mark), colors.ink);
}

const HALF_DAY = 43_200;

/** Leaves room at both ends for half a column. To a single time uPlot would add a thousand days. */
const withHalves =
  (half: number, isSingle: boolean): uPlot.Range.Function =>
  (_plot, from, to) => [from - half, (isSingle ? from : to) + half];

interface Line {
  readonly index: number;
  readonly isWhole: boolean;
  readonly values: readonly (number | null)[];
  readonly series: uPlot.Series;
}

/** From this line on, a dash also tells lines apart. */
const DASHED_FROM = 6;

/** A series as one line, or as two: the part that is over, and the broken one to the time that is not. */
function linesOf(chart: ChartData, { index, edge, base, series }: Drawn, colors: Colors): Line[] {
  const { shape, times, running = -1 } = chart;
  const stroke = colors.of(index);
  const points = { show: times.length === 1 };
  const line = (values: readonly (number | null)[], more: uPlot.Series, isWhole = true): Line => {
    return {
      index,
      isWhole,
      values,
      series: { label: series.label, stroke, width: 2, points: { show: false }, ...more },
    };
  };
  if (series.of !== undefined) return [line(edge, { stroke: colors.quiet, width: 1.5, dash: [2, 4] }, false)];
  // Painted by hand: the line only gives the axis its height.
  if (shape === 'bar') return [line(edge, { paths: () => null })];
  const look: uPlot.Series = {
    points,
    width: series.isMain === true ? 3.5 : 2,
    ...(index >= DASHED_FROM ? { dash: [8, 3] } : {}),
    ...(series.stepped === true ? { paths: uPlot.paths.stepped!({ align: 1 }) } : {}),
    ...(shape === 'area' && base === null ? { fill: faint(stroke, AREA) } : {}),
  };
  if (running < 1) return [line(edge, look)];
  return [
    line(
      edge.map((value, at) => (at < running ? value : null)),
      look,
    ),
    line(
      edge.map((value, at) => (at >= running - 1 && at <= running ? value : null)),
      { ...look, dash: [4, 4] },
      false,
    ),
  ];
}

/** How much of its colour an area has. */
const AREA = 0.3;

/** Fills stacked areas from each edge down to the one below. */
function bandsOf(drawn: readonly Drawn[], lines: readonly Line[], colors: Colors): uPlot.Band[] {
  const at = (index: number): number => lines.findIndex((line) => line.index === index && line.isWhole) + 1;
  return drawn.flatMap(({ index, base }, place): uPlot.Band[] => {
    const below = drawn[place - 1];
    if (base === null || below === undefined) return [];
    return [{ series: [at(index), at(below.index)], fill: faint(colors.of(index), AREA) }];
  });
}

const FONT_PX = 12;
const font = (): string => `${FONT_PX}px ${getComputedStyle(document.body).fontFamily}`;
const MARK_PX = 96;

/** The axis of times: never a grid line, always the first and the last mark. */
function xAxis(chart: ChartData, timed: boolean, { quiet, grid }: Colors): uPlot.Axis {
  const axis = {
    stroke: quiet,
    font: font(),
    grid: { show: false },
    ticks: { stroke: grid, width: 1, size: 4 },
    // The first mark of a day's times has the day under it.
    size: (_plot: uPlot, marks: readonly string[] | null) => (marks?.some((mark) => mark.includes('\n')) ? 44 : 30),
  };
  if (timed) return { ...axis, space: MARK_PX, values: (_plot, marks, __, ___, step) => axisDates(marks, step) };
  const { times, steps } = chart;
  return {
    ...axis,
    splits: (plot) => marksOf(times.length, Math.floor(plot.bbox.width / window.devicePixelRatio / MARK_PX)),
    values: (_plot, marks) => {
      if (steps === true) return marks.map((at) => times[at] ?? '');
      const seconds = times.map(secondsOf);
      const step = (seconds[1] ?? seconds[0]! + 86_400) - seconds[0]!;
      return axisDates(
        marks.map((at) => seconds[at] ?? 0),
        step,
      );
    },
  };
}

const WHOLE_STEPS = [1, 2, 5].flatMap((digit) => Array.from({ length: 13 }, (_, power) => digit * 10 ** power));

function yAxis(chart: ChartData, drawn: readonly Drawn[], { quiet, grid }: Colors): uPlot.Axis {
  return {
    stroke: quiet,
    font: font(),
    size: 52,
    space: 44,
    grid: { stroke: grid, width: 1 },
    ticks: { show: false },
    // There is no half a person.
    ...(chart.shares !== true && areWhole(drawn) ? { incrs: WHOLE_STEPS.toSorted((a, b) => a - b) } : {}),
    values: (_plot, values) => values.map(chart.shares === true ? perCentShort : shortNumber),
  };
}
