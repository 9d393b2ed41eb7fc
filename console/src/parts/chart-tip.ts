import type uPlot from 'uplot';
import type { Value } from '../api.ts';
import { date, dayName, hasTime, number, perCent } from '../format.ts';
import type { ChartData } from './chart-data.ts';
import { COLOR_COUNT } from './chart-paint.ts';

/** Shows the values under the pointer, beside it: of each line its own, and the one before in quiet ink. */
export function tip(chart: ChartData): uPlot.Plugin {
  const box = document.createElement('div');
  box.className = 'tip at';
  box.hidden = true;
  return {
    hooks: {
      init: (plot) => {
        plot.over.append(box);
        plot.over.addEventListener('mouseleave', () => {
          box.hidden = true;
        });
      },
      setCursor: ({ cursor: { idx, left = 0, top = 0 }, over }) => {
        box.hidden = idx === null || idx === undefined || left < 0;
        if (idx === null || idx === undefined || box.hidden) return;
        box.replaceChildren(...contentOf(chart, idx));
        const isRight = left > over.clientWidth / 2;
        const x = isRight ? Math.max(-40, left - box.offsetWidth - 12) : left + 12;
        box.style.transform = `translate(${x}px, ${Math.max(0, Math.min(top, over.clientHeight - box.offsetHeight))}px)`;
      },
    },
  };
}

function made(name: string, text: string, ...inner: Node[]): HTMLElement {
  const element = document.createElement(name);
  element.append(...inner, text);
  return element;
}

/** The lines of a tip at a time. */
function contentOf({ times, series, steps, shares, hasDays, notes }: ChartData, at: number): HTMLElement[] {
  const text = (value: Value): string => (shares === true ? perCent(Number(value)) : number(value as number | string));
  const list = document.createElement('dl');
  for (const [index, { label, values, hidden, of }] of series.entries()) {
    const value = values[at];
    if (of !== undefined || hidden === true || value === null || value === undefined) continue;
    const key = document.createElement('span');
    key.className = `key line k${(index % COLOR_COUNT) + 1}`;
    const before = series.find((line) => line.of === index)?.values[at];
    const shown = made('dd', text(value));
    if (before !== null && before !== undefined) {
      const quiet = made('span', ` ${text(before)}`);
      quiet.className = 'quiet-text';
      shown.append(quiet);
    }
    list.append(made('dt', label, key), shown);
  }
  const timed = times.some(hasTime);
  const time = times[at]!;
  const name = steps === true ? time : hasDays === true ? dayName(time, true) : date(time, timed);
  const note = notes?.[at];
  return [made('b', name), list, ...(note === undefined ? [] : [made('p', note)])];
}
