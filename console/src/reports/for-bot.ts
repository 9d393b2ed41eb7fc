import type { Catalog } from '../parts/catalog.ts';
import type { ReportState } from './state.ts';

/** The state for the events of another bot: those with the same names have other ids. Null: nothing is to be changed. */
export function forBot(state: ReportState, { events }: Catalog): ReportState | null {
  const metrics = state.metrics.map((metric) => {
    if (metric.event === null || events.some((each) => each.event_id === metric.event && each.name === metric.name))
      return metric;
    const same = events.find(({ name }) => name === metric.name);
    return same === undefined ? metric : { ...metric, event: same.event_id };
  });
  return metrics.every((metric, index) => metric === state.metrics[index]) ? null : { ...state, metrics };
}
