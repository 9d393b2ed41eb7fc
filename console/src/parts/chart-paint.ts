import type uPlot from 'uplot';
import { digitsOf } from '../format.ts';
import type { ChartData, Drawn } from './chart-data.ts';

/** Colours of the page's theme, as `rgb(…)`. */
export interface Colors {
  readonly ink: string;
  readonly quiet: string;
  readonly grid: string;
  readonly card: string;
  readonly of: (index: number) => string;
}

export const COLOR_COUNT = 10;

/** Reads the colours that the style sheet has for an element now. */
export function colorsOf(element: HTMLElement): Colors {
  const probe = document.createElement('i');
  element.append(probe);
  const read = (name: string): string => {
    probe.style.color = `var(--${name})`;
    return getComputedStyle(probe).color;
  };
  const lines = Array.from({ length: COLOR_COUNT }, (_, index) => read(`c${index + 1}`));
  const [ink, quiet, grid, card] = ['ink', 'ink-3', 'line', 'card'].map(read) as [string, string, string, string];
  probe.remove();
  return { ink, quiet, grid, card, of: (index) => lines[index % COLOR_COUNT]! };
}

/** A colour over its ground: an area that leaves its line to be seen. */
export const faint = (rgb: string, part: number): string =>
  rgb.replace(/^rgb\((.*)\)$/, `rgb($1 / ${part})`).replaceAll(',', ' ');

/** Darkens Saturdays and Sundays. */
export function paintWeekends({ ctx, bbox, valToPos }: uPlot, { times }: ChartData, ink: string): void {
  ctx.save();
  ctx.fillStyle = faint(ink, 0.035);
  for (const [index, time] of times.entries()) {
    if (![0, 6].includes(digitsOf(time).getUTCDay())) continue;
    const [from, to] = [index - 0.5, index + 0.5].map((x) =>
      Math.min(bbox.left + bbox.width, Math.max(bbox.left, valToPos(x, 'x', true))),
    ) as [number, number];
    ctx.fillRect(from, bbox.top, to - from, bbox.height);
  }
  ctx.restore();
}

/** Diagonal lines: the sign of what is not over. */
function hatch(ctx: CanvasRenderingContext2D, rgb: string, scale: number): CanvasPattern {
  const size = Math.round(6 * scale);
  const tile = document.createElement('canvas');
  tile.width = size;
  tile.height = size;
  const on = tile.getContext('2d')!;
  on.strokeStyle = rgb;
  on.lineWidth = 1.5 * scale;
  for (const shift of [-size, 0, size]) {
    on.moveTo(shift, size);
    on.lineTo(shift + size, 0);
  }
  on.stroke();
  return ctx.createPattern(tile, 'repeat')!;
}

const WIDEST = 60;

/** Draws columns: stacked in one place, or side by side. The one that is not over is hatched. */
export function paintColumns(plot: uPlot, chart: ChartData, drawn: readonly Drawn[], colors: Colors): void {
  const { ctx, valToPos } = plot;
  const scale = window.devicePixelRatio;
  const rows = drawn.filter(({ series }) => series.of === undefined);
  const places = chart.isStacked === true ? 1 : rows.length;
  const slot = valToPos(1, 'x', true) - valToPos(0, 'x', true);
  const width = Math.min(slot * 0.72, WIDEST * scale * places) / places;
  const zero = valToPos(0, 'y', true);
  ctx.save();
  ctx.setLineDash([]);
  for (const [row, { index, edge, base }] of rows.entries()) {
    const color = colors.of(index);
    for (const [at, value] of edge.entries()) {
      if (value === null || value === (base?.[at] ?? 0)) continue;
      const x = valToPos(at, 'x', true) + (chart.isStacked === true ? -width / 2 : (row - places / 2) * width);
      const bottom = base?.[at] === null || base === null ? zero : valToPos(base[at]!, 'y', true);
      const top = valToPos(value, 'y', true);
      const box = [x, Math.min(top, bottom), Math.max(1, width - scale), Math.abs(bottom - top)] as const;
      ctx.fillStyle = at === chart.running ? hatch(ctx, color, scale) : color;
      ctx.fillRect(...box);
      if (at !== chart.running) continue;
      ctx.strokeStyle = color;
      ctx.lineWidth = scale;
      ctx.strokeRect(...box);
    }
  }
  ctx.restore();
}

/** Draws the poles of the flags: dotted lines across the chart at these times. */
export function paintPoles({ ctx, bbox, valToPos }: uPlot, flagged: readonly number[], stroke: string): void {
  const scale = window.devicePixelRatio;
  ctx.save();
  ctx.strokeStyle = stroke;
  ctx.lineWidth = scale;
  ctx.setLineDash([scale, 3 * scale]);
  for (const index of flagged) {
    const x = valToPos(index, 'x', true);
    ctx.beginPath();
    ctx.moveTo(x, bbox.top);
    ctx.lineTo(x, bbox.top + bbox.height);
    ctx.stroke();
  }
  ctx.restore();
}

/** Draws open points where a line is not over, or ends before the axis does; and the name of the main line at its end. */
export function paintEnds(plot: uPlot, { running, steps }: ChartData, drawn: readonly Drawn[], colors: Colors): void {
  const { ctx, valToPos } = plot;
  const scale = window.devicePixelRatio;
  ctx.save();
  ctx.setLineDash([]);
  for (const { index, edge, series } of drawn) {
    if (series.of !== undefined) continue;
    const last = edge.findLastIndex((value) => value !== null);
    const at = steps === true ? last : (running ?? -1);
    const value = edge[at];
    if (value === null || value === undefined) continue;
    const [x, y] = [valToPos(at, 'x', true), valToPos(value, 'y', true)];
    if (series.isMain === true) {
      ctx.fillStyle = colors.ink;
      ctx.font = `600 ${12 * scale}px ${getComputedStyle(document.body).fontFamily}`;
      ctx.textBaseline = 'middle';
      const width = ctx.measureText(series.label).width;
      const isInside = x + 10 * scale + width > plot.bbox.left + plot.bbox.width;
      ctx.fillText(series.label, isInside ? x - width - 4 * scale : x + 10 * scale, isInside ? y - 14 * scale : y);
    } else if (steps !== true || last < edge.length - 1) {
      ctx.beginPath();
      ctx.arc(x, y, 3.5 * scale, 0, 2 * Math.PI);
      ctx.fillStyle = colors.card;
      ctx.strokeStyle = colors.of(index);
      ctx.lineWidth = 2 * scale;
      ctx.fill();
      ctx.stroke();
    }
  }
  ctx.restore();
}

/** Draws a line across the chart at a time, in seconds. */
export function paintMark({ ctx, bbox, valToPos }: uPlot, seconds: number, stroke: string): void {
  const x = valToPos(seconds, 'x', true);
  if (!(x >= bbox.left && x <= bbox.left + bbox.width)) return;
  ctx.strokeStyle = stroke;
  ctx.beginPath();
  ctx.moveTo(x, bbox.top);
  ctx.lineTo(x, bbox.top + bbox.height);
  ctx.stroke();
}
