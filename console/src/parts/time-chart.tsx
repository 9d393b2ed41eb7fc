import { type Signal, useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import uPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';
import './time-chart.css';
import { type ChartData, type Drawn, drawnOf, nearest, type Series } from './chart-data.ts';
import { COLOR_COUNT, colorsOf } from './chart-paint.ts';
import { plotOf } from './chart-plot.ts';
import { tip } from './chart-tip.ts';
import { chartWords as words } from './chart-words.ts';
import { Cut } from './cut.tsx';

export type { Series } from './chart-data.ts';

export interface TimeChartProps extends ChartData {
  /** Describes the chart to a screen reader; the numbers are in the table below. */
  readonly label: string;
  /** Opens what is behind a value. */
  readonly onPoint?: ((series: number, index: number) => void) | undefined;
  /** Buttons above the times of `flagged`; each has the index of its time as `data-index`. */
  readonly flags?: ComponentChildren;
}

/** Which series of a chart are hidden, by their indexes. */
export type Hidden = Signal<readonly number[]>;

/** The hidden series of a chart that its legend changes. */
export function useHidden(series: readonly Series[]): Hidden {
  return useSignal<readonly number[]>(series.flatMap((line, index) => (line.hidden === true ? [index] : [])));
}

/** The series without those that the legend hides. */
export const shownOf = (series: readonly Series[], hidden: Hidden): readonly Series[] =>
  series.map((line, index) => ({ ...line, hidden: hidden.value.includes(line.of ?? index) }));

interface LegendProps {
  readonly series: readonly Series[];
  readonly hidden: Hidden;
  /** A line below the name of a series, such as its total. */
  readonly totalOf?: (index: number) => ComponentChildren;
}

/** Names the lines. A press hides or shows a line, a double press shows it alone. */
export function Legend({ series, hidden, totalOf }: LegendProps) {
  const own = series.flatMap(({ of }, index) => (of === undefined ? [index] : []));
  const toggle = (index: number): void => {
    const others = hidden.value.filter((other) => other !== index);
    hidden.value = others.length < hidden.value.length ? others : [...others, index];
  };
  return (
    <div class={totalOf === undefined ? 'legend' : 'legend totals'}>
      {own.map((index) => (
        <button
          key={index}
          type="button"
          aria-pressed={!hidden.value.includes(index)}
          title={words.show(series[index]!.label)}
          onClick={() => toggle(index)}
          onDblClick={() => {
            hidden.value = own.filter((other) => other !== index);
          }}
        >
          <span class={`key line k${(index % COLOR_COUNT) + 1}`} />
          <span class="named">
            <Cut text={series[index]!.label} />
            {totalOf?.(index)}
          </span>
        </button>
      ))}
    </div>
  );
}

/** A chart with a legend that hides and shows its lines. */
export function LegendChart({ series, ...chart }: TimeChartProps) {
  const hidden = useHidden(series);
  return (
    <>
      <Legend series={series} hidden={hidden} />
      <TimeChart {...chart} series={shownOf(series, hidden)} />
    </>
  );
}

const HEIGHT = 300;

/** Lines, areas or columns over time. Arrow keys move along it, Enter opens what is behind a value. */
export function TimeChart({ onPoint, label, flags, ...chart }: TimeChartProps) {
  const place = useRef<HTMLDivElement>(null);
  const theme = useTheme();
  const open = useRef(onPoint);
  open.current = onPoint;
  useEffect(
    () => draw(place.current!, chart, onPoint !== undefined, (...point) => open.current?.(...point)),
    // The same values again leave the chart, and what the pointer shows, as they are.
    [JSON.stringify(chart), theme],
  );
  return (
    <div class="with-flags">
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: arrow keys move along the chart */}
      <div class="chart" ref={place} role="img" aria-label={label} tabIndex={0} />
      {flags !== undefined && <div class="flags">{flags}</div>}
    </div>
  );
}

/** Counts the changes of the theme: a chart is drawn with its colours. */
function useTheme(): number {
  const turn = useSignal(0);
  useEffect(() => {
    const change = (): void => {
      turn.value++;
    };
    const system = window.matchMedia('(prefers-color-scheme: dark)');
    window.addEventListener('themechange', change);
    system.addEventListener('change', change);
    return () => {
      window.removeEventListener('themechange', change);
      system.removeEventListener('change', change);
    };
  }, []);
  return turn.value;
}

/** Draws a chart into an element. @returns what takes it away again */
function draw(
  element: HTMLElement,
  chart: ChartData,
  opens: boolean,
  open: (series: number, index: number) => void,
): () => void {
  const drawn = drawnOf(chart);
  const { options, data } = plotOf(chart, drawn, colorsOf(element));
  const size = () => ({ width: element.clientWidth, height: HEIGHT });
  const plot = new uPlot(
    { ...options, ...size(), plugins: [tip(chart), { hooks: { draw: placeFlags } }] },
    data,
    element,
  );
  plot.over.classList.toggle('opens', opens);
  const openHere = (): void => {
    const { idx, top = 0 } = plot.cursor;
    if (idx === null || idx === undefined) return;
    const found = nearest(drawn, idx, (value) => plot.valToPos(value, 'y'), top);
    if (found !== undefined) open(found.index, idx);
  };
  const onKey = (event: KeyboardEvent): void => {
    const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (step !== undefined) move(plot, drawn, step);
    else if (event.key === 'Enter') openHere();
    else return;
    event.preventDefault();
  };
  plot.over.addEventListener('click', openHere);
  element.addEventListener('keydown', onKey);
  const resize = new ResizeObserver(() => plot.setSize(size()));
  resize.observe(element);
  return () => {
    resize.disconnect();
    element.removeEventListener('keydown', onKey);
    plot.destroy();
  };
}

/** Puts the flags next to the chart above their times. */
function placeFlags({ root, over, valToPos }: uPlot): void {
  const from = over.getBoundingClientRect().left - root.parentElement!.getBoundingClientRect().left;
  for (const flag of root.parentElement!.parentElement!.querySelectorAll<HTMLElement>('[data-index]'))
    flag.style.left = `${from + valToPos(Number(flag.dataset['index']), 'x')}px`;
}

/** Moves the cross line by a step, to the first line that has a value there. */
function move(plot: uPlot, drawn: readonly Drawn[], step: number): void {
  const last = plot.data[0].length - 1;
  const { idx, left = -1 } = plot.cursor;
  const at = left < 0 || idx === null || idx === undefined ? (step > 0 ? 0 : last) : idx + step;
  const next = Math.max(0, Math.min(last, at));
  const value = drawn.find(({ edge }) => edge[next] !== null)?.edge[next] ?? 0;
  plot.setCursor({ left: plot.valToPos(plot.data[0][next]!, 'x'), top: plot.valToPos(value, 'y') });
}
