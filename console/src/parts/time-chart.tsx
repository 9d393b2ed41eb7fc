import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import uPlot from 'uplot';
import { words as reportsWords } from '../reports/words.ts';
import 'uplot/dist/uPlot.min.css';
import type { Value } from '../api.ts';
import { axisDates, date, digitsOf, hasTime, number, share, shortNumber } from '../format.ts';

export interface Series {
  readonly label: string;
  /** Values in the order of the times; null: none. Decimals beyond a float's digits are drawn as the nearest float, and told exactly. */
  readonly values: readonly (Value | undefined)[];
  /** Drawn with a broken line, in the color of the series `of`. */
  readonly of?: number;
  /** Begins hidden; in the legend it can be shown. */
  readonly hidden?: boolean;
  /** The value holds until the next time. */
  readonly stepped?: boolean;
}

export interface TimeChartProps {
  /** Times as the answer has them, in the bot's zone; of `steps` their names. */
  readonly times: readonly string[];
  readonly series: readonly Series[];
  readonly shape: 'line' | 'area' | 'bar';
  /** Describes the chart to a screen reader; the numbers are in the table below. */
  readonly label: string;
  /** A time that a line across the chart marks. */
  readonly mark?: string | undefined;
  /** The axis has steps with names, not times. */
  readonly steps?: boolean;
  /** Values are shares of 1. */
  readonly shares?: boolean;
  /** Opens what is behind a value. */
  readonly onPoint?: ((series: number, index: number) => void) | undefined;
}

/** A chart with a legend that hides and shows its lines. */
export function LegendChart({ series, ...chart }: TimeChartProps) {
  const hidden = useSignal<readonly number[]>(series.flatMap((line, index) => (line.hidden === true ? [index] : [])));
  const hasDashed = series.some(({ of }) => of !== undefined);
  return (
    <>
      <ul class="legend">
        {series.map((line, index) =>
          line.of !== undefined ? null : (
            <li key={index}>
              <button
                type="button"
                class="btn quiet small"
                aria-pressed={!hidden.value.includes(index)}
                title={reportsWords.show(line.label)}
                onClick={() => {
                  const others = hidden.value.filter((other) => other !== index);
                  hidden.value = others.length < hidden.value.length ? others : [...others, index];
                }}
              >
                <i class={`dot k${(index % COLORS) + 1}`} /> {line.label}
              </button>
            </li>
          ),
        )}
        {hasDashed && <li class="quiet-text">{reportsWords.dashed}</li>}
      </ul>
      <TimeChart
        {...chart}
        series={series.map((line, index) => ({ ...line, hidden: hidden.value.includes(line.of ?? index) }))}
      />
    </>
  );
}

const COLORS = 10;
const HEIGHT = 300;

/** The color of a series as `rgb(…)`, as the style sheet has it for light or dark. */
function color(element: HTMLElement, index: number): string {
  const probe = document.createElement('i');
  probe.style.color = `var(--c${(index % COLORS) + 1})`;
  element.append(probe);
  const found = getComputedStyle(probe).color;
  probe.remove();
  return found;
}

function faint(rgb: string): string {
  return rgb.replace('rgb(', 'rgba(').replace(')', ', 0.2)');
}

