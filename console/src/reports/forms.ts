import { CHARTS, fitsTable, type Metric, type ReportState } from './state.ts';
import { words } from './words.ts';

/** A way to draw a report, and why it does not fit. */
export interface Form {
  readonly chart: string;
  /** Absent: it fits. */
  readonly reason?: string;
}

/** Whether the lines are parts of a whole: each event is counted once, or summed up in one of them. */
export function haveWhole(metrics: readonly Metric[]): boolean {
  const [first] = metrics;
  if (first === undefined) return false;
  const events = new Set(metrics.map(({ event }) => event));
  return (
    ['total', 'property_sum'].includes(first.agr) &&
    metrics.every((metric) => metric.agr === first.agr && metric.field === first.field) &&
    (metrics.length === 1 || (events.size === metrics.length && !events.has(null)))
  );
}

const hasLines = ({ metrics, breakdown }: ReportState): boolean => metrics.length > 1 || breakdown.length > 0;

/** The forms of a report's type, in the order of their buttons. A form that does not fit says why. */
export function formsOf(state: ReportState): readonly Form[] {
  const { type, metrics } = state;
  return CHARTS[type]
    .filter((chart) => chart !== 'bar' || state.chart === 'bar')
    .map((chart): Form => {
      const whole = haveWhole(metrics);
      if (chart === 'pie' && !whole) return { chart, reason: words.noShares };
      if (chart === 'area' && !whole && hasLines(state)) return { chart, reason: words.noAreas };
      if (chart === 'table' && !metrics.every(fitsTable)) return { chart, reason: words.noTable };
      return { chart };
    });
}