/** Lines, areas or bars over time. */
function TimeChart({ onPoint, ...chart }: TimeChartProps) {
  const { times, series, shape, label, mark, steps, shares } = chart;
  const place = useRef<HTMLDivElement>(null);
  const click = useRef(onPoint);
  click.current = onPoint;
  useEffect(() => {
    const element = place.current!;
    // The digits of the bot's zone are read as UTC and shown as UTC, so that no other zone comes in.
    const seconds = times.map((time, index) => (steps === true ? index : secondsOf(time)));
    const text = resolved(element, 'color');
    const grid = resolved(element, 'border-top-color');
    const axis = { stroke: text, grid: { stroke: grid, width: 1 }, ticks: { stroke: grid, width: 1 } };
    const plot = new uPlot(
      {
        width: element.clientWidth,
        height: HEIGHT,
        // The last mark of an axis of times stands half beyond it.
        padding: [null, 40, null, null],
        tzDate: (ts) => uPlot.tzDate(new Date(ts * 1000), 'Etc/UTC'),
        legend: { show: false },
        cursor: { points: { size: 6 } },
        scales: {
          ...(steps === true ? { x: { time: false } } : {}),
          ...(shape === 'bar' || times.length === 1 ? { x: { range: wholeBars(seconds) } } : {}),
          y: { range: (_plot, low, high) => [Math.min(0, low ?? 0), high === null || high === 0 ? 1 : high * 1.05] },
        },
        // Times of minutes are wider than the usual distance.
        axes: [
          {
            ...axis,
            space: 80,
            ...(steps === true
              ? {
                  incrs: [1, 2, 5, 10, 20],
                  values: (_: uPlot, values: number[]) => values.map((at) => times[at] ?? ''),
                }
              : {
                  values: (_: uPlot, marks: number[], __: number, ___: number, step: number) => axisDates(marks, step),
                }),
          },
          { ...axis, size: 56, values: (_plot, values) => values.map(shares === true ? share : shortNumber) },
        ],
        series: [
          {},
          ...series.map(({ label: name, of, hidden, stepped }, index): uPlot.Series => {
            const stroke = color(element, of ?? index);
            return {
              label: name,
              show: hidden !== true,
              stroke,
              width: 2,
              ...(of === undefined ? {} : { dash: [4, 4] }),
              ...(stepped === true ? { paths: uPlot.paths.stepped!({ align: 1 }) } : {}),
              ...(shape === 'line' || of !== undefined ? {} : { fill: faint(stroke) }),
              ...(shape === 'bar' && of === undefined
                ? { paths: uPlot.paths.bars!({ size: [0.7, 60] }), fill: stroke, points: { show: false } }
                : { points: { show: times.length === 1 } }),
            };
          }),
        ],
        plugins: [tooltip(chart)],
        ...(mark === undefined ? {} : { hooks: { draw: [(drawn) => drawMark(drawn, mark, text)] } }),
      },
      [seconds, ...series.map(({ values }) => values.map(drawn))],
      element,
    );
    plot.over.classList.toggle('opens', onPoint !== undefined);
    plot.over.addEventListener('click', () => {
      const point = pointAt(plot, series);
      if (point !== null) click.current?.(...point);
    });
    const resize = new ResizeObserver(() => plot.setSize({ width: element.clientWidth, height: HEIGHT }));
    resize.observe(element);
    return () => {
      resize.disconnect();
      plot.destroy();
    };
    // The same values again leave the chart, and what the pointer shows, as they are.
  }, [JSON.stringify(chart)]);
  return <div class="chart" ref={place} role="img" aria-label={label} />;
}

function resolved(element: Element, property: string): string {
  return getComputedStyle(element).getPropertyValue(property);
}

/** A value as a chart draws it. */
const drawn = (value: Value | undefined): number | null =>
  value === null || value === undefined ? null : Number(value);

/** The series and the index of the value that is next to the pointer. */
function pointAt({ cursor: { idx, top = 0 }, valToPos }: uPlot, series: readonly Series[]): [number, number] | null {
  let found: [number, number] | null = null;
  let least = Infinity;
  for (const [at, { values, hidden, of }] of series.entries()) {
    const value = drawn(values[idx ?? -1]);
    if (value === null || hidden === true || of !== undefined) continue;
    const distance = Math.abs(valToPos(value, 'y') - top);
    if (distance < least) [found, least] = [[at, idx!], distance];
  }
  return found;
}

const secondsOf = (time: string): number => digitsOf(time).getTime() / 1000;

function drawMark({ ctx, bbox, valToPos }: uPlot, time: string, stroke: string): void {
  const x = valToPos(secondsOf(time), 'x', true);
  if (!(x >= bbox.left && x <= bbox.left + bbox.width)) return;
  ctx.strokeStyle = stroke;
  ctx.beginPath();
  ctx.moveTo(x, bbox.top);
  ctx.lineTo(x, bbox.top + bbox.height);
  ctx.stroke();
}

/** Leaves room at both ends for half a bar. */
function wholeBars(seconds: readonly number[]): uPlot.Range.Function {
  const half = ((seconds[1] ?? seconds[0]! + 86_400) - seconds[0]!) / 2;
  // To a single time uPlot adds a thousand days.
  return (_plot, from, to) => [from - half, (seconds.length === 1 ? from : to) + half];
}

/** Shows the values under the pointer, beside it. */
function tooltip({ times, series, steps, shares }: TimeChartProps): uPlot.Plugin {
  const box = document.createElement('div');
  box.className = 'tooltip';
  box.hidden = true;
  const timed = times.some(hasTime);
  const text = (value: Value): string => (shares === true ? share(Number(value)) : number(value as number | string));
  return {
    hooks: {
      init: (plot) => {
        plot.over.append(box);
        plot.over.addEventListener('mouseleave', () => {
          box.hidden = true;
        });
      },
      setCursor: (plot) => {
        const { idx, left = 0, top = 0 } = plot.cursor;
        box.hidden = idx === null || idx === undefined;
        if (idx === null || idx === undefined) return;
        const lines = series.flatMap(({ label, values, hidden }) => {
          const value = values[idx];
          return hidden === true || value === null || value === undefined ? [] : [`${label}: ${text(value)}`];
        });
        box.replaceChildren(
          ...[steps === true ? times[idx]! : date(times[idx]!, timed), ...lines].map((words) => {
            const line = document.createElement('div');
            line.textContent = words;
            return line;
          }),
        );
        const right = left > plot.over.clientWidth / 2;
        box.style.transform = `translate(${right ? left - box.offsetWidth - 12 : left + 12}px, ${Math.max(0, top - 12)}px)`;
      },
    },
  };
}
